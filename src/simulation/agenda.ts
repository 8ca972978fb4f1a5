import type { WorldEvent } from './scenario.ts';
import { tidyMs, toUs } from './time.ts';

/** The events of a scenario that are still to come, in their order. */
export class Agenda {
  #events: readonly WorldEvent[];
  #next = 0;
  /** When the next one is due: kept, since it is asked for at every step. */
  nextUs: number;

  constructor(events: readonly WorldEvent[]) {
    this.#events = events;
    this.nextUs = this.#dueUs();
  }

  /** The next event. There must be one. */
  take(): WorldEvent {
    const event = this.#events[this.#next]!;
    this.#next += 1;
    this.nextUs = this.#dueUs();
    return event;
  }

  /** What is left begins at this moment, and keeps its distances. */
  bringForward(toMs: number): void {
    const left = this.#events.slice(this.#next);
    const byMs = (left[0]?.atMs ?? toMs) - toMs;
    this.#events = left.map((event) => ({ ...event, atMs: tidyMs(event.atMs - byMs) }));
    this.#next = 0;
    this.nextUs = this.#dueUs();
  }

  #dueUs(): number {
    const event = this.#events[this.#next];
    return event === undefined ? Number.POSITIVE_INFINITY : toUs(event.atMs);
  }
}
