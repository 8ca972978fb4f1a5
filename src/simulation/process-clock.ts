import type { HostClock } from '../host/index.ts';
import type { Due } from './queue.ts';
import { toUs } from './time.ts';

export interface Alarm {
  readonly atMs: number;
  readonly run: () => void;
  /** Its place in the queue of the world: it moves with the rate of the clock. Null once it is cancelled or has rung. */
  due: Due | null;
}

/**
 * The monotonic clock of one simulated process. It may run faster or slower than the world: at rate 2, a second of the world is two
 * seconds here, and a timer of one second comes due after half a second of the world.
 */
export class ProcessClock implements HostClock {
  sleeps = 0;
  sleptMs = 0;

  readonly #world: { readonly nowUs: number };
  readonly #put: (atUs: number, alarm: Alarm) => Due;
  /** Those that are set: seldom more than one, so a list costs least. */
  readonly #alarms: Alarm[] = [];
  #rate = 1;
  /** When the rate last changed, in the time of the world and in that of this clock. */
  #worldUs = 0;
  #localUs = 0;

  /** `put` queues a call of `ring`, not before that moment of the world. */
  constructor(world: { readonly nowUs: number }, put: (atUs: number, alarm: Alarm) => Due) {
    this.#world = world;
    this.#put = put;
  }

  get rate(): number {
    return this.#rate;
  }

  /** Every alarm moves with the rate. */
  set rate(rate: number) {
    this.#localUs = this.#nowUs();
    this.#worldUs = this.#world.nowUs;
    this.#rate = rate;
    for (const alarm of this.#alarms) alarm.due = this.#put(this.toWorldUs(alarm.atMs), alarm);
  }

  /** The machine slept until now, for so long, and the clock stood still: no alarm that came due meanwhile rings yet. */
  sleep(forMs: number): void {
    this.#localUs = this.#at(this.#world.nowUs - toUs(forMs));
    this.#worldUs = this.#world.nowUs;
    this.sleeps += 1;
    this.sleptMs = forMs;
    for (const alarm of this.#alarms) alarm.due = this.#put(this.toWorldUs(alarm.atMs), alarm);
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
    const alarm: Alarm = { atMs, run, due: null };
    this.#alarms.push(alarm);
    alarm.due = this.#put(this.toWorldUs(atMs), alarm);
    return () => this.#end(alarm);
  }

  /** This place of the alarm in the queue has come. */
  ring(alarm: Alarm, due: Due): void {
    if (alarm.due !== due) return; // It was moved or cancelled.
    this.#end(alarm);
    alarm.run();
  }

  /** The first whole microsecond of the world at which this clock shows that moment, or a later one. */
  toWorldUs(atMs: number): number {
    if (atMs === Number.POSITIVE_INFINITY) return atMs;
    // Floating point is not exact: starts slightly too early and searches the first moment that fits.
    let atUs = this.#worldUs + Math.ceil((atMs * 1000 - this.#localUs) / this.#rate - 1e-3);
    while (this.#at(atUs) / 1000 < atMs) atUs += 1;
    return Math.max(atUs, this.#world.nowUs);
  }

  #end(alarm: Alarm): void {
    if (alarm.due === null) return;
    alarm.due = null;
    if (this.#alarms.at(-1) === alarm) this.#alarms.pop();
    else this.#alarms.splice(this.#alarms.indexOf(alarm), 1);
  }

  #nowUs(): number {
    return this.#at(this.#world.nowUs);
  }

  #at(worldUs: number): number {
    return this.#localUs + (worldUs - this.#worldUs) * this.#rate;
  }
}
