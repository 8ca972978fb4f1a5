import type { Delay } from '../core/index.ts';
import type { HostClock } from './clock.ts';

/** A timer that runs. Setting it again changes it. */
export interface Timer {
  readonly name: string;
  endsAtMs: number;
  /** From when it was set until it comes due. */
  lengthMs: number;
  /** How often the machine had slept when the timer was set. After another sleep the timer proves nothing. */
  sleeps: number;
}

/**
 * The named timers of one election, on one alarm of the clock. Most timers are set again before they come due, so the
 * alarm stays where it is when the next deadline moves later: one needless wake-up costs less than setting the alarm
 * again.
 */
export class Timers {
  readonly #clock: HostClock;
  readonly #fraction: () => number;
  readonly #onAlarm: () => void;
  readonly #timers = new Map<string, Timer>();
  #alarmAtMs = Number.POSITIVE_INFINITY;
  #cancelAlarm: (() => void) | null = null;
  /** How late the first of the timers that are due now is: the process was blocked for this long. */
  blockedMs = 0;

  /** `fraction` draws from [0, 1). `onAlarm` is called when a timer may be due, and is expected to call `runDue`. */
  constructor(clock: HostClock, fraction: () => number, onAlarm: () => void) {
    this.#clock = clock;
    this.#fraction = fraction;
    this.#onAlarm = onAlarm;
  }

  get(name: string): Readonly<Timer> | undefined {
    return this.#timers.get(name);
  }

  /** A delay that is a range is drawn from that range. Returns the deadline. */
  set(name: string, delay: Delay): number {
    const delayMs = this.#drawn(delay);
    const setAtMs = this.#clock.now();
    const { sleeps } = this.#clock;
    const endsAtMs = this.#clock.after(delayMs);
    const lengthMs = endsAtMs - setAtMs;
    const known = this.#timers.get(name);
    if (known === undefined) this.#timers.set(name, { name, endsAtMs, lengthMs, sleeps });
    else {
      known.endsAtMs = endsAtMs;
      known.lengthMs = lengthMs;
      known.sleeps = sleeps;
    }
    this.#setAlarm(endsAtMs);
    return endsAtMs;
  }

  /** The same as if it had been set at an earlier moment. It is overdue if that time has passed. */
  resume(name: string, delay: Delay, sinceMs: number): void {
    const delayMs = this.#drawn(delay);
    const endsAtMs = sinceMs + delayMs;
    this.#timers.set(name, { name, endsAtMs, lengthMs: delayMs, sleeps: this.#clock.sleeps });
    this.#setAlarm(endsAtMs);
  }

  cancel(name: string): void {
    this.#timers.delete(name);
  }

  /** Runs all timers that are due, in the order of their deadlines. */
  runDue(onDue: (name: string) => void): void {
    const nowMs = this.#clock.now();
    if (nowMs < this.#alarmAtMs) return; // No deadline is before the alarm.
    let isFirst = true;
    for (let next = this.#next(); next !== null && next.endsAtMs <= nowMs; next = this.#next()) {
      if (isFirst) this.blockedMs = nowMs - next.endsAtMs;
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

  #drawn(delay: Delay): number {
    return typeof delay === 'number' ? delay : delay[0] + (delay[1] - delay[0]) * this.#fraction();
  }

  #next(): Timer | null {
    let first: Timer | null = null;
    for (const timer of this.#timers.values())
      if (first === null || timer.endsAtMs < first.endsAtMs) first = timer;
    return first;
  }

  #setAlarm(atMs: number): void {
    if (this.#alarmAtMs <= atMs) return;
    this.#cancelAlarm?.();
    this.#alarmAtMs = atMs;
    this.#cancelAlarm = this.#clock.set(atMs, this.#ring);
  }

  readonly #ring = (): void => {
    this.#cancelAlarm = null;
    // No other alarm is set until this returns: one alarm is enough for all timers that are set meanwhile.
    try {
      this.#onAlarm();
    } finally {
      this.#alarmAtMs = Number.POSITIVE_INFINITY;
      const next = this.#next();
      if (next !== null) this.#setAlarm(next.endsAtMs);
    }
  };
}
