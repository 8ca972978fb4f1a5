/**
 * How long the lease of another participant was seen without a change, on our own clock.
 *
 * A store expires a lease by its wall clock. If that is set back by an hour just before a leader dies, the lease
 * seems to last an hour longer, and there would be no leader meanwhile. But a leader renews, every renewal changes
 * the mark, and it acts no longer than its lease after a request. So if we have seen the same mark for that long, the
 * lease has expired.
 *
 * This needs the length of the holder's lease, which may differ from ours. If it is unknown, the store alone decides.
 */
export class Unchanged {
  #mark: string | null = null;
  #overAtMs = Number.POSITIVE_INFINITY;

  /**
   * `nowMs`: after the answer has come. `mark`: null if the lease is free. `lastsMs`: null if the store does not
   * tell.
   */
  see(mark: string | null, lastsMs: number | null, nowMs: number): void {
    if (mark === this.#mark) return;
    this.#mark = mark;
    this.#overAtMs = mark === null || lastsMs === null ? Number.POSITIVE_INFINITY : nowMs + lastsMs;
  }

  /** How long until the lease that was last seen has expired by our own clock; Infinity if that is unknown. */
  freeInMs(nowMs: number): number {
    return Math.max(0, this.#overAtMs - nowMs);
  }

  /** The mark of a lease that has expired, whatever the store says; null if there is none. */
  overMark(nowMs: number): string | null {
    return nowMs >= this.#overAtMs ? this.#mark : null;
  }
}
