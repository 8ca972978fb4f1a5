import type { Cause } from '../core/index.ts';
import type { Clock } from './clock.ts';
import type { Held } from './seat.ts';

/** A timer may come some milliseconds late, so a leadership ends this long before anybody else may act. */
const EARLY_MS = 5;
/** A loop that was late by this much was blocked; a busy one is late by less. */
const BLOCKED_MS = 50;

/**
 * Ends a leadership by the clock, whatever its seat says or fails to say: a seat may wait for an answer that never comes, and a
 * loop that was blocked hears of everything too late. It wakes several times during a lease, so that after a stall it knows how
 * long the stall was.
 */
export class Deadline {
  readonly #held: Held;
  readonly #clock: Clock;
  readonly #onEnd: (cause: Cause, detail: string) => void;
  /** The longest time that was ever left: about the length of the lease. */
  #leaseMs = 0;
  #wakeAtMs: number;
  #stopTimer: () => void = () => {};
  #isOver = false;

  constructor(held: Held, clock: Clock, onEnd: (cause: Cause, detail: string) => void) {
    this.#held = held;
    this.#clock = clock;
    this.#onEnd = onEnd;
    this.#wakeAtMs = clock.now();
  }

  start(): void {
    if (this.look()) this.#wakeLater();
  }

  /** How long it may still be acted upon; never negative. */
  get leftMs(): number {
    return this.#isOver ? 0 : this.heldMs;
  }

  /** How long nobody else may act, also after the work was told to stop; never negative. */
  get heldMs(): number {
    const leftMs = this.#held.expiresAtMs - this.#clock.now();
    return Math.max(0, leftMs - Math.min(EARLY_MS, this.#leaseMs / 10));
  }

  /** Looks at the clock now, and says whether the leadership still stands. It has ended for good if it does not. */
  look(): boolean {
    if (this.#isOver) return false;
    if (this.leftMs > 0) return true;
    const lateMs = this.#clock.now() - this.#wakeAtMs;
    this.stop();
    if (lateMs >= Math.min(BLOCKED_MS, this.#leaseMs / 2)) {
      this.#onEnd('event-loop-blocked', `the event loop was blocked for ${(lateMs / 1000).toFixed(1)} s`);
    } else {
      this.#onEnd('lease-expired', 'the lease ran out and was not renewed');
    }
    return false;
  }

  stop(): void {
    this.#isOver = true;
    this.#stopTimer();
  }

  #wakeLater(): void {
    const { expiresAtMs } = this.#held;
    if (expiresAtMs === Number.POSITIVE_INFINITY) return;
    const nowMs = this.#clock.now();
    this.#leaseMs = Math.max(this.#leaseMs, expiresAtMs - nowMs);
    // Never none at all: sums of fractions may fall a little short of the end, again and again.
    const delayMs = Math.max(0.01, Math.min(this.leftMs, this.#leaseMs / 4));
    this.#wakeAtMs = nowMs + delayMs;
    this.#stopTimer = this.#clock.after(delayMs, () => this.start());
  }
}
