import { oneLine, Refusal } from '../refusal.ts';

const DEFAULT_TIMEOUT_MS = 5000;
/** A transfer or a publication may take a few time-outs of the protocol. */
const COMMAND_TIMEOUT_MS = 30_000;

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nobody listens there',
  ENOTFOUND: 'no such host',
  ECONNRESET: 'the connection was closed',
  UND_ERR_SOCKET: 'the connection was closed',
};

/** A member said no, or could not be asked. */
export class NoAnswer extends Error {
  /** Null if there was no answer at all. */
  readonly status: number | null;

  constructor(message: string, status: number | null) {
    super(message);
    this.status = status;
  }
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

  /** The stream of server-sent events; each is a JSON text. Ends when the member closes it. */
  async *events(path: string, signal: AbortSignal): AsyncGenerator<unknown> {
    const response = await this.#fetch(path, { signal });
    if (!response.ok || response.body === null) throw await this.#refusal(response);
    let rest = '';
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
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
      throw new NoAnswer(`${this.url}: ${reasonOf(error)}`, null);
    }
  }

  async #refusal(response: Response): Promise<NoAnswer> {
    const text = await response.text().catch(() => '');
    let message = `answered with status ${response.status}`;
    try {
      message = (JSON.parse(text) as { error: { message: string } }).error.message ?? message;
    } catch {
      // It is not one of our members, or something in between answered.
    }
    return new NoAnswer(`${this.url}: ${oneLine(message)}`, response.status);
  }
}

function reasonOf(error: unknown): string {
  const { name, cause } = error as Error & { cause?: NodeJS.ErrnoException };
  if (name === 'TimeoutError') return 'no answer in time';
  return WORDS[cause?.code ?? ''] ?? cause?.message ?? (error as Error).message;
}

/** `host:port` is enough; without a scheme it is http. */
function readUrl(text: string): string {
  const whole = /^https?:\/\//i.test(text) ? text : `http://${text}`;
  try {
    return new URL(whole).href.replace(/\/+$/, '');
  } catch {
    throw new Refusal(`URL: expected http://HOST:PORT, found ${JSON.stringify(text)}`);
  }
}
