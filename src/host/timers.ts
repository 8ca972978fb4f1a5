import type { Delay } from '../core/index.ts';
import type { HostClock } from './clock.ts';
import type { HostPorts } from './ports.ts';

type TimerPorts = Pick<HostPorts, 'fraction' | 'waits'>;

/** A timer that runs. Setting it again changes it. */
export interface Timer {
  readonly name: string;
  endsAtMs: number;
  /** From when it was set until it comes due. */
  lengthMs: number;
  /** How often the machine had slept when the timer was set. After another sleep the timer proves nothing. */
  sleeps: number;
  /** Was its delay drawn from a range? */
  isDrawn: boolean;
  /** It came due, and waits for `goOn`. */
  isWaiting: boolean;
}

/**
 * The named timers of one election, on one alarm of the clock. Most timers are set again before they come due, so the
 * alarm stays where it is when the next deadline moves later: one needless wake-up costs less than setting the alarm
 * again.
 */
export class Timers {
  readonly #clock: HostClock;
  readonly #ports: TimerPorts;
  readonly #host: { wake(): void };
  /** Few: looking through all of them takes no longer than a map, and less memory. */
  #timers: Timer[] = [];
  #alarmAtMs = Number.POSITIVE_INFINITY;
  #cancelAlarm: (() => void) | null = null;
  /** What the clock calls. Null without timers: an election at rest has none. */
  #ring: (() => void) | null = null;
  /** How late the first of the timers that are due now is: the process was blocked for this long. */
  blockedMs = 0;

  /**
   * `wake` is called when a timer may be due, and is expected to call `runDue`. `waits` is asked when a timer is due
   * whose delay was drawn from a range, which protocols do for what processes should not begin at once: an election.
   */
  constructor(clock: HostClock, ports: TimerPorts, host: { wake(): void }) {
    this.#clock = clock;
    this.#ports = ports;
    this.#host = host;
  }

  get(name: string): Readonly<Timer> | undefined {
    return this.#find(name);
  }

  /** A delay that is a range is drawn from that range. Returns the deadline. */
  set(name: string, delay: Delay): number {
    const delayMs = this.#drawn(delay);
    const setAtMs = this.#clock.now();
    const { sleeps } = this.#clock;
    const endsAtMs = this.#clock.after(delayMs, setAtMs);
    const lengthMs = endsAtMs - setAtMs;
    const isDrawn = typeof delay !== 'number';
    const known = this.#find(name);
    if (known === undefined)
      this.#timers.push({ name, endsAtMs, lengthMs, sleeps, isDrawn, isWaiting: false });
    else {
      known.endsAtMs = endsAtMs;
      known.lengthMs = lengthMs;
      known.sleeps = sleeps;
      known.isDrawn = isDrawn;
      known.isWaiting = false;
    }
    this.#setAlarm(endsAtMs);
    return endsAtMs;
  }

  /** The same as if it had been set at an earlier moment. It is overdue if that time has passed. */
  resume(name: string, delay: Delay, sinceMs: number): void {
    const delayMs = this.#drawn(delay);
    const endsAtMs = sinceMs + delayMs;
    const { sleeps } = this.#clock;
    const isDrawn = typeof delay !== 'number';
    const timer = { name, endsAtMs, lengthMs: delayMs, sleeps, isDrawn, isWaiting: false };
    const i = this.#timers.findIndex((each) => each.name === name);
    if (i < 0) this.#timers.push(timer);
    else this.#timers[i] = timer;
    this.#setAlarm(endsAtMs);
  }

  cancel(name: string): void {
    const i = this.#timers.findIndex((each) => each.name === name);
    if (i >= 0) this.#timers.splice(i, 1);
  }

  /** Runs all timers that are due, in the order of their deadlines. */
  runDue(onDue: (name: string) => void): void {
    const nowMs = this.#clock.now();
    if (nowMs < this.#alarmAtMs) return; // No deadline is before the alarm.
    let isFirst = true;
    for (let next = this.#next(); next !== null && next.endsAtMs <= nowMs; next = this.#next()) {
      if (next.isDrawn && this.#ports.waits?.() === true) {
        next.isWaiting = true;
        continue;
      }
      if (isFirst) this.blockedMs = nowMs - next.endsAtMs;
      isFirst = false;
      this.#timers.splice(this.#timers.indexOf(next), 1);
      onDue(next.name);
    }
    this.blockedMs = 0;
  }

  /** Timers that were due and waited run now. False: none waited. */
  goOn(): boolean {
    if (!this.#timers.some(({ isWaiting }) => isWaiting)) return false;
    for (const timer of this.#timers) timer.isWaiting = false;
    this.#cancelAlarm?.();
    this.#alarmAtMs = Number.NEGATIVE_INFINITY;
    this.#onRing();
    return true;
  }

  clear(): void {
    this.#timers = [];
    this.#cancelAlarm?.();
    this.#cancelAlarm = null;
    this.#alarmAtMs = Number.POSITIVE_INFINITY;
    this.#ring = null;
  }

  #drawn(delay: Delay): number {
    return typeof delay === 'number' ? delay : delay[0] + (delay[1] - delay[0]) * this.#ports.fraction();
  }

  #find(name: string): Timer | undefined {
    for (const timer of this.#timers) if (timer.name === name) return timer;
    return undefined;
  }

  #next(): Timer | null {
    let first: Timer | null = null;
    for (const timer of this.#timers) {
      if (timer.isWaiting) continue;
      if (first === null || timer.endsAtMs < first.endsAtMs) first = timer;
    }
    return first;
  }

  /** Mostly none is: the deadline for which the alarm was set has moved, and nothing else need be looked at. */
  get #isOneDue(): boolean {
    const next = this.#next();
    return next !== null && next.endsAtMs <= this.#clock.now();
  }

  #setAlarm(atMs: number): void {
    if (this.#alarmAtMs <= atMs) return;
    this.#cancelAlarm?.();
    this.#alarmAtMs = atMs;
    this.#ring ??= () => this.#onRing();
    this.#cancelAlarm = this.#clock.set(atMs, this.#ring);
  }

  #onRing(): void {
    this.#cancelAlarm = null;
    // No other alarm is set until this returns: one alarm is enough for all timers that are set meanwhile.
    try {
      if (this.#isOneDue) this.#host.wake();
    } finally {
      this.#alarmAtMs = Number.POSITIVE_INFINITY;
      const next = this.#next();
      if (next !== null) this.#setAlarm(next.endsAtMs);
    }
  }
}
