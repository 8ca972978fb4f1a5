import { shownUrl } from '../../engines/secrets.ts';
import { oneLine, Refusal } from '../refusal.ts';

const DEFAULT_TIMEOUT_MS = 5000;
/** Members write to an open stream every 5 s, up to version 0.2.0 every 15 s: one that is silent for longer is stopped or cut off. */
const LONGEST_SILENCE_MS = 20_000;
/** A transfer or a publication may take a few time-outs of the protocol. */
const COMMAND_TIMEOUT_MS = 30_000;

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'no such host',
  ECONNRESET: 'the connection was closed',
  UND_ERR_SOCKET: 'the connection was closed',
};

const BLOCKED = 'Node.js does not speak HTTP to this port, which belongs to another protocol';

/** A member said no, or could not be asked. */
export class NoAnswer extends Error {
  /** Null if there was no answer at all. */
  readonly status: number | null;
  /** To ask again would be in vain. */
  readonly isFinal: boolean;

  constructor(message: string, status: number | null, isFinal = false) {
    super(message);
    this.status = status;
    this.isFinal = isFinal;
  }
}

/** A member said no because another one leads. */
export class Referral extends NoAnswer {
  readonly leader: number | string;
  readonly leaderUrl: string;

  constructor(message: string, status: number, leader: number | string, leaderUrl: string) {
    super(message, status);
    this.leader = leader;
    this.leaderUrl = leaderUrl;
  }
}

/** The parts of a refusal that the command reads. */
interface Refused {
  readonly message?: string;
  readonly leader?: number | string | null;
  readonly leaderUrl?: string | null;
}

/** One member, asked over HTTP. */
export class MemberClient {
  readonly url: string;
  readonly #prefix: string;

  constructor(url: string, election: string | undefined) {
    this.url = readUrl(url);
    this.#prefix = election === undefined ? '' : `/elections/${encodeURIComponent(election)}`;
  }

  get(path: string): Promise<unknown> {
    return this.#ask('GET', path, undefined, DEFAULT_TIMEOUT_MS);
  }

  post(path: string, body: object): Promise<unknown> {
    return this.#ask('POST', path, body, COMMAND_TIMEOUT_MS);
  }

  put(path: string, body: object): Promise<unknown> {
    return this.#ask('PUT', path, body, COMMAND_TIMEOUT_MS);
  }

  /** The stream of server-sent events; each is a JSON text. Ends when the member closes it, and throws if it falls silent. */
  async *events(
    path: string,
    signal: AbortSignal,
    silenceMs: number = LONGEST_SILENCE_MS,
  ): AsyncGenerator<unknown> {
    const silence = new AbortController();
    const timer = setTimeout(() => silence.abort(), silenceMs);
    try {
      const heard = (): void => void timer.refresh();
      yield* this.#stream(path, AbortSignal.any([signal, silence.signal]), heard);
    } catch (error) {
      throw silence.signal.aborted ? new NoAnswer(`${this.url}: no answer in time`, null) : error;
    } finally {
      clearTimeout(timer);
    }
  }

  async *#stream(path: string, signal: AbortSignal, heard: () => void): AsyncGenerator<unknown> {
    const response = await this.#fetch(path, { signal });
    if (!response.ok || response.body === null) throw await this.#refusal(response);
    if (!response.headers.get('content-type')?.startsWith('text/event-stream')) {
      await response.body.cancel();
      const message = `${this.url}: expected an event stream, found something else: is it a member?`;
      throw new NoAnswer(message, response.status, true);
    }
    let rest = '';
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
      heard();
      const parts = (rest + chunk).split('\n\n');
      rest = parts.pop()!;
      for (const part of parts) {
        const data = part.split('\n').filter((line) => line.startsWith('data:'));
        if (data.length > 0) yield JSON.parse(data.map((line) => line.slice('data:'.length)).join('\n'));
      }
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
      return await response.json();
    } catch {
      throw new NoAnswer(
        `${this.url}: expected JSON, found something else: is it a member?`,
        response.status,
      );
    }
  }

  async #fetch(path: string, init: RequestInit): Promise<Response> {
    try {
      return await fetch(`${this.url}${this.#prefix}${path}`, init);
    } catch (error) {
      const reason = reasonOf(error);
      throw new NoAnswer(`${this.url}: ${reason}`, null, reason === BLOCKED);
    }
  }

  async #refusal(response: Response): Promise<NoAnswer> {
    const text = await response.text().catch(() => '');
    let refused: Refused = {};
    try {
      refused = (JSON.parse(text) as { error?: Refused }).error ?? refused;
    } catch {
      // It is not one of our members, or something in between answered.
    }
    const { message = `answered with status ${response.status}`, leader, leaderUrl } = refused;
    const words = `${this.url}: ${oneLine(message)}`;
    if (leader != null && leaderUrl != null && leaderUrl.replace(/\/+$/, '') !== this.url)
      return new Referral(words, response.status, leader, leaderUrl);
    return new NoAnswer(words, response.status);
  }
}

function reasonOf(error: unknown): string {
  const { name, cause } = error as Error & { cause?: NodeJS.ErrnoException };
  if (name === 'TimeoutError') return 'no answer in time';
  // The one refusal of fetch itself: ports of other protocols, such as 9 or 6000, have no code of their own.
  if (cause?.message === 'bad port') return BLOCKED;
  return WORDS[cause?.code ?? ''] ?? cause?.message ?? (error as Error).message;
}

/** `host:port` is enough; without a scheme it is http. */
function readUrl(text: string): string {
  const whole = /^https?:\/\//i.test(text) ? text : `http://${text}`;
  const url = URL.canParse(whole) ? new URL(whole) : null;
  // The address of a store, given without --engine, has a password in it.
  const isOurs = url !== null && url.username === '' && url.password === '' && !/:\/\//.test(whole.slice(8));
  if (isOurs) return url.href.replace(/\/+$/, '');
  throw new Refusal(
    `URL: expected http://HOST:PORT, or --engine before the URL of a store, found ${shownUrl(text)}`,
  );
}
