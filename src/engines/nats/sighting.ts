/** Between two looks at something that should have run out by now, at least. */
const LATE_MS = 10;

/**
 * When we first saw the newest revision of a lease, on our own clock. The server does not tell its time, and its wall clock is not
 * ours, so this is what we count from: a lease that we saw a moment ago cannot run out before its whole time from the moment
 * before.
 */
export class Sighting {
  readonly #leaseMs: () => number;
  #revision = 0;
  #atMs = 0;
  #isFresh = false;

  constructor(leaseMs: () => number) {
    this.#leaseMs = leaseMs;
  }

  /** `isFresh`: it was written at about this moment, and not at some time before. */
  note(revision: number, nowMs: number, isFresh: boolean): void {
    if (revision === this.#revision) return;
    this.#revision = revision;
    this.#atMs = nowMs;
    this.#isFresh = isFresh;
  }

  /** It was given up, and nobody needs to wait. */
  clear(): void {
    this.#revision = 0;
  }

  /** When to look again whether it has run out. If the server is late, ever less often. */
  freeInMs(nowMs: number): number {
    const leftMs = this.#atMs + this.#leaseMs() - nowMs;
    return leftMs > 0 ? leftMs : Math.max(LATE_MS, -leftMs);
  }

  /** For how long its holder may still act on it, even if the server has forgotten it: 0 if we do not know of any. */
  owedMs(nowMs: number): number {
    if (this.#revision === 0 || !this.#isFresh) return 0;
    return Math.max(0, this.#atMs + this.#leaseMs() - nowMs);
  }
}
