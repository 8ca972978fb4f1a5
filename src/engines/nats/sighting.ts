/** The shortest delay between two reads of a lease that should have expired. */
const LATE_MS = 10;

/**
 * When we first saw the newest revision of a lease, on our own clock. The server does not tell its time, and its wall
 * clock is not ours, so we count from this: the lease cannot expire earlier than one full lease time after its last
 * renewal was requested. And it has expired once we saw it unchanged for that long, even if the server keeps it
 * because its clock was set back.
 */
export class Sighting {
  readonly #leaseMs: () => number;
  /** The revision, and its holder: a bucket that was created again counts from 1. Null: there is nothing. */
  #mark: string | null = null;
  #atMs = 0;
  #isFresh = false;

  constructor(leaseMs: () => number) {
    this.#leaseMs = leaseMs;
  }

  /** `isFresh`: it was written at about this moment, not at some earlier time. */
  note(revision: number, whose: string, nowMs: number, isFresh: boolean): void {
    const mark = `${revision} ${whose}`;
    if (mark === this.#mark) return;
    this.#mark = mark;
    this.#atMs = nowMs;
    this.#isFresh = isFresh;
  }

  /** The lease was released: there is nothing to wait for. */
  clear(): void {
    this.#mark = null;
  }

  /** When to check again whether it has expired. If the server is late, ever less often. */
  freeInMs(nowMs: number): number {
    const leftMs = this.#atMs + this.#leaseMs() - nowMs;
    return leftMs > 0 ? leftMs : Math.max(LATE_MS, -leftMs);
  }

  /** How long its holder may still act, even if the server has lost it: 0 if we know of none. */
  owedMs(nowMs: number): number {
    if (this.#mark === null || !this.#isFresh) return 0;
    return Math.max(0, this.#atMs + this.#leaseMs() - nowMs);
  }

  /** No participant may act on it any more, whether or not the server still has it. */
  isOver(nowMs: number): boolean {
    return this.#mark !== null && nowMs >= this.#atMs + this.#leaseMs();
  }
}
