import type { MemberId } from '../core/index.ts';
import type { Host } from './host.ts';

/** No id contains an apostrophe, so no member has this name. */
export function nameOfTwin(id: MemberId): string {
  return `${id}'`;
}

interface Twin {
  readonly host: Host;
  /**
   * The members that talk with this process alone, while all others talk with the first process alone; null: all talk
   * with both.
   */
  readonly peers: ReadonlySet<MemberId> | null;
}

/** The running second processes: at most one beside the first process of each member. */
export class Twins {
  /** By the name of the process. */
  readonly #running = new Map<MemberId, Twin>();
  /** By member, the life of its last second process. */
  readonly #lives = new Map<MemberId, string>();

  get size(): number {
    return this.#running.size;
  }

  /** Those that run, in the order in which they were started. */
  get hosts(): Host[] {
    return [...this.#running.values()].map((twin) => twin.host);
  }

  /** The second process of a member, if it has one. */
  of(id: MemberId): Host | undefined {
    return this.#running.get(nameOfTwin(id))?.host;
  }

  named(name: MemberId): Host | undefined {
    return this.#running.get(name)?.host;
  }

  /** The life of the second process that a member has, or had last. */
  lifeOf(id: MemberId): string | undefined {
    return this.of(id)?.life ?? this.#lives.get(id);
  }

  add(host: Host, peers: readonly MemberId[] | null): void {
    this.#running.set(host.name, { host, peers: peers === null ? null : new Set(peers) });
  }

  remove(host: Host): void {
    this.#running.delete(host.name);
    this.#lives.set(host.id, host.life);
  }

  /** Do messages between these two processes travel, as far as it depends on which process of a member is meant? */
  connects(a: Host, b: Host): boolean {
    return this.#talksWith(a, b.id) && this.#talksWith(b, a.id);
  }

  #talksWith({ id, isTwin }: Host, peer: MemberId): boolean {
    const peers = this.#running.get(nameOfTwin(id))?.peers ?? null;
    return peers === null || peers.has(peer) === isTwin;
  }
}
