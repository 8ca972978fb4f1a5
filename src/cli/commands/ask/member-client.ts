import { type Refused, readEvents, refused } from '../../../api/wire/index.ts';
import { BadInput, type Shape } from '../../../core/index.ts';
import { anyOf } from '../../../election/index.ts';
import { shownUrl } from '../../../engines/index.ts';
import { oneLine, Refusal } from '../../input/refusal.ts';
import { fetchByTls } from './tls-fetch.ts';

const DEFAULT_TIMEOUT_MS = 5000;
/**
 * Members write to an open stream every 5 s, up to version 0.2.0 every 15 s: one that is silent for longer is stopped
 * or disconnected.
 */
const LONGEST_SILENCE_MS = 20_000;
/** A transfer or a publication may take a few timeouts of the protocol. */
const COMMAND_TIMEOUT_MS = 30_000;

const NOT_TRUSTED =
  'its certificate is not of a CA that is trusted here; give the CA of the cluster with --tls-ca or CAUCUS_TLS_CA';

const CERTIFICATE_WORDS: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: NOT_TRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: NOT_TRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: NOT_TRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: NOT_TRUSTED,
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID:
    'its certificate is not for this host; ask it under a name or address of the certificate (caucus cert show)',
};

const WORDS: Readonly<Record<string, string>> = {
  ...CERTIFICATE_WORDS,
  EPROTO: 'it does not speak TLS: ask it with http://',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS: ask it with http://',
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'no such host',
  ECONNRESET: 'the connection was closed',
  UND_ERR_SOCKET: 'the connection was closed',
};

const BLOCKED = 'Node.js does not speak HTTP to this port, which belongs to another protocol';

/**
 * Nothing listens there; no answer in time; it is no member; its certificate is not accepted; it cannot be reached for
 * another reason; or it is a member, and refused.
 */
export type NoAnswerKind =
  | 'nothing-there'
  | 'silent'
  | 'no-member'
  | 'certificate'
  | 'unreachable'
  | 'refused';

/** A member refused, or could not be reached. */
export class NoAnswer extends Error {
  /** Null if there was no answer at all. */
  readonly status: number | null;
  /** A retry would not help. */
  readonly isFinal: boolean;
  readonly kind: NoAnswerKind;
  /** It was asked for a change, and does not know whether that took effect. */
  readonly isIndefinite: boolean;

  constructor(
    message: string,
    status: number | null,
    isFinal = false,
    kind: NoAnswerKind = status === null ? 'unreachable' : 'refused',
    isIndefinite = false,
  ) {
    super(message);
    this.status = status;
    this.isFinal = isFinal;
    this.kind = kind;
    this.isIndefinite = isIndefinite;
  }
}

/** A member refused because another one leads. */
export class Referral extends NoAnswer {
  readonly leader: number | string;
  readonly leaderUrl: string;

  constructor(message: string, status: number, leader: number | string, leaderUrl: string) {
    super(message, status);
    this.leader = leader;
    this.leaderUrl = leaderUrl;
  }
}

/** One member, asked over HTTP. */
export class MemberClient {
  readonly url: string;
  readonly election: string | undefined;
  readonly token: string | null;
  /** The CA of the cluster, in PEM; null: those that the system trusts. */
  readonly ca: string | null;
  readonly #prefix: string;

  constructor(
    url: string,
    election: string | undefined,
    token: string | null = null,
    ca: string | null = null,
  ) {
    this.url = readUrl(url, ca === null ? 'http' : 'https');
    this.ca = ca;
    this.election = election;
    this.token = token;
    this.#prefix = election === undefined ? '' : `/elections/${encodeURIComponent(election)}`;
  }

  /** The document at a path. */
  async get<T>(path: string, document: Shape<T>, withinMs: number = DEFAULT_TIMEOUT_MS): Promise<T> {
    return this.#read(await this.#ask('GET', path, undefined, withinMs), document);
  }

  post(path: string, body: object): Promise<unknown> {
    return this.#ask('POST', path, body, COMMAND_TIMEOUT_MS);
  }

  put(path: string, body: object): Promise<unknown> {
    return this.#ask('PUT', path, body, COMMAND_TIMEOUT_MS);
  }

  /**
   * The stream of server-sent events; each is a document. Ends when the member closes it, and throws if it is silent
   * for too long.
   */
  async *events<T>(
    path: string,
    document: Shape<T>,
    signal: AbortSignal,
    silenceMs: number = LONGEST_SILENCE_MS,
  ): AsyncGenerator<T> {
    const silence = new AbortController();
    const timer = setTimeout(() => silence.abort(), silenceMs);
    try {
      const heard = (): void => void timer.refresh();
      yield* this.#stream(path, document, anyOf([signal, silence.signal]), heard);
    } catch (error) {
      throw silence.signal.aborted ? new NoAnswer(`${this.url}: no answer in time`, null) : error;
    } finally {
      clearTimeout(timer);
    }
  }

  async *#stream<T>(
    path: string,
    document: Shape<T>,
    signal: AbortSignal,
    heard: () => void,
  ): AsyncGenerator<T> {
    const response = await this.#fetch(path, { signal });
    if (!response.ok || response.body === null) throw await this.#refusal(response);
    if (!response.headers.get('content-type')?.startsWith('text/event-stream')) {
      await response.body.cancel();
      const message = `${this.url}: expected an event stream, found something else: is it a member?`;
      throw new NoAnswer(message, response.status, true, 'no-member');
    }
    const texts = hearing(response.body.pipeThrough(new TextDecoderStream()), heard);
    for await (const { data } of readEvents(texts)) yield this.#read(JSON.parse(data), document);
  }

  /** A newer member may send more fields than this version knows; with fewer fields the answer is invalid. */
  #read<T>(value: unknown, document: Shape<T>): T {
    try {
      return document.read(value, '');
    } catch (error) {
      if (!(error instanceof BadInput)) throw error;
      const message = `${this.url}: this is not what a member answers (${error.message})`;
      throw new NoAnswer(message, null, true, 'no-member');
    }
  }

  async #ask(method: string, path: string, body: object | undefined, timeoutMs: number): Promise<unknown> {
    const response = await this.#fetch(path, {
      method,
      signal: AbortSignal.timeout(timeoutMs),
      headers: { accept: 'application/json', 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw await this.#refusal(response);
    try {
      return JSON.parse(await textOf(response));
    } catch {
      throw new NoAnswer(
        `${this.url}: expected JSON, found something else: is it a member?`,
        response.status,
        false,
        'no-member',
      );
    }
  }

  async #fetch(path: string, init: RequestInit): Promise<Response> {
    try {
      const authorization: Record<string, string> =
        this.token === null ? {} : { authorization: `Bearer ${this.token}` };
      const headers = { ...(init.headers as Record<string, string>), ...authorization };
      // A redirect would take the token, and the command, to a place that was not chosen.
      const url = `${this.url}${this.#prefix}${path}`;
      if (this.ca !== null && /^https:/i.test(url))
        return await fetchByTls(url, { ...init, headers }, this.ca);
      return await fetch(url, { ...init, headers, redirect: 'manual' });
    } catch (error) {
      const reason = reasonOf(error);
      throw new NoAnswer(`${this.url}: ${reason}`, null, reason === BLOCKED, kindOf(error));
    }
  }

  async #refusal(response: Response): Promise<NoAnswer> {
    if (response.status >= 300 && response.status < 400) {
      await response.body?.cancel();
      const words = `${this.url}: redirects to another place, which is not followed`;
      return new NoAnswer(words, response.status, false, 'no-member');
    }
    const text = await textOf(response).catch(() => '');
    let error: Partial<Refused> = {};
    try {
      ({ error } = refused.read(JSON.parse(text), ''));
    } catch {
      // It is not a member, or a proxy answered.
    }
    const { message = `answered with status ${response.status}`, leader, leaderUrl } = error;
    const advice = response.status === 401 && this.token === null ? '; give it with --token-file' : '';
    const words = `${this.url}: ${oneLine(message)}${advice}`;
    if (error.message === undefined) return new NoAnswer(words, response.status, false, 'no-member');
    if (leader != null && leaderUrl != null && leaderUrl.replace(/\/+$/, '') !== this.url)
      return new Referral(words, response.status, leader, leaderUrl);
    return new NoAnswer(words, response.status, false, 'refused', error.outcome === 'indefinite');
  }
}

/** No answer of a member is longer. */
const LONGEST_ANSWER = 16 * 1024 * 1024;

async function textOf(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > LONGEST_ANSWER) throw new Error('the answer is too long');
  }
  return text + decoder.decode();
}

function reasonOf(error: unknown): string {
  const { name, cause } = error as Error & { cause?: NodeJS.ErrnoException };
  if (name === 'TimeoutError') return 'no answer in time';
  // `fetch` refuses some ports of other protocols, such as 9 or 6000, without an error code.
  if (cause?.message === 'bad port') return BLOCKED;
  return WORDS[cause?.code ?? ''] ?? cause?.message ?? (error as Error).message;
}

function kindOf(error: unknown): NoAnswerKind {
  const { name, cause } = error as Error & { cause?: NodeJS.ErrnoException };
  if (name === 'TimeoutError') return 'silent';
  if (cause?.code === 'ECONNREFUSED') return 'nothing-there';
  if (Object.hasOwn(CERTIFICATE_WORDS, cause?.code ?? '')) return 'certificate';
  // What is there, and speaks another protocol than HTTP.
  return cause?.code?.startsWith('HPE_') ? 'no-member' : 'unreachable';
}

/** `host:port` is enough; without a scheme it is http, or https if a CA is given. */
function readUrl(text: string, scheme: string): string {
  const hasScheme = /^https?:\/\//i.test(text);
  const whole = hasScheme ? text : `${scheme}://${text}`;
  const url = URL.canParse(whole) ? new URL(whole) : null;
  // A word alone is an argument too many, not a host. It is shown, also with a port that there is not. The URL of a store, passed without --engine, contains a password.
  const isOurs =
    url !== null &&
    (hasScheme || /:\d+($|\/)/.test(text)) &&
    url.username === '' &&
    url.password === '' &&
    !/:\/\//.test(whole.slice(8));
  if (isOurs) return url.href.replace(/\/+$/, '');
  throw new Refusal(
    `URL: expected http://HOST:PORT, or --engine before the URL of a store, found ${/^[\w.-]*(?::\d*)?$/.test(text) ? JSON.stringify(text) : shownUrl(text)}`,
  );
}

/** The same chunks. Comments count too: they are heartbeats. */
async function* hearing(chunks: AsyncIterable<string>, heard: () => void): AsyncGenerator<string> {
  for await (const chunk of chunks) {
    heard();
    yield chunk;
  }
}
