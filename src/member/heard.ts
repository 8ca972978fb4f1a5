import type { MemberId } from '../core/index.ts';

/** So many voters that were heard are remembered, also those that are gone. */
const MOST_HEARD = 1000;

const NONE: readonly MemberId[] = [];
const NEVER: number[] = [];

/** When each voter was last heard, in milliseconds since 1970. */
export class Heard {
  readonly #around: { isVoter(id: MemberId): boolean };
  /** Few: looking through them takes no longer than a map, and a third of the memory. */
  #ids: readonly MemberId[] = NONE;
  /** When each of them was. */
  #atMs: number[] = NEVER;

  constructor(around: { isVoter(id: MemberId): boolean }) {
    this.#around = around;
  }

  note(from: MemberId, atMs: number): void {
    const i = this.#ids.indexOf(from);
    if (i >= 0) this.#atMs[i] = atMs;
    else {
      // Voters may come and go under ever new names.
      if (this.#ids.length >= MOST_HEARD) this.#forget();
      this.#ids = this.#ids.concat(from);
      this.#atMs = this.#atMs.concat(atMs);
    }
  }

  /** Null if no message of this voter was received. */
  atMs(voter: MemberId): number | null {
    return this.#atMs[this.#ids.indexOf(voter)] ?? null;
  }

  #forget(): void {
    const isKept = this.#ids.map((id) => this.#around.isVoter(id));
    this.#ids = this.#ids.filter((_, i) => isKept[i]);
    this.#atMs = this.#atMs.filter((_, i) => isKept[i]);
  }
}
