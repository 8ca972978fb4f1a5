import type { MemberId, Message } from '../../../src/core/index.ts';
import { countUpTo } from './track.ts';

/** `arriving` also while it is still on its way; `unknown` in a recording that does not tell. */
export type Fate = 'arriving' | 'lost' | 'cut' | 'dropped' | 'held' | 'duplicated' | 'unknown';

/** One message on its way. */
export interface Flight {
  /** The number by which a scenario can name it; -1 where it never set out. */
  readonly id: number;
  readonly from: MemberId;
  readonly to: MemberId;
  readonly message: Message;
  readonly sentMs: number;
  readonly dueMs: number;
  /** Of a copy that was made on the way: when the first one left its sender. */
  leftMs?: number;
  /** Which entry of the history sent it, and which one is its arrival; -1 where there is none. */
  readonly sentBy: number;
  arrivedAs: number;
  fate: Fate;
  /** When it left the stage: at its arrival, or where somebody took it off its way. */
  endMs: number;
}

const BUCKET_MS = 100;

/** All messages of a run, found again by time. */
export class Flights {
  readonly all: Flight[] = [];
  readonly sentMs: number[] = [];
  /** Those that were in the air at any moment of each tenth of a second. */
  readonly #buckets: Flight[][] = [];
  readonly #byId = new Map<number, Flight>();

  get(id: number): Flight | undefined {
    return this.#byId.get(id);
  }

  /** Where it stands in `all`: how a selection and a cause name it. */
  placeOf(flight: Flight): number {
    let at = countUpTo(this.sentMs, flight.sentMs) - 1;
    while (at >= 0 && this.all[at] !== flight) at -= 1;
    return at;
  }

  add(flight: Flight): void {
    this.all.push(flight);
    this.sentMs.push(flight.sentMs);
    if (flight.id >= 0) this.#byId.set(flight.id, flight);
    const first = Math.floor(flight.sentMs / BUCKET_MS);
    const last = Math.min(Math.floor(flight.dueMs / BUCKET_MS), first + 1000);
    for (let i = first; i <= last; i++) {
      while (this.#buckets.length <= i) this.#buckets.push([]);
      this.#buckets[i]!.push(flight);
    }
  }

  inAirAt(ms: number): Flight[] {
    const bucket = this.#buckets[Math.floor(ms / BUCKET_MS)] ?? [];
    return bucket.filter((each) => each.sentMs <= ms && ms < each.endMs);
  }

  /** Those that were in the air at any moment between. */
  between(fromMs: number, toMs: number): Flight[] {
    const found = new Set<Flight>();
    const last = Math.min(Math.floor(toMs / BUCKET_MS), this.#buckets.length - 1);
    for (let i = Math.max(0, Math.floor(fromMs / BUCKET_MS)); i <= last; i++) {
      for (const each of this.#buckets[i]!) if (each.sentMs <= toMs && each.endMs >= fromMs) found.add(each);
    }
    return [...found];
  }
}
