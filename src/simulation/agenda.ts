import type { WorldEvent } from './scenario.ts';
import { tidyMs, toUs } from './time.ts';

/**
 * The events of a scenario that are still to come, in their order. The list may grow while the world runs, as in the
 * playground.
 */
export class Agenda {
  #events: readonly WorldEvent[];
  #next = 0;
  /** The next event and when it is due: cached, since every step asks for it. */
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

  /** Moves the remaining events so that they begin at this moment, with the same distances. */
  bringForward(toMs: number): void {
    const left = this.#events.slice(this.#next);
    const byMs = (left[0]?.atMs ?? toMs) - toMs;
    this.#events = left.map((event) => ({ ...event, atMs: tidyMs(event.atMs - byMs) }));
    this.#next = 0;
  }
}
