import type { Cause } from '../core/index.ts';
import type { Clock } from './clock.ts';
import type { Held } from './seat.ts';

/** A timer may fire some milliseconds late, so a leadership ends this long before another participant may act. */
const EARLY_MS = 5;
/** An event loop that is late by this much was blocked; a busy one is late by less. */
const BLOCKED_MS = 50;
/** It does not wake more often than this before the end: with short leases, each wake-up costs as much as a heartbeat. */
const LEAST_REST_MS = 100;

function duration(ms: number): string {
  return ms < 100 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

/**
 * Ends a leadership by the clock, whatever its seat says: a seat may wait for an answer that never comes, and a
 * process whose event loop was blocked hears of everything too late. It wakes several times during a long lease, so
 * that after a stall it knows how long the stall was.
 */
export class Deadline {
  readonly #held: Held;
  readonly #clock: Clock;
  readonly #onEnd: (cause: Cause, detail: string) => void;
  /** The longest remaining time ever seen: about the length of the lease. */
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

  /** How long we may still act; never negative. */
  get leftMs(): number {
    return this.#isOver ? 0 : this.heldMs;
  }

  /** How long no other participant may act, also after the work was told to stop; never negative. */
  get heldMs(): number {
    const leftMs = this.#held.expiresAtMs - this.#clock.now();
    return Math.max(0, leftMs - Math.min(EARLY_MS, this.#leaseMs / 10));
  }

  /** Checks the clock now, and returns whether the leadership is still valid. Once false, it stays false. */
  look(): boolean {
    if (this.#isOver) return false;
    if (this.leftMs > 0) return true;
    const lateMs = this.#clock.now() - this.#wakeAtMs;
    this.stop();
    if (lateMs >= Math.min(BLOCKED_MS, this.#leaseMs / 2)) {
      this.#onEnd('event-loop-blocked', `the event loop was blocked for ${duration(lateMs)}`);
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
    // Never 0: rounding may leave a tiny rest again and again.
    const delayMs = Math.max(0.01, Math.min(this.leftMs, Math.max(LEAST_REST_MS, this.#leaseMs / 4)));
    this.#wakeAtMs = nowMs + delayMs;
    this.#stopTimer = this.#clock.after(delayMs, () => this.start());
  }
}
