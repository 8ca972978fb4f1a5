/**
 * How long a lease of another participant was seen without a change, on our own clock.
 *
 * A store ends a lease by its wall clock. If that is set back by an hour just before a leader dies, its lease seems to last for
 * an hour more, and there would be no leader meanwhile. But a leader renews, and every renewal leaves another mark; and it acts for no
 * longer than its lease after it has asked for one. So a participant that has seen the same mark for that long knows that the lease is over.
 *
 * It needs the length of the holder's lease, which may be another than ours. Where that is unknown the store alone decides.
 */
export class Unchanged {
  #mark: string | null = null;
  #overAtMs = Number.POSITIVE_INFINITY;

  /** `nowMs`: after the answer has come. `mark`: null if no participant holds it. `lastsMs`: null if the store does not tell. */
  see(mark: string | null, lastsMs: number | null, nowMs: number): void {
    if (mark === this.#mark) return;
    this.#mark = mark;
    this.#overAtMs = mark === null || lastsMs === null ? Number.POSITIVE_INFINITY : nowMs + lastsMs;
  }

  /** When what was last seen is over by our own clock; Infinity if that cannot be said. */
  freeInMs(nowMs: number): number {
    return Math.max(0, this.#overAtMs - nowMs);
  }

  /** The mark of a lease that is over, whatever the store says; null if there is none. */
  overMark(nowMs: number): string | null {
    return nowMs >= this.#overAtMs ? this.#mark : null;
  }
}
