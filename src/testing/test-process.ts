import type { MemberId } from '../core/index.ts';
import { type Cancellable, Election, type ElectionOptions, type ProtocolSeat } from '../election/index.ts';
import type { TestHost } from './test-host.ts';
import type { ProcessClock } from './timeline.ts';

/**
 * One life of one member's process, from a start to the next crash. After a crash its code never runs again: pending
 * promises stay pending, its signals are not aborted and its `finally` blocks do not run, as with a real `kill -9`.
 */
export class TestProcess {
  readonly id: MemberId;
  readonly election: Election;
  /** Milliseconds of virtual time. */
  readonly now: () => number;
  /** Sleeps in virtual time: the program under test uses this in place of its timers. */
  readonly sleep: (ms: number, options?: Cancellable) => Promise<void>;
  readonly #host: TestHost;
  readonly #clock: ProcessClock;

  constructor(
    id: MemberId,
    host: TestHost,
    seat: ProtocolSeat,
    clock: ProcessClock,
    options: ElectionOptions,
  ) {
    this.id = id;
    this.election = new Election(seat.election, { seat: () => seat }, { ...options, clock });
    this.#host = host;
    this.#clock = clock;
    this.now = () => clock.now();
    this.sleep = (ms, { signal } = {}) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        const stop = clock.after(ms, () => {
          signal?.removeEventListener('abort', onAbort);
          resolve();
        });
        const onAbort = (): void => {
          stop();
          reject(signal!.reason);
        };
        signal?.addEventListener('abort', onAbort, { once: true });
      });
  }

  get name(): string {
    return this.election.self;
  }

  /**
   * @internal Something may have changed.
   */
  tell(): void {
    this.#host.tell();
  }

  /** @internal */
  pause(): void {
    this.#clock.stop();
  }

  /**
   * @internal Its overdue timers come first, as after a stall of a real event loop.
   */
  resume(): void {
    this.#clock.goOn();
    this.#host.tell();
  }

  /** @internal */
  end(): void {
    this.#clock.end();
    this.#host.end();
  }
}
