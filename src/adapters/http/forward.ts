import http, { type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from 'node:http';
import https from 'node:https';
import { type Decision, FORWARDED } from './leader-only.ts';

/** They belong to one connection. */
const HOP = [
  ...['connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'proxy-connection'],
  ...['te', 'trailer', 'transfer-encoding', 'upgrade'],
];

/** Answers a request that is not handled here. `self`: our name in the election. */
export function answer(
  request: IncomingMessage,
  response: ServerResponse,
  decision: Exclude<Decision, { do: 'handle' }>,
  self: string,
): void {
  if (decision.do === 'forward') forward(request, response, decision.url, self);
  else if (decision.do === 'redirect') response.writeHead(307, { location: decision.url.href }).end();
  else response.writeHead(decision.status, REFUSED).end(decision.body);
}

/** The headers of a refusal: there may be a leader in a moment. */
export const REFUSED = { 'content-type': 'application/json', 'retry-after': '1' } as const;

/** Passes a request on, and the answer back. 502 if the leader does not answer. */
function forward(request: IncomingMessage, response: ServerResponse, url: URL, self: string): void {
  if (request.readableEnded && request.headers['content-length'] !== '0' && hasBody(request)) {
    const error = 'the body was read by another handler: put this one before it';
    fail(response, 500, { code: 'E_BODY_READ', error });
    return;
  }
  const headers = endToEnd(request.headers, [request.headers.connection]);
  const sender = request.socket.remoteAddress ?? 'unknown';
  const earlier = request.headers['x-forwarded-for'];
  Object.assign(headers, {
    host: url.host,
    [FORWARDED]: self,
    'x-forwarded-for': earlier === undefined ? sender : `${earlier}, ${sender}`,
    'x-forwarded-host': request.headers['x-forwarded-host'] ?? request.headers.host ?? '',
  });
  const { request: send } = url.protocol === 'https:' ? https : http;
  const onward = send(url, { method: request.method ?? 'GET', headers }, (answer) => {
    response.writeHead(answer.statusCode!, endToEnd(answer.headers, [answer.headers.connection]));
    answer.pipe(response);
    answer.on('error', () => response.destroy());
  });
  onward.on('error', (error) => {
    const what = {
      code: 'E_UNREACHABLE',
      error: `the leader at ${url.origin} does not answer: ${error.message}`,
    };
    if (response.headersSent) response.destroy();
    else fail(response, 502, what);
  });
  response.on('close', () => onward.destroy());
  request.pipe(onward);
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}

function endToEnd(
  headers: IncomingMessage['headers'],
  connection: (string | undefined)[],
): OutgoingHttpHeaders {
  const named = connection.flatMap((each) => each?.toLowerCase().split(/\s*,\s*/) ?? []);
  return Object.fromEntries(Object.entries(headers).filter(([name]) => ![...HOP, ...named].includes(name)));
}

function fail(response: ServerResponse, status: number, what: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(what));
}
