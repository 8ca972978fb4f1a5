import http from 'node:http';
import https from 'node:https';
import { handshakeWords, type MemberTls, type Named } from '../../auth/index.ts';
import { type MemberId, type Message, oneLine } from '../../core/index.ts';
import { plainUrl } from './dial.ts';
import type { Identity } from './links.ts';
import type { ResolvedLinkOptions } from './options.ts';
import type { Outgoing } from './queue.ts';
import { reasonIn } from './refusal-words.ts';

/** The result of a request to a REST-only voter. */
export type Posted =
  | ({ readonly type: 'answered'; readonly bytes: number } & Answer)
  | { readonly type: 'failed'; readonly reachable: boolean; readonly reason: string };

export interface Answer {
  /** `TYPE/answer`, if the response contains one. */
  readonly answer: Message | null;
  /** Other messages that a member puts into its response to a POST. */
  readonly messages: readonly Message[];
  /** What the answer says of its sender; not checked. */
  readonly voterId?: unknown;
}

const NOTHING: Answer = { answer: null, messages: [] };

/** The same limit as for the bodies that a member accepts. */
const LARGEST_ANSWER = 256 * 1024;

/** Keeps the connections to different peers apart, and those that were opened with earlier certificates. */
class PeerAgent extends https.Agent {
  override getName(options?: https.AgentOptions & { readonly pool?: string }): string {
    return `${super.getName(options)}:${options?.pool ?? ''}`;
  }
}

/** Sends messages to voters that speak only REST, over keep-alive connections. */
export class Poster {
  readonly #own: Identity;
  readonly #options: ResolvedLinkOptions;
  readonly #http: http.Agent;
  readonly #https: https.Agent;
  /** Connections that have carried a request. (Node's own mark is missing on those that were never idle.) */
  readonly #used = new WeakSet<object>();
  #closed = false;

  constructor(own: Identity, options: ResolvedLinkOptions) {
    this.#own = own;
    this.#options = options;
    const keep = { keepAlive: true, maxSockets: options.postsInFlight };
    this.#http = new http.Agent(keep);
    // A resumed session would show a certificate that was verified earlier.
    this.#https = new PeerAgent({ ...keep, maxCachedSessions: 0 });
  }

  /**
   * The body has the sender's id and URL and the message's own fields, which win: in `remove` the field `voterId`
   * names the voter to remove. `status` is a question, asked by GET. `done` is called exactly once. `to`: the voter
   * that is expected there; null for any.
   */
  post(
    url: string,
    { election, message }: Pick<Outgoing, 'election' | 'message'>,
    to: MemberId | null,
    done: (result: Posted) => void,
  ): void {
    const { type, ...fields } = message;
    const target = this.#target(url, election, type);
    const wrong = target === null ? `${url} is no URL` : plainUrl(url, this.#options);
    if (target === null || wrong !== null) {
      process.nextTick(done, { type: 'failed', reachable: false, reason: wrong });
      return;
    }
    const body =
      type === 'status' ? '' : JSON.stringify({ voterId: this.#own.id, voterUrl: this.#own.url, ...fields });
    this.#request(target, type, body, to, done);
  }

  close(): void {
    this.#closed = true;
    this.#http.destroy();
    this.#https.destroy();
  }

  #target(url: string, election: string, type: string): URL | null {
    const base = url.replace(/\/+$/, '');
    const named = election === this.#options.mainElection ? '' : `/elections/${encodeURIComponent(election)}`;
    return URL.canParse(`${base}${named}/${type}`) ? new URL(`${base}${named}/${type}`) : null;
  }

  #request(
    target: URL,
    type: string,
    body: string,
    to: MemberId | null,
    done: (result: Posted) => void,
  ): void {
    const { tls } = this.#options;
    const isSecure = target.protocol === 'https:';
    const request = (isSecure ? https : http).request(target, {
      ...(tls === null ? {} : { ...tls.dialOptions(to), pool: `${to} ${tls.fingerprint}` }),
      method: type === 'status' ? 'GET' : 'POST',
      agent: isSecure ? this.#https : this.#http,
      headers:
        body === '' ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
    });
    let isKept = false;
    request.on('socket', (socket) => {
      isKept = this.#used.has(socket);
      this.#used.add(socket);
    });
    const again = (): boolean => {
      if (!isKept || this.#closed) return false;
      this.#request(target, type, body, to, done);
      return true;
    };
    listen(request, type, this.#options.postMs, again, tls === null ? done : certified(request, tls, done));
    request.end(body);
  }
}

/** The sender of an answer is the member of the certificate, whatever the answer says. */
function certified(
  request: http.ClientRequest,
  tls: MemberTls,
  done: (result: Posted) => void,
): (result: Posted) => void {
  let named: Named | null = null;
  request.on('response', ({ socket }) => {
    named = tls.peerOf(socket);
  });
  return (result) => {
    if (result.type === 'failed' || named === null) return done(result);
    const { voterId } = result;
    if ('id' in named && (voterId === undefined || String(voterId) === String(named.id)))
      return done({ ...result, voterId: named.id });
    const reason =
      'id' in named
        ? `its answer is that of ${oneLine(String(voterId).slice(0, 100))}, and its certificate that of ${named.id}`
        : named.reason;
    done({ type: 'failed', reachable: true, reason });
  };
}

/**
 * A voter may close a keep-alive connection at the very moment when it is used again. That says nothing about the
 * voter, so a request over such a connection is retried (`again`).
 */
function listen(
  request: http.ClientRequest,
  type: string,
  postMs: number,
  again: () => boolean,
  done: (result: Posted) => void,
): void {
  let settled = false;
  const settle = (): boolean => {
    if (settled) return false;
    settled = true;
    clearTimeout(timer);
    return true;
  };
  const fail = (reason: string, reachable = true): void => {
    if (!settle()) return;
    request.destroy();
    done({ type: 'failed', reachable, reason });
  };
  // A timer for the whole request: a voter that sends one byte per second would never reach the socket's timeout.
  const timer = setTimeout(() => fail('it did not answer in time'), postMs);
  request.on('error', (error: Error & { code?: string }) => {
    const wasCut = error.code === 'ECONNRESET' || error.code === 'EPIPE';
    if (settled) return;
    if (wasCut && again()) settle();
    else fail(handshakeWords(error) ?? error.message, wasCut);
  });
  request.on('response', (response) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    response.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      chunks.push(chunk);
      if (bytes > LARGEST_ANSWER) fail('its answer was too large');
    });
    response.on('error', (error) => fail(error.message));
    response.on('end', () => {
      const status = response.statusCode ?? 0;
      if (status < 200 || status > 299) fail(`it answered ${status}${reasonIn(Buffer.concat(chunks))}`);
      else if (settle()) done({ type: 'answered', bytes, ...readAnswer(type, Buffer.concat(chunks)) });
    });
  });
}

/**
 * The body of the response, if it is a JSON object, is the message `TYPE/answer`. The sender is already known, and a
 * protocol's message does not repeat it. A member that is asked by POST, because a proxy in between lets no
 * connections through, puts all other messages under `messages`.
 */
export function readAnswer(type: string, body: Buffer): Answer {
  let value: unknown;
  try {
    value = JSON.parse(body.toString());
  } catch {
    return NOTHING;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return NOTHING;
  const { voterId, voterUrl: _url, messages, ...fields } = value as Record<string, unknown>;
  const others = Array.isArray(messages) ? messages.filter(isMessage) : [];
  const isOnlyOthers = others.length > 0 && Object.keys(fields).length === 0;
  const answer = isOnlyOthers ? null : { ...fields, type: `${type}/answer` };
  return { answer, messages: others, ...(voterId === undefined ? {} : { voterId }) };
}

function isMessage(value: unknown): value is Message {
  return typeof value === 'object' && value !== null && typeof (value as Partial<Message>).type === 'string';
}
