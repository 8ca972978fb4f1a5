import { anyOf, type Clock } from '../../election/index.ts';
import type { Connection } from './connection.ts';
import type { Source } from './source.ts';
import type { Table } from './table.ts';

/**
 * Called when something has happened under this token, or when its holder is asked to resign; null: something may
 * have happened.
 */
export type Hear = (fence: bigint | null, isRequest: boolean) => void;

const SHORTEST_MS = 100;
const LONGEST_MS = 5000;

/**
 * The connection on which we are notified of changes. It only affects speed: without it, or behind a pooler that
 * drops notifications, each participant polls.
 */
export class Listener {
  readonly #source: Source;
  readonly #table: Table;
  readonly #clock: Clock;
  readonly #openMs: number;
  readonly #isOurs: (sender: number | null) => boolean;
  readonly #hearers = new Map<string, Hear>();
  readonly #closed = new AbortController();
  #connection: Connection | null = null;
  #isRunning = false;
  #failures = 0;
  #stopWaiting: () => void = () => {};

  /** `isOurs`: was it our own statement? What it did is known from its answer. */
  constructor(
    source: Source,
    table: Table,
    clock: Clock,
    openMs: number,
    isOurs: (sender: number | null) => boolean,
  ) {
    this.#isOurs = isOurs;
    this.#source = source;
    this.#table = table;
    this.#clock = clock;
    this.#openMs = openMs;
  }

  /** Returns a function that stops it. */
  add(election: string, hear: Hear): () => void {
    this.#hearers.set(election, hear);
    if (!this.#isRunning) {
      this.#isRunning = true;
      void this.#connect();
    }
    return () => {
      if (this.#hearers.get(election) === hear) this.#hearers.delete(election);
    };
  }

  async #connect(): Promise<void> {
    if (this.#closed.signal.aborted) return;
    const late = new AbortController();
    const stop = this.#clock.after(this.#openMs, () => late.abort());
    const signal = anyOf([late.signal, this.#closed.signal]);
    try {
      this.#connection = await this.#source.open(signal);
      await this.#connection.query(`LISTEN ${this.#table.channel}`, [], signal);
      this.#failures = 0;
      this.#connection.listen(
        (payload, sender) => this.#onNotice(payload, sender),
        () => this.#connectLater(),
      );
      // Earlier changes were not reported.
      for (const hear of [...this.#hearers.values()]) hear(null, false);
    } catch {
      // The calls of the elections meet the same error and report it.
      this.#connection?.destroy();
      this.#connectLater();
    } finally {
      stop();
    }
  }

  #connectLater(): void {
    if (this.#closed.signal.aborted) return;
    const waitMs = Math.min(SHORTEST_MS * 2 ** this.#failures, LONGEST_MS) * (1 + Math.random() / 5);
    this.#failures += 1;
    this.#stopWaiting = this.#clock.after(waitMs, () => void this.#connect());
  }

  #onNotice(payload: string, sender: number | null): void {
    const [, request, fence, election] = /^(asked )?(\d{1,19}) (.*)$/s.exec(payload) ?? [];
    if (fence === undefined || election === undefined) return;
    // A program may request its own resignation.
    if (request !== undefined || !this.#isOurs(sender))
      this.#hearers.get(election)?.(BigInt(fence), request !== undefined);
  }

  async close(): Promise<void> {
    this.#closed.abort();
    this.#stopWaiting();
    await this.#connection?.close();
  }
}
