import type { HostClock } from '../host/index.ts';
import { toUs } from './time.ts';

/** What a clock needs of the world. */
export interface WorldTime {
  readonly nowUs: number;
  /** Calls once, not before that moment of the world. */
  alarm(atUs: number, ring: () => void): void;
}

interface Alarm {
  readonly atMs: number;
  readonly run: () => void;
  /** How many times it was scheduled: only the last time counts. 0 once it is cancelled. */
  scheduled: number;
}

/**
 * The monotonic clock of one simulated process. It may run faster or slower than the world: at rate 2, a second of the world is two
 * seconds here, and a timer of one second comes due after half a second of the world.
 */
export class ProcessClock implements HostClock {
  readonly sleeps = 0;
  readonly sleptMs = 0;

  readonly #world: WorldTime;
  readonly #alarms = new Set<Alarm>();
  #rate = 1;
  /** When the rate last changed, in the time of the world and in that of this clock. */
  #worldUs = 0;
  #localUs = 0;

  constructor(world: WorldTime) {
    this.#world = world;
  }

  get rate(): number {
    return this.#rate;
  }

  /** Every alarm moves with the rate. */
  set rate(rate: number) {
    this.#localUs = this.#nowUs();
    this.#worldUs = this.#world.nowUs;
    this.#rate = rate;
    for (const alarm of this.#alarms) this.#schedule(alarm);
  }

  now(): number {
    return this.#nowUs() / 1000;
  }

  wallNow(): number {
    return this.#world.nowUs / 1000;
  }

  /** At least one microsecond, so that no run loops without time passing. */
  after(delayMs: number): number {
    return (this.#nowUs() + Math.max(1, toUs(delayMs))) / 1000;
  }

  set(atMs: number, run: () => void): () => void {
    const alarm: Alarm = { atMs, run, scheduled: 0 };
    this.#alarms.add(alarm);
    this.#schedule(alarm);
    return () => {
      this.#alarms.delete(alarm);
      alarm.scheduled = 0;
    };
  }

  /** The first whole microsecond of the world at which this clock shows that moment, or a later one. */
  toWorldUs(atMs: number): number {
    if (atMs === Number.POSITIVE_INFINITY) return atMs;
    // Floating point is not exact: starts slightly too early and searches the first moment that fits.
    let atUs = this.#worldUs + Math.ceil((atMs * 1000 - this.#localUs) / this.#rate - 1e-3);
    while (this.#at(atUs) / 1000 < atMs) atUs += 1;
    return Math.max(atUs, this.#world.nowUs);
  }

  #schedule(alarm: Alarm): void {
    alarm.scheduled += 1;
    const { scheduled } = alarm;
    this.#world.alarm(this.toWorldUs(alarm.atMs), () => this.#ring(alarm, scheduled));
  }

  #ring(alarm: Alarm, scheduled: number): void {
    if (alarm.scheduled !== scheduled) return;
    this.#alarms.delete(alarm);
    alarm.run();
  }

  #nowUs(): number {
    return this.#at(this.#world.nowUs);
  }

  #at(worldUs: number): number {
    return this.#localUs + (worldUs - this.#worldUs) * this.#rate;
  }
}
