/**
 * The HTTP API of a member, as a request handler for its own server or one of the user's. Paths are looked up in two
 * tables; any other POST is a message of the protocol.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { readJson } from './body.ts';
import { type Call, messagesOf, usualElection } from './call.ts';
import { ChangeCounts } from './change-counts.ts';
import { commands } from './commands.ts';
import { HEARTBEAT_MS } from './event-stream.ts';
import { answerHealth, isHealthPath } from './health.ts';
import { HttpError } from './http-error.ts';
import { describeApi } from './openapi.ts';
import { refuseForeignNames, refuseForeignPages } from './origin.ts';
import { createPage } from './page.ts';
import type { MemberPort } from './port.ts';
import { findQuestion, type Handler } from './questions.ts';
import { sendEmpty, sendError } from './reply.ts';
import { mountOf, readTarget } from './target.ts';
import { message, register, remove } from './voters.ts';
import { Watchers } from './watchers.ts';

export interface Api {
  (request: IncomingMessage, response: ServerResponse): void;
  /** Ends the event streams, which would keep their connections, and so the server, open. */
  close(): void;
}

export interface ApiOptions {
  /** How often an idle stream sends a heartbeat. */
  readonly watchHeartbeatMs?: number;
  /** The host names under which questions are answered, besides those of the loopback and addresses; null for any. */
  readonly hosts?: readonly string[] | null;
  /** May this request be answered at all? Null: every request may. */
  readonly allow?: ((request: IncomingMessage) => boolean) | null;
}

const NOT_ALLOWED =
  'this member is mounted where other machines can reach it, which needs insecure: true, or a check of its own that lets you in';

export function createApi(member: MemberPort, options: ApiOptions = {}): Api {
  const watchers = new Watchers(member, options.watchHeartbeatMs ?? HEARTBEAT_MS);
  const changes = new ChangeCounts(member);
  const page = createPage({ mode: 'member', chaos: false, api: '../' });
  const describe = (): object => describeApi(member);
  const handler = (request: IncomingMessage, response: ServerResponse): void => {
    // A client that disconnects in the middle causes no error here.
    response.on('error', () => {});
    if (options.allow?.(request) === false)
      return sendError(response, new HttpError(403, 'E_NOT_ALLOWED', NOT_ALLOWED));
    answer({ member, request, response, watchers, changes, page, describe }, options.hosts ?? null).catch(
      (error: unknown) => sendError(response, error),
    );
  };
  const close = (): void => {
    watchers.close();
    changes.close();
  };
  return Object.assign(handler, { close });
}

async function answer(
  asked: Omit<Call, 'path' | 'query' | 'electionName'>,
  hosts: readonly string[] | null,
): Promise<void> {
  const { request, response, member } = asked;
  const target = readTarget(request.url ?? '/', mountOf(member.url));
  const { path, query, name } = target;
  const isAsking = request.method === 'GET' || request.method === 'HEAD' || request.method === 'OPTIONS';
  const call: Call = {
    ...asked,
    path,
    query,
    electionName: name ?? query.get('election') ?? (isAsking ? usualElection(member) : member.mainElection),
  };
  const question = findQuestion(target);
  const { method } = request;
  if ((method === 'GET' || method === 'HEAD') && question !== undefined) {
    if (hosts !== null) refuseForeignNames(request, hosts);
    return question(call);
  }
  if (method === 'OPTIONS' && isHealthPath(path)) return answerHealth(call);
  if ((method === 'POST' || method === 'PUT') && (await act(call, method))) return;
  const allow = allowed(call, question);
  if (allow.length === 0) {
    if (method === 'POST') member.countRefusal('unknown-type');
    throw new HttpError(404, 'E_NOT_FOUND', `there is nothing at ${path}; /openapi.json lists what there is`);
  }
  const headers = { allow: allow.join(', ') };
  if (method === 'OPTIONS') return sendEmpty(response, 204, headers);
  throw new HttpError(405, 'E_METHOD', `${path} answers ${headers.allow}, not ${method}`, {
    headers,
  });
}

/**
 * Where a path is both a message and a command: a body with a `voterId` is a message of that voter, one without is a
 * command of a user.
 */
async function act(call: Call, method: 'POST' | 'PUT'): Promise<boolean> {
  const { path } = call;
  const type = path.slice(1);
  const command = commands[path]?.method === method ? commands[path] : undefined;
  const isMessage = method === 'POST' && isMessagePath(call);
  if (!isMessage && command === undefined) return false;
  refuseForeignPages(call.request, call.member.url);
  const body = await read(call);
  if (path === '/register') register(call, body);
  else if (path === '/remove') await remove(call, body);
  else if (command !== undefined && !(isMessage && hasSender(body))) await command.handler(call, body);
  else message(call, body, type);
  return true;
}

/** Voters are registered and removed at these paths in every protocol: one without such messages answers that. */
function isMessagePath(call: Call): boolean {
  const { path } = call;
  return path === '/register' || path === '/remove' || Object.hasOwn(messagesOf(call), path.slice(1));
}

function hasSender(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'voterId' in body;
}

/** A missing body counts as empty. */
async function read({ request, member }: Call): Promise<unknown> {
  const body = await readJson(request, (refusal) => member.countRefusal(refusal));
  return body === undefined ? {} : body;
}

function allowed(call: Call, question: Handler | undefined): string[] {
  const command = commands[call.path]?.method;
  return [
    ...(question === undefined ? [] : ['GET', 'HEAD', 'OPTIONS']),
    ...(command === 'POST' || isMessagePath(call) ? ['POST'] : []),
    ...(command === 'PUT' ? ['PUT'] : []),
  ];
}
