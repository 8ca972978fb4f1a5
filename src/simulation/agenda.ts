import type { WorldEvent } from './scenario.ts';
import { tidyMs, toUs } from './time.ts';

/** The events of a scenario that are still to come, in their order. The list may grow while the world runs: in the playground it does. */
export class Agenda {
  #events: readonly WorldEvent[];
  #next = 0;
  /** The event that was looked at last, and when it is due: kept, since it is asked for at every step. */
  #seen: WorldEvent | undefined;
  #seenUs = 0;

  constructor(events: readonly WorldEvent[]) {
    this.#events = events;
  }

  /** When the next event is due. */
  get nextUs(): number {
    const event = this.#events[this.#next];
    if (event === undefined) return Number.POSITIVE_INFINITY;
    if (event !== this.#seen) {
      this.#seen = event;
      this.#seenUs = toUs(event.atMs);
    }
    return this.#seenUs;
  }

  /** The next event. There must be one. */
  take(): WorldEvent {
    const event = this.#events[this.#next]!;
    this.#next += 1;
    return event;
  }

  /** What is left begins at this moment, and keeps its distances. */
  bringForward(toMs: number): void {
    const left = this.#events.slice(this.#next);
    const byMs = (left[0]?.atMs ?? toMs) - toMs;
    this.#events = left.map((event) => ({ ...event, atMs: tidyMs(event.atMs - byMs) }));
    this.#next = 0;
  }
}
