import type { MemberId, Why } from '../core/index.ts';
import type { LinkRefusal } from './links/links.ts';

/** Refusals that say that this process must not be part of the cluster as it is. */
const EXCLUDING: readonly LinkRefusal[] = [
  'same-id',
  'other-rules',
  'other-version',
  'other-cluster',
  'unauthenticated',
  'wrong-secret',
];

/**
 * Do the other members accept this process? One that was refused by the peers that it called, and accepted by none, is
 * excluded: its id is taken, or its settings are others. In a protocol without a majority it would else lead alone,
 * beside the leader of the others. Once a peer has accepted it, a refusal says something about the other side too, and
 * excludes this process no more.
 *
 * A member of a cluster that was recovered without this process excludes it, also if others accept it: they are outdated
 * too. It does so until it accepts this process, or the process ends.
 *
 * Example: of three members, one was started with another `maxDrift`. Both others refuse it, so it is excluded; they have
 * accepted each other, so they are not.
 */
export class Acceptance {
  readonly #changed: (why: Why | null) => void;
  #isAccepted = false;
  #reason: string | null = null;
  /** What a peer said that does not accept this process any more, since it was removed. */
  #removal: string | null = null;
  /** By peer: what it said that refuses this process as one of the cluster before a recovery. */
  readonly #outdated = new Map<MemberId, string>();

  constructor(changed: (why: Why | null) => void) {
    this.#changed = changed;
  }

  get isExcluded(): boolean {
    return this.#outdated.size > 0 || (!this.#isAccepted && this.#reason !== null);
  }

  accepted(peer: MemberId): void {
    const wasExcluded = this.isExcluded || this.#removal !== null;
    this.#removal = null;
    this.#outdated.delete(peer);
    this.#isAccepted = true;
    if (wasExcluded && !this.isExcluded) this.#changed(null);
  }

  /** This member of a recovered cluster, which this process has called, says that it belongs to the one before. */
  outdated(peer: MemberId, reason: string): void {
    const isFirst = this.#outdated.size === 0;
    this.#outdated.set(peer, reason);
    if (isFirst) this.#changed({ cause: 'refused', detail: reason });
  }

  /** A peer says that this process was removed, and none is connected with it. One that still is would know better. */
  removed(reason: string): void {
    if (this.#removal !== null) return;
    this.#removal = reason;
    this.#changed({ cause: 'removed', detail: reason });
  }

  refused(kind: LinkRefusal, reason: string): void {
    if (this.#isAccepted || this.#reason !== null || !EXCLUDING.includes(kind)) return;
    this.#reason = reason;
    this.#changed({ cause: 'refused', detail: `the other members refuse this process: ${reason}` });
  }
}
