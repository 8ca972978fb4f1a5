import type { MemberId, Message } from '../../../../src/core/index.ts';
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
/** A message that is on its way for longer than this stands apart, or it would stand in a thousand places. */
const LONG_MS = 2000;

/** All messages of a run, found again by time. */
export class Flights {
  readonly all: Flight[] = [];
  readonly sentMs: number[] = [];
  /** Those that were in the air at any moment of each tenth of a second, but for the long ones. */
  readonly #buckets = new Map<number, Flight[]>();
  readonly #long: Flight[] = [];
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

  /** Those that were in the air at any moment between. */
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
