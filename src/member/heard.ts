import type { MemberId } from '../core/index.ts';

/** So many voters that were heard are remembered, also those that are gone. */
const MOST_HEARD = 1000;

/** When each voter was last heard, in milliseconds since 1970. */
export class Heard {
  readonly #isVoter: (id: MemberId) => boolean;
  readonly #atMs = new Map<MemberId, number>();

  constructor(isVoter: (id: MemberId) => boolean) {
    this.#isVoter = isVoter;
  }

  note(from: MemberId, atMs: number): void {
    // Voters may come and go under ever new names.
    if (!this.#atMs.has(from) && this.#atMs.size >= MOST_HEARD)
      for (const id of this.#atMs.keys()) if (!this.#isVoter(id)) this.#atMs.delete(id);
    this.#atMs.set(from, atMs);
  }

  /** Null if no message of this voter was received. */
  atMs(voter: MemberId): number | null {
    return this.#atMs.get(voter) ?? null;
  }
}
