import http from 'node:http';
import https from 'node:https';
import { handshakeWords, type MemberTls, type Named } from '../../auth/index.ts';
import { type MemberId, type Message, oneLine } from '../../core/index.ts';
import type { Refused } from '../../peers/index.ts';
import { plainUrl } from './dial.ts';
import { SAME_SECRET } from './frames.ts';
import type { Identity } from './links.ts';
import type { ResolvedLinkOptions } from './options.ts';
import type { Outgoing } from './queue.ts';
import { reasonIn } from './refusal-words.ts';
import { type ProvenHeaders, RestProver } from './rest-prover.ts';

/** The result of a request to a REST-only voter. */
export type Posted =
  | ({ readonly type: 'answered'; readonly bytes: number } & Answer)
  | {
      readonly type: 'failed';
      readonly reachable: boolean;
      readonly reason: string;
      /** The two do not prove to each other that they belong together: only an operator can fix that. */
      readonly refused?: Refused;
    };

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

/** The boot of the other process, its counter and the other secret may each have to be learned. */
const MOST_TRIES = 4;

/** One request. */
interface Asked {
  readonly target: URL;
  /** The URL of the voter, and what follows it. */
  readonly base: string;
  readonly path: string;
  readonly to: MemberId | null;
  readonly type: string;
  readonly body: string;
}

interface Handling {
  readonly type: string;
  readonly postMs: number;
  /** Sends the request again if its connection was an old one. */
  readonly again: () => boolean;
  readonly judge: (response: http.IncomingMessage, body: Buffer) => 'take' | 'again' | Refused;
  /** Sends the request again with another proof. */
  readonly repeat: () => void;
}

/** Keeps the connections to different peers apart, and those that were opened with earlier certificates. */
class PeerAgent extends https.Agent {
  override getName(options?: https.AgentOptions & { readonly pool?: string }): string {
    return `${super.getName(options)}:${options?.pool ?? ''}`;
  }
}

type Sender = Pick<Identity, 'id' | 'cluster' | 'url'>;

/** Sends messages to voters that speak only REST, over keep-alive connections. */
export class Poster {
  readonly #own: Sender;
  readonly #options: ResolvedLinkOptions;
  readonly #http: http.Agent;
  readonly #https: https.Agent;
  /** Connections that have carried a request. (Node's own mark is missing on those that were never idle.) */
  readonly #used = new WeakSet<object>();
  /** Null if members have no secret. */
  readonly #prover: RestProver | null;
  #closed = false;

  constructor(own: Sender, options: ResolvedLinkOptions) {
    this.#prover = options.secrets === null ? null : new RestProver(own, options.secrets);
    this.#own = own;
    this.#options = options;
    const keep = { keepAlive: true, maxSockets: options.postsInFlight };
    this.#http = new http.Agent(keep);
    // A resumed session would show a certificate that was verified earlier.
    this.#https = new PeerAgent({ ...keep, maxCachedSessions: 0 });
  }

  /**
   * The body has the sender's id and URL and the message's own fields, which win: in `remove` the field `voterId`
   * names the voter to remove. `status` and `members` are questions, asked by GET. `to`: the voter that is expected there, or null.
   * `done` is called exactly once.
   */
  post(
    url: string,
    to: MemberId | null,
    { election, message }: Pick<Outgoing, 'election' | 'message'>,
    done: (result: Posted) => void,
  ): void {
    const { type, ...fields } = message;
    const base = url.replace(/\/+$/, '');
    const path = `${election === this.#options.mainElection ? '' : `/elections/${encodeURIComponent(election)}`}/${type}`;
    const wrong = URL.canParse(base + path) ? plainUrl(base, this.#options) : `${url} is no URL`;
    if (wrong !== null) {
      process.nextTick(done, { type: 'failed', reachable: false, reason: wrong });
      return;
    }
    const body = isQuestion(type)
      ? ''
      : JSON.stringify({ voterId: this.#own.id, voterUrl: this.#own.url, ...fields });
    this.#request({ target: new URL(base + path), base, path, to, type, body }, done);
  }

  close(): void {
    this.#closed = true;
    this.#http.destroy();
    this.#https.destroy();
  }

  #request(asked: Asked, done: (result: Posted) => void, tries = 1): void {
    const { target, base, path, to, type, body } = asked;
    const { tls } = this.#options;
    const isSecure = target.protocol === 'https:';
    const method = isQuestion(type) ? 'GET' : 'POST';
    const proof = this.#prover?.prove(base, to, method, path, body) ?? null;
    const request = (isSecure ? https : http).request(target, {
      ...(tls === null ? {} : { ...tls.dialOptions(to), pool: `${to} ${tls.fingerprint}` }),
      method,
      agent: isSecure ? this.#https : this.#http,
      headers: {
        ...(body === ''
          ? {}
          : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
        ...(proof === null ? {} : { authorization: proof.authorization }),
      },
    });
    let isKept = false;
    request.on('socket', (socket) => {
      isKept = this.#used.has(socket);
      this.#used.add(socket);
    });
    const again = (): boolean => {
      if (!isKept || this.#closed) return false;
      this.#request(asked, done, tries);
      return true;
    };
    const judge = (response: http.IncomingMessage, answer: Buffer): 'take' | 'again' | Refused =>
      this.#judge(asked, proof, tries, response, answer);
    const repeat = (): void => this.#request(asked, done, tries + 1);
    const certified = tls === null ? done : certifying(request, tls, done);
    listen(request, { type, postMs: this.#options.postMs, again, judge, repeat }, certified);
    request.end(body);
  }

  /** Is the answer that of the voter? Any client that listens at its URL could have made it. */
  #judge(
    { base }: Asked,
    proof: ProvenHeaders | null,
    tries: number,
    { headers, statusCode = 0 }: http.IncomingMessage,
    answer: Buffer,
  ): 'take' | 'again' | Refused {
    const challenge = headers['www-authenticate'];
    const asksForProof = statusCode === 401 && /^caucus /i.test(challenge ?? '');
    if (this.#prover === null || proof === null) {
      if (!asksForProof) return 'take';
      const reason = `it asks for a proof, and this member has no secret; ${SAME_SECRET}`;
      return { kind: 'unauthenticated', reason };
    }
    const isProven = proof.isAnswered(header(headers['authentication-info']), statusCode, answer);
    if (asksForProof) {
      const mayGoOn = this.#prover.challenged(base, challenge, proof.counter, isProven);
      if (mayGoOn && tries < MOST_TRIES && !this.#closed) return 'again';
      // It has the same secret, and refuses the request for another reason.
      if (isProven) return 'take';
      return { kind: 'wrong-secret', reason: `it has another secret than this member; ${SAME_SECRET}` };
    }
    if (isProven || statusCode < 200 || statusCode > 299) return 'take';
    return { kind: 'unauthenticated', reason: `its answers carry no proof; ${SAME_SECRET}` };
  }
}

/** The sender of an answer is the member of the certificate, whatever the answer says. */
function certifying(
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
  { type, postMs, again, judge, repeat }: Handling,
  done: (result: Posted) => void,
): void {
  let settled = false;
  const settle = (): boolean => {
    if (settled) return false;
    settled = true;
    clearTimeout(timer);
    return true;
  };
  const fail = (reason: string, reachable = true, refused?: Refused): void => {
    if (!settle()) return;
    request.destroy();
    done({ type: 'failed', reachable, reason, ...(refused === undefined ? {} : { refused }) });
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
      const verdict = settled ? 'take' : judge(response, Buffer.concat(chunks));
      if (verdict === 'again') {
        if (settle()) repeat();
      } else if (verdict !== 'take') fail(verdict.reason, true, verdict);
      else if (status < 200 || status > 299) fail(`it answered ${status}${reasonIn(Buffer.concat(chunks))}`);
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

function isQuestion(type: string): boolean {
  return type === 'status' || type === 'members';
}

function header(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function isMessage(value: unknown): value is Message {
  return typeof value === 'object' && value !== null && typeof (value as Partial<Message>).type === 'string';
}
