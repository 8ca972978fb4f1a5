/** A connection of which it is not known yet whether it is a member's. */
export interface Stranger {
  /** Where it comes from, without the port. */
  readonly address: string;
}

/**
 * The connections that have not proven themselves, or not said who they are, bounded in number. If there are too many, one of them has to
 * give way: one from the address that has the most, so that a host that opens many takes no place from others, and
 * among these a random one. Why random: if the oldest were given up, a process on the same machine that opens
 * connections a little faster than members prove themselves would push out every member. So it pushes out some, and
 * these try again.
 */
export class Strangers<T extends Stranger> {
  readonly #most: number;
  readonly #random: () => number;
  readonly #all = new Set<T>();

  /** `random`: at least 0 and less than 1. */
  constructor(most: number, random: () => number = Math.random) {
    this.#most = most;
    this.#random = random;
  }

  /** Returns the one that gives way to it, if one must. */
  add(stranger: T): T | null {
    this.#all.add(stranger);
    if (this.#all.size <= this.#most) return null;
    const crowd = this.#largestCrowd(stranger);
    const chosen = crowd[Math.floor(this.#random() * crowd.length)] ?? null;
    if (chosen !== null) this.#all.delete(chosen);
    return chosen;
  }

  delete(stranger: T): void {
    this.#all.delete(stranger);
  }

  /** Forgets all, and returns them. */
  clear(): readonly T[] {
    const all = [...this.#all];
    this.#all.clear();
    return all;
  }

  /** Those of the address that has the most of them, without the newcomer. */
  #largestCrowd(newcomer: T): readonly T[] {
    const crowds = new Map<string, T[]>();
    for (const stranger of this.#all) {
      const crowd = crowds.get(stranger.address) ?? [];
      crowds.set(stranger.address, crowd);
      crowd.push(stranger);
    }
    const [largest = []] = [...crowds.values()].sort((a, b) => b.length - a.length);
    return largest.filter((each) => each !== newcomer);
  }
}
