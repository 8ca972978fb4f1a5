/** A connection that has not proven itself yet. */
export interface Stranger {
  /** Where it comes from, without the port. */
  readonly address: string;
  /** Closes it. */
  cancel(): void;
  /** The same, because there are too many. */
  giveWay(): void;
}

/**
 * The connections that have not proven themselves yet, bounded in number. If there are too many, one of them has to
 * give way: one from the address that has the most, so that a host that opens many takes no place from others, and
 * among these a random one. Why random: if the oldest were given up, a process on the same machine that opens
 * connections a little faster than members prove themselves would push out every member. So it pushes out some, and
 * these try again.
 */
export class Strangers {
  readonly #most: number;
  readonly #random: () => number;
  readonly #all = new Set<Stranger>();

  /** `random`: at least 0 and less than 1. */
  constructor(most: number, random: () => number = Math.random) {
    this.#most = most;
    this.#random = random;
  }

  /** Returns the one that gives way to it, if one must. */
  add(stranger: Stranger): Stranger | null {
    this.#all.add(stranger);
    if (this.#all.size <= this.#most) return null;
    const crowd = this.#largestCrowd(stranger);
    const chosen = crowd[Math.floor(this.#random() * crowd.length)] ?? null;
    if (chosen !== null) this.#all.delete(chosen);
    return chosen;
  }

  delete(stranger: Stranger): void {
    this.#all.delete(stranger);
  }

  close(): void {
    for (const stranger of [...this.#all]) stranger.cancel();
    this.#all.clear();
  }

  /** Those of the address that has the most of them, without the newcomer. */
  #largestCrowd(newcomer: Stranger): readonly Stranger[] {
    const crowds = new Map<string, Stranger[]>();
    for (const stranger of this.#all) {
      const crowd = crowds.get(stranger.address) ?? [];
      crowds.set(stranger.address, crowd);
      crowd.push(stranger);
    }
    const [largest = []] = [...crowds.values()].sort((a, b) => b.length - a.length);
    return largest.filter((each) => each !== newcomer);
  }
}
