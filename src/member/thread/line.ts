/** Calls between two threads: each side offers functions to the other, and gets their results and errors. */
import { BadInput } from '../../core/index.ts';
import { CaucusError, type ErrorCode } from '../../election/index.ts';

type Functions<T> = { readonly [K in keyof T]: (...given: never[]) => unknown };

/** A thread as seen from the other side. */
interface Port {
  postMessage(message: unknown): void;
  on(event: 'message', listen: (message: unknown) => void): unknown;
}

type Message =
  | { readonly is: 'call'; readonly id: number | null; readonly what: string; readonly given: unknown[] }
  | { readonly is: 'done'; readonly id: number; readonly value: unknown }
  | { readonly is: 'failed'; readonly id: number; readonly error: PlainError };

interface PlainError {
  readonly message: string;
  readonly caucus?: { readonly code: ErrorCode; readonly outcome: 'definite' | 'indefinite' };
  readonly input?: Pick<BadInput, 'path' | 'expected' | 'found'>;
}

export class Line<Theirs extends Functions<Theirs>> {
  readonly #port: Port;
  readonly #ours: Readonly<Record<string, (...given: never[]) => unknown>>;
  readonly #waiting = new Map<
    number,
    { resolve: (value: never) => void; reject: (error: unknown) => void }
  >();
  #calls = 0;
  #end: Error | null = null;

  constructor(port: Port, ours: object) {
    this.#port = port;
    this.#ours = ours as Record<string, (...given: never[]) => unknown>;
    port.on('message', (message) => this.#hear(message as Message));
  }

  /** Calls a function of the other side. */
  call<K extends keyof Theirs & string>(
    what: K,
    ...given: Parameters<Theirs[K]>
  ): Promise<Awaited<ReturnType<Theirs[K]>>> {
    if (this.#end !== null) return Promise.reject(this.#end);
    this.#calls += 1;
    const id = this.#calls;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#post({ is: 'call', id, what, given });
    });
  }

  /** The same without an answer. */
  tell<K extends keyof Theirs & string>(what: K, ...given: Parameters<Theirs[K]>): void {
    if (this.#end === null) this.#post({ is: 'call', id: null, what, given });
  }

  /** The other side is gone: all calls fail with this error. */
  close(error: Error): void {
    this.#end ??= error;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }

  #post(message: Message): void {
    this.#port.postMessage(message);
  }

  #hear(message: Message): void {
    if (message.is === 'call') {
      void this.#answer(message);
      return;
    }
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (message.is === 'done') waiting?.resolve(message.value as never);
    else waiting?.reject(errorOf(message.error));
  }

  async #answer({ id, what, given }: Extract<Message, { is: 'call' }>): Promise<void> {
    try {
      const value = await this.#ours[what]!(...(given as never[]));
      if (id !== null) this.#post({ is: 'done', id, value });
    } catch (error) {
      if (id === null) throw error;
      this.#post({ is: 'failed', id, error: plain(error) });
    }
  }
}

/** Errors lose their class on the way to another thread. */
function plain(error: unknown): PlainError {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof CaucusError) return { message, caucus: { code: error.code, outcome: error.outcome } };
  if (!(error instanceof BadInput)) return { message };
  const { path, expected, found } = error;
  return { message, input: { path, expected, found } };
}

function errorOf({ message, caucus, input }: PlainError): Error {
  if (caucus !== undefined) return new CaucusError(caucus.code, message, { outcome: caucus.outcome });
  return input === undefined ? new Error(message) : new BadInput(input.path, input.expected, input.found);
}
