import type { MemberId } from '../core/index.ts';

/** Asking the others takes a few milliseconds where they are there; nothing is said before this. */
const PATIENCE_MS = 1000;

/**
 * A member without a record may have forgotten what it voted. Until enough of the others have told it what they know it takes no
 * part, and if they are not there it never will: then somebody has to be told what it waits for.
 */
export class Recollection {
  readonly #sinceMs: number;
  readonly #missing: Set<MemberId>;
  #told = '';

  constructor(others: readonly MemberId[], nowMs: number) {
    this.#missing = new Set(others);
    this.#sinceMs = nowMs;
  }

  onHeard(from: MemberId): void {
    this.#missing.delete(from);
  }

  /** What is to be said now and was not yet, or null. */
  news(nowMs: number): string | null {
    if (nowMs - this.#sinceMs < PATIENCE_MS || this.#missing.size === 0) return null;
    const names = [...this.#missing].join(', ');
    if (names === this.#told) return null;
    this.#told = names;
    return `waiting to hear from ${names} what this member may have forgotten; if this cluster has never run, start it with --new`;
  }
}
