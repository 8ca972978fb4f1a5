import type { Delay } from '../core/index.ts';
import type { HostClock } from './clock.ts';

export interface Timer {
  readonly setAtMs: number;
  readonly atMs: number;
  /** How often the machine had slept when it was set: a timer says nothing about a sleep in between. */
  readonly sleeps: number;
}

/**
 * The named timers of one election, by deadline, on one alarm of the clock. Most timers are put off before they come due, so
 * the alarm is left as it is when the next deadline moves away: waking once for nothing costs less than setting it anew.
 */
export class Timers {
  readonly #clock: HostClock;
  readonly #fraction: () => number;
  readonly #onAlarm: () => void;
  readonly #timers = new Map<string, Timer>();
  #alarmAtMs = Number.POSITIVE_INFINITY;
  #cancelAlarm: (() => void) | null = null;
  /** How late the first of the timers was that come due now: for so long nothing ran at all. */
  blockedMs = 0;

  /** `fraction` draws from [0, 1). `onAlarm` is called when something may be due, and is expected to call `runDue`. */
  constructor(clock: HostClock, fraction: () => number, onAlarm: () => void) {
    this.#clock = clock;
    this.#fraction = fraction;
    this.#onAlarm = onAlarm;
  }

  get(name: string): Timer | undefined {
    return this.#timers.get(name);
  }

  /** Of a delay within a range, the length is drawn. Returns when it comes due. */
  set(name: string, delay: Delay): number {
    const delayMs = typeof delay === 'number' ? delay : delay[0] + (delay[1] - delay[0]) * this.#fraction();
    const setAtMs = this.#clock.now();
    const { sleeps } = this.#clock;
    const atMs = this.#clock.after(delayMs);
    this.#timers.set(name, { setAtMs, atMs, sleeps });
    this.#setAlarm(atMs);
    return atMs;
  }

  cancel(name: string): void {
    this.#timers.delete(name);
  }

  /** Lets everything happen that is due by the clock, in the order of the deadlines. */
  runDue(onDue: (name: string) => void): void {
    const nowMs = this.#clock.now();
    if (nowMs < this.#alarmAtMs) return; // No deadline lies before the alarm.
    let isFirst = true;
    for (let next = this.#next(); next !== null && next.timer.atMs <= nowMs; next = this.#next()) {
      if (isFirst) this.blockedMs = nowMs - next.timer.atMs;
      isFirst = false;
      this.#timers.delete(next.name);
      onDue(next.name);
    }
    this.blockedMs = 0;
  }

  clear(): void {
    this.#timers.clear();
    this.#cancelAlarm?.();
    this.#cancelAlarm = null;
    this.#alarmAtMs = Number.POSITIVE_INFINITY;
  }

  #next(): { readonly name: string; readonly timer: Timer } | null {
    let first: { name: string; timer: Timer } | null = null;
    for (const [name, timer] of this.#timers) {
      if (first === null || timer.atMs < first.timer.atMs) first = { name, timer };
    }
    return first;
  }

  #setAlarm(atMs: number): void {
    if (this.#alarmAtMs <= atMs) return;
    this.#cancelAlarm?.();
    this.#alarmAtMs = atMs;
    this.#cancelAlarm = this.#clock.set(atMs, () => {
      this.#cancelAlarm = null;
      // Until it returns no other alarm is set: one is enough for all that these timers set.
      try {
        this.#onAlarm();
      } finally {
        this.#alarmAtMs = Number.POSITIVE_INFINITY;
        const next = this.#next();
        if (next !== null) this.#setAlarm(next.timer.atMs);
      }
    });
  }
}
