import type { Clock } from '../../election/index.ts';
import { type Api, ApiError } from './api.ts';
import { type Lease, revisionOf } from './lease-object.ts';

export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly lease: Lease;
}

export interface Watcher {
  onEvent(event: WatchEvent): void;
  /** From now on every event is reported. Earlier events may have been missed. */
  onGap(): void;
}

const SHORTEST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 10_000;
/** A stream that lasted this long counts as successful. */
const GOOD_MS = 1000;

/**
 * Watches one Lease until it is closed. It only speeds things up: if it fails, or if the role does not allow it,
 * candidates poll. A stream continues where the last one ended; if the API server no longer has that version, it
 * starts from now.
 */
export class LeaseWatch {
  readonly #api: Api;
  readonly #clock: Clock;
  readonly #lateMs: number;
  readonly #election: string;
  readonly #watcher: Watcher;
  #isStopped = false;
  #stream = new AbortController();
  /** All events up to this version were reported; 0: none yet. */
  #toldUpTo = 0n;
  /** The version that a read returned and the stream has not reported, and since when. */
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

  /**
   * A read returned this version. A stream that does not report it in time is dead, however open its connection
   * looks.
   */
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
        // After any error of the API, the next stream starts with the current state.
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
      throw new ApiError(message, code); // 410: the version to continue from is gone.
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
