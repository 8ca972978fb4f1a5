import type { MemberId, Message } from '../../../../src/core/index.ts';
import { countUpTo } from './track.ts';

/** `arriving` also while it is in flight; `unknown` in a recording that does not tell. */
export type Fate = 'arriving' | 'lost' | 'cut' | 'dropped' | 'held' | 'duplicated' | 'unknown';

/** One message in flight. */
export interface Flight {
  /** The number by which a scenario can name it; -1 if it was never sent. */
  readonly id: number;
  readonly from: MemberId;
  readonly to: MemberId;
  readonly message: Message;
  readonly sentMs: number;
  readonly dueMs: number;
  /** For a copy made in flight: when the first one left its sender. */
  leftMs?: number;
  /** The entry that sent it, and the entry of its arrival; -1 if there is none. */
  readonly sentBy: number;
  arrivedAs: number;
  fate: Fate;
  /** When it left the stage: at its arrival, or when it was intercepted. */
  endMs: number;
}

const BUCKET_MS = 100;
/** A message that is in flight for longer than this is kept separately; otherwise it would be in a thousand buckets. */
const LONG_MS = 2000;

/** All messages of a run, indexed by time. */
export class Flights {
  readonly all: Flight[] = [];
  readonly sentMs: number[] = [];
  /** The messages in flight in each tenth of a second, except the long ones. */
  readonly #buckets = new Map<number, Flight[]>();
  readonly #long: Flight[] = [];
  readonly #byId = new Map<number, Flight>();

  get(id: number): Flight | undefined {
    return this.#byId.get(id);
  }

  /** Its index in `all`: selections and causes use it. */
  placeOf(flight: Flight): number {
    let at = countUpTo(this.sentMs, flight.sentMs) - 1;
    while (at >= 0 && this.all[at] !== flight) at -= 1;
    return at;
  }

  add(flight: Flight): void {
    this.all.push(flight);
    this.sentMs.push(flight.sentMs);
    if (flight.id >= 0) this.#byId.set(flight.id, flight);
    if (flight.dueMs - flight.sentMs > LONG_MS) {
      this.#long.push(flight);
      return;
    }
    const last = Math.floor(flight.dueMs / BUCKET_MS);
    for (let i = Math.floor(flight.sentMs / BUCKET_MS); i <= last; i++) {
      const bucket = this.#buckets.get(i);
      if (bucket === undefined) this.#buckets.set(i, [flight]);
      else bucket.push(flight);
    }
  }

  inAirAt(ms: number): Flight[] {
    const isInAir = (each: Flight): boolean => each.sentMs <= ms && ms < each.endMs;
    const bucket = this.#buckets.get(Math.floor(ms / BUCKET_MS)) ?? [];
    return [...this.#long.filter(isInAir), ...bucket.filter(isInAir)];
  }

  /** The messages in flight at any moment between. */
  between(fromMs: number, toMs: number): Flight[] {
    const isBetween = (each: Flight): boolean => each.sentMs <= toMs && each.endMs >= fromMs;
    const found = new Set(this.#long.filter(isBetween));
    const last = Math.floor(Math.min(toMs, this.#lastMs) / BUCKET_MS);
    for (let i = Math.max(0, Math.floor(fromMs / BUCKET_MS)); i <= last; i++) {
      for (const each of this.#buckets.get(i) ?? []) if (isBetween(each)) found.add(each);
    }
    return [...found];
  }

  /** When the last of those in the buckets is due at the latest. */
  get #lastMs(): number {
    return (this.sentMs.at(-1) ?? 0) + LONG_MS;
  }
}
