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
 * process whose event loop was blocked hears of everything too late. It is looked at several times during a long lease,
 * so that after a stall it is known how long the stall was. One timer serves all leaderships of a process.
 */
export class Deadline {
  readonly #held: Held;
  readonly #clock: Clock;
  readonly #onEnd: (cause: Cause, detail: string) => void;
  /** The longest remaining time ever seen: about the length of the lease. */
  #leaseMs = 0;
  /** The end of the lease as it was last read. */
  #endsAtMs = Number.NEGATIVE_INFINITY;
  /** Null before the start. */
  #watch: DeadlineWatch | null = null;
  readonly #madeAtMs: number;
  #isOver = false;

  constructor(held: Held, clock: Clock, onEnd: (cause: Cause, detail: string) => void) {
    this.#held = held;
    this.#clock = clock;
    this.#onEnd = onEnd;
    this.#madeAtMs = clock.now();
  }

  start(): void {
    if (!this.look()) return;
    this.#watch = DeadlineWatch.of(this.#clock);
    this.#watch.add(this);
  }

  /** How long we may still act; never negative. */
  get leftMs(): number {
    return this.#isOver ? 0 : this.heldMs;
  }

  /** How long no other participant may act, also after the work was told to stop; never negative. */
  get heldMs(): number {
    return this.#leftOf(this.#held.expiresAtMs, this.#clock.now());
  }

  /** Checks the clock now, and returns whether the leadership is still valid. Once false, it stays false. */
  look(): boolean {
    if (this.#isOver) return false;
    if (this.leftMs > 0) return true;
    const lateMs = this.#clock.now() - (this.#watch?.wakeAtMs ?? this.#madeAtMs);
    this.stop();
    if (lateMs >= Math.min(BLOCKED_MS, this.#leaseMs / 2)) {
      this.#onEnd('event-loop-blocked', `the event loop was blocked for ${duration(lateMs)}`);
    } else {
      this.#onEnd('lease-expired', 'the lease ran out and was not renewed');
    }
    return false;
  }

  /** Was it limited in time when it was last read? */
  get hasEnd(): boolean {
    return this.#endsAtMs < Number.POSITIVE_INFINITY;
  }

  /** Has the end come closer since it was read? */
  get isShortened(): boolean {
    return this.#held.expiresAtMs < this.#endsAtMs;
  }

  /**
   * How soon it has to be looked at again; Infinity if it never has to be. Renewals only move the end of a lease, so an
   * end that is not near is not read again, unless `anew`: thousands of leases take longer to read than all else that a
   * process at rest does.
   */
  restMs(nowMs: number, anew: boolean): number {
    const restMs = Math.max(LEAST_REST_MS, this.#leaseMs / 4);
    if (!anew && this.#endsAtMs < Number.POSITIVE_INFINITY && this.#leftOf(this.#endsAtMs, nowMs) > restMs)
      return restMs;
    const { expiresAtMs } = this.#held;
    this.#endsAtMs = expiresAtMs;
    if (expiresAtMs === Number.POSITIVE_INFINITY) return Number.POSITIVE_INFINITY;
    this.#leaseMs = Math.max(this.#leaseMs, expiresAtMs - nowMs);
    return Math.min(this.#leftOf(expiresAtMs, nowMs), Math.max(LEAST_REST_MS, this.#leaseMs / 4));
  }

  stop(): void {
    this.#isOver = true;
    this.#watch?.remove(this);
  }

  #leftOf(expiresAtMs: number, nowMs: number): number {
    return Math.max(0, expiresAtMs - nowMs - Math.min(EARLY_MS, this.#leaseMs / 10));
  }
}

const watches = new WeakMap<Clock, DeadlineWatch>();

/**
 * Looks at all leaderships that count on one clock, together: whenever the first of them has to be looked at. With a
 * timer each, a thousand leaderships would wake their process thousands of times a second.
 */
class DeadlineWatch {
  /** When the timer is due. A look after that is late. */
  wakeAtMs = Number.POSITIVE_INFINITY;
  readonly #clock: Clock;
  readonly #deadlines = new Set<Deadline>();
  #stopTimer: (() => void) | null = null;

  static of(clock: Clock): DeadlineWatch {
    const watch = watches.get(clock) ?? new DeadlineWatch(clock);
    watches.set(clock, watch);
    return watch;
  }

  private constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(deadline: Deadline): void {
    this.#deadlines.add(deadline);
    const nowMs = this.#clock.now();
    this.#wakeBy(nowMs, deadline.restMs(nowMs, true));
  }

  remove(deadline: Deadline): void {
    this.#deadlines.delete(deadline);
    if (this.#deadlines.size > 0) return;
    this.#stopTimer?.();
    this.#stopTimer = null;
    this.wakeAtMs = Number.POSITIVE_INFINITY;
  }

  #wakeBy(nowMs: number, restMs: number): void {
    // Never 0: rounding may leave a tiny rest again and again.
    const delayMs = Math.max(0.01, restMs);
    if (delayMs === Number.POSITIVE_INFINITY || this.wakeAtMs <= nowMs + delayMs) return;
    this.#stopTimer?.();
    this.wakeAtMs = nowMs + delayMs;
    this.#stopTimer = this.#clock.after(delayMs, () => this.#onTimer());
  }

  #onTimer(): void {
    this.#stopTimer = null;
    let nowMs = this.#clock.now();
    // After a stall every lease is read: one that became shorter meanwhile, since its times were changed, may have ended.
    let restMs = this.#leastRestMs(nowMs, nowMs - this.wakeAtMs >= BLOCKED_MS);
    try {
      // Until all were looked at, the timer counts as due: they are late by the same stall.
      if (restMs === 0) for (const deadline of [...this.#deadlines]) deadline.look();
    } finally {
      this.wakeAtMs = Number.POSITIVE_INFINITY;
      if (restMs === 0) {
        nowMs = this.#clock.now();
        restMs = this.#leastRestMs(nowMs, false);
      }
      this.#wakeBy(nowMs, restMs);
    }
  }

  #leastRestMs(nowMs: number, hasStalled: boolean): number {
    const anew = hasStalled || this.#areShortened();
    let leastMs = Number.POSITIVE_INFINITY;
    for (const deadline of this.#deadlines) leastMs = Math.min(leastMs, deadline.restMs(nowMs, anew));
    return leastMs;
  }

  /** A sleep of the machine ends all leases of the process, so one of them tells. A leadership without a lease does not. */
  #areShortened(): boolean {
    for (const deadline of this.#deadlines) if (deadline.hasEnd) return deadline.isShortened;
    return false;
  }
}
