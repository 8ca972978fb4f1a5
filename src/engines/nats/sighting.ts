/** Between two looks at something that should have run out by now, at least. */
const LATE_MS = 10;

/**
 * When we first saw the newest revision of a lease, on our own clock. The server does not tell its time, and its wall clock is not
 * ours, so this is what we count from: a lease cannot run out earlier than its whole time after its last renewal was asked for.
 * And it is over when we saw it unchanged for that long, also if the server keeps it, as after its clock was set back.
 */
export class Sighting {
  readonly #leaseMs: () => number;
  /** The revision, and whose it is: a bucket that was made anew counts from 1 again. Null: there is nothing. */
  #mark: string | null = null;
  #atMs = 0;
  #isFresh = false;

  constructor(leaseMs: () => number) {
    this.#leaseMs = leaseMs;
  }

  /** `isFresh`: it was written at about this moment, and not at some time before. */
  note(revision: number, whose: string, nowMs: number, isFresh: boolean): void {
    const mark = `${revision} ${whose}`;
    if (mark === this.#mark) return;
    this.#mark = mark;
    this.#atMs = nowMs;
    this.#isFresh = isFresh;
  }

  /** It was given up, and there is nothing to wait for. */
  clear(): void {
    this.#mark = null;
  }

  /** When to look again whether it has run out. If the server is late, ever less often. */
  freeInMs(nowMs: number): number {
    const leftMs = this.#atMs + this.#leaseMs() - nowMs;
    return leftMs > 0 ? leftMs : Math.max(LATE_MS, -leftMs);
  }

  /** For how long its holder may still act on it, even if the server has forgotten it: 0 if we do not know of any. */
  owedMs(nowMs: number): number {
    if (this.#mark === null || !this.#isFresh) return 0;
    return Math.max(0, this.#atMs + this.#leaseMs() - nowMs);
  }

  /** No participant may act on it any more, whether or not the server still has it. */
  isOver(nowMs: number): boolean {
    return this.#mark !== null && nowMs >= this.#atMs + this.#leaseMs();
  }
}
