import type { Clock } from '../../election/index.ts';
import { type Api, ApiError } from './api.ts';
import { type Lease, revisionOf } from './lease-object.ts';

export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly lease: Lease;
}

export interface Watcher {
  onEvent(event: WatchEvent): void;
  /** From now on everything is told. What happened before it was perhaps not. */
  onGap(): void;
}

const SHORTEST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 10_000;
/** A stream that lasted this long was a good one. */
const GOOD_MS = 1000;

/**
 * Watches one Lease for ever. It only makes things faster: where it fails, or where we may not watch, those who wait look by
 * themselves. A stream goes on where the one before it ended; where the API server no longer remembers that, from now.
 */
export class LeaseWatch {
  readonly #api: Api;
  readonly #clock: Clock;
  readonly #lateMs: number;
  readonly #election: string;
  readonly #watcher: Watcher;
  #isStopped = false;
  #stream = new AbortController();
  /** Up to here everything was told; 0: nothing yet. */
  #toldUpTo = 0n;
  /** What was read, and when, that the stream has not told. */
  #missing: { readonly revision: bigint; readonly sinceMs: number } | null = null;
  #endWait: () => void = () => {};

  constructor(api: Api, clock: Clock, lateMs: number, election: string, watcher: Watcher) {
    this.#api = api;
    this.#clock = clock;
    this.#lateMs = lateMs;
    this.#election = election;
    this.#watcher = watcher;
    void this.#run();
  }

  stop(): void {
    this.#isStopped = true;
    this.#stream.abort();
    this.#endWait();
  }

  /** This version was read. A stream that does not tell of it in time is dead, however open its connection looks. */
  saw(revision: bigint): void {
    if (this.#missing !== null && this.#missing.revision > this.#toldUpTo) {
      if (this.#clock.now() - this.#missing.sinceMs < this.#lateMs) return;
      this.#stream.abort();
    }
    this.#missing = revision > this.#toldUpTo ? { revision, sinceMs: this.#clock.now() } : null;
  }

  async #run(): Promise<void> {
    let failures = 0;
    while (!this.#isStopped) {
      const sinceMs = this.#clock.now();
      this.#stream = new AbortController();
      try {
        const from = this.#toldUpTo === 0n ? null : String(this.#toldUpTo);
        await this.#api.watch(this.#election, from, this.#stream.signal, {
          onOpen: () => {
            if (from === null) this.#watcher.onGap();
          },
          onLine: (line) => this.#onLine(line),
        });
      } catch (error) {
        // Whatever is wrong with it, the next one begins with how it stands then.
        if (error instanceof ApiError) this.#toldUpTo = 0n;
      }
      failures = this.#clock.now() - sinceMs >= GOOD_MS ? 0 : failures + 1;
      if (!this.#isStopped) await this.#wait(SHORTEST_WAIT_MS * 2 ** Math.min(failures, 10));
    }
  }

  #onLine(line: string): void {
    if (this.#stream.signal.aborted) return;
    const { type, object } = JSON.parse(line) as { type: string; object: unknown };
    if (type === 'ERROR') {
      const { code = 0, message = '' } = object as { code?: number; message?: string };
      throw new ApiError(message, code); // 410: what it should go on from is forgotten.
    }
    const lease = object as Lease;
    this.#toldUpTo = revisionOf(lease);
    if (type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED') this.#watcher.onEvent({ type, lease });
  }

  async #wait(delayMs: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const stopTimer = this.#clock.after(Math.min(delayMs, LONGEST_WAIT_MS), resolve);
      this.#endWait = () => {
        stopTimer();
        resolve();
      };
    });
  }
}
