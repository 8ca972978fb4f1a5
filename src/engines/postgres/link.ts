import { CaucusError } from '../../election/index.ts';
import { type Connection, type Row, untilAborted } from './connection.ts';

/** The connection that all elections of an engine ask through, one after the other. It is opened anew whenever it broke. */
export class Link {
  readonly #openMs: number;
  readonly #open: (signal: AbortSignal) => Promise<Connection>;
  readonly #closed = new AbortController();
  #connection: Connection | null = null;
  #opening: Promise<Connection> | null = null;
  #last: Promise<unknown> = Promise.resolve();

  constructor(openMs: number, open: (signal: AbortSignal) => Promise<Connection>) {
    this.#openMs = openMs;
    this.#open = open;
  }

  /** Makes one statement when those before it are done. Rejects with the signal's reason as soon as that is aborted. */
  query(text: string, values: readonly unknown[], signal: AbortSignal): Promise<Row[]> {
    const before = this.#last;
    const made = untilAborted(signal, before).then(async () => {
      const connection = await untilAborted(signal, this.#connected());
      return await connection.query(text, values, signal);
    });
    this.#last = before.then(() => made).catch(() => {});
    return made;
  }

  /** Goes on when whoever asked no longer waits, so that a slow beginning is not begun again and again. */
  #connected(): Promise<Connection> {
    if (this.#connection?.isBroken === false) return Promise.resolve(this.#connection);
    if (this.#opening === null) {
      this.#opening = this.#openAnew().finally(() => {
        this.#opening = null;
      });
      this.#opening.catch(() => {});
    }
    return this.#opening;
  }

  async #openAnew(): Promise<Connection> {
    const late = new AbortController();
    const timer = setTimeout(() => {
      late.abort(new CaucusError('E_UNREACHABLE', `no connection within ${Math.round(this.#openMs)} ms`));
    }, this.#openMs);
    try {
      this.#closed.signal.throwIfAborted();
      this.#connection = await this.#open(AbortSignal.any([late.signal, this.#closed.signal]));
      return this.#connection;
    } finally {
      clearTimeout(timer);
    }
  }

  async close(): Promise<void> {
    this.#closed.abort(new CaucusError('E_CLOSED', 'the engine was closed'));
    await this.#opening?.catch(() => {});
    await this.#connection?.close();
  }
}
