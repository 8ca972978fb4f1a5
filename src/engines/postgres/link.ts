import { anyOf, CaucusError } from '../../election/index.ts';
import { unlessAborted } from '../unless-aborted.ts';
import type { Connection, Row } from './connection.ts';

/** The order of statements: a renewal goes before all others, so that no number of them delays a leader. */
export type Rank = 'renewal' | 'other';

interface Waiting {
  readonly rank: Rank;
  readonly begin: () => void;
}

/**
 * The connection that all elections of an engine use, one statement after the other. It is opened again when it
 * broke.
 */
export class Link {
  readonly #openMs: number;
  readonly #open: (signal: AbortSignal) => Promise<Connection>;
  readonly #closed = new AbortController();
  #connection: Connection | null = null;
  #opening: Promise<Connection> | null = null;
  #isBusy = false;
  #waiting: Waiting[] = [];

  constructor(openMs: number, open: (signal: AbortSignal) => Promise<Connection>) {
    this.#openMs = openMs;
    this.#open = open;
  }

  /**
   * Runs one statement when its turn has come. Its text is made only once there is a connection, since the columns of
   * the table are unknown before. Rejects with the signal's reason as soon as that is aborted.
   */
  async query(
    statement: () => string,
    values: readonly unknown[],
    signal: AbortSignal,
    rank: Rank = 'other',
  ): Promise<Row[]> {
    await this.#turn(rank, signal);
    try {
      const connection = await unlessAborted(this.#connected(), signal);
      return await connection.query(statement(), values, signal);
    } finally {
      this.#next();
    }
  }

  /** A caller that stops waiting leaves the queue. */
  async #turn(rank: Rank, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (!this.#isBusy) {
      this.#isBusy = true;
      return;
    }
    let begin = (): void => {};
    const turn = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const waiting = { rank, begin };
    this.#waiting.push(waiting);
    try {
      await unlessAborted(turn, signal);
    } catch (error) {
      // Its turn may have come at the same moment.
      if (this.#waiting.includes(waiting)) this.#waiting = this.#waiting.filter((each) => each !== waiting);
      else this.#next();
      throw error;
    }
  }

  #next(): void {
    const next = this.#waiting.find(({ rank }) => rank === 'renewal') ?? this.#waiting[0];
    this.#waiting = this.#waiting.filter((each) => each !== next);
    this.#isBusy = next !== undefined;
    next?.begin();
  }

  /** The server's process behind the current connection; null if there is none, or the client does not tell. */
  get processId(): number | null {
    return this.#connection?.isBroken === false ? this.#connection.processId : null;
  }

  /** Continues when the caller no longer waits, so that a slow connection attempt is not restarted every time. */
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
      this.#connection = await this.#open(anyOf([late.signal, this.#closed.signal]));
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
