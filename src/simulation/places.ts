import { type Addresses, idSet, type MemberId, type Self } from '../core/index.ts';

/**
 * Where the members of a simulated cluster are, if their ids are not their addresses: each starts knowing only its own
 * address and those of the seeds, as a real voter with a seed host does.
 *
 * A message to a member needs its address, and reaches no other member that is there by then. And the receiver has to
 * know the sender: real members open a connection only if both do. A call reaches the member at that address,
 * whichever it is, and its answer comes back over the call.
 */
export class Places {
  readonly #seeds: readonly string[];
  readonly #addresses = new Map<MemberId, string>();
  /** The members that each one has sent to, called, or answered. */
  readonly #known = new Map<MemberId, Set<MemberId>>();

  constructor(seeds: readonly string[]) {
    this.#seeds = seeds;
  }

  /** The member is reached at this address from now on. A member that was there before is not reached any more. */
  put(id: MemberId, address: string): void {
    for (const [other, at] of this.#addresses) if (at === address) this.#addresses.delete(other);
    this.#addresses.set(id, address);
  }

  /** What the process of a member is started with. */
  selfOf(id: MemberId, settings: Self['settings']): Self {
    const own = this.#addresses.get(id) ?? '';
    const addresses: Addresses = { own, peers: [], seeds: this.#seeds, isPartial: true };
    return { id, members: idSet([id]), settings, addresses };
  }

  /** Does a message from one member reach the other, at this address? */
  reaches(from: MemberId, to: MemberId, at: string | undefined): boolean {
    if (at === undefined) return false;
    this.#learn(from, to);
    return this.#addresses.get(to) === at && this.#known.get(to)?.has(from) === true;
  }

  /** The member that a call reaches, if there is one. */
  answers(from: MemberId, at: string): MemberId | null {
    for (const [id, address] of this.#addresses) {
      if (address !== at || id === from) continue;
      this.#learn(from, id);
      return id;
    }
    return null;
  }

  #learn(id: MemberId, other: MemberId): void {
    const known = this.#known.get(id);
    if (known === undefined) this.#known.set(id, new Set([other]));
    else known.add(other);
  }
}

/** The address of a member that was given none. */
export function usualAddress(id: MemberId): string {
  return `host-${id}`;
}
