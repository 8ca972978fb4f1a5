import type { MemberId } from '../core/index.ts';
import type { Clock } from './clock.ts';
import { isDead, isWithinSight } from './evidence.ts';
import type { Identity } from './links/links.ts';

/** A process closes its sockets a little before it is seen to exit. */
const LOOK_FOR_MS = 20;
const LOOK_EVERY_MS = 1;

/** Who is told what was found out about a peer. */
export interface Mourners {
  /** With `proof`, that process can never act again. */
  gone(peer: MemberId, proof: boolean): void;
  back(peer: MemberId): void;
}

/**
 * Watches over the processes of the peers. A connection that closes is a reason to look; proof is the death of that process,
 * seen here, or that a newer one has come in its place. If there is none to be had, the suspicion is passed on as such.
 */
export class Vigil {
  readonly #clock: Clock;
  readonly #trustConnections: boolean;
  readonly #mourners: Mourners;
  readonly #known = new Map<MemberId, Identity>();
  readonly #watches = new Map<MemberId, () => void>();

  constructor(clock: Clock, trustConnections: boolean, mourners: Mourners) {
    this.#clock = clock;
    this.#trustConnections = trustConnections;
    this.#mourners = mourners;
  }

  onUp(peer: Identity): void {
    this.#stopWatch(peer.id);
    const before = this.#known.get(peer.id);
    this.#known.set(peer.id, peer);
    if (before !== undefined && before.incarnation < peer.incarnation) this.#mourners.gone(peer.id, true);
    this.#mourners.back(peer.id);
  }

  onDown(peer: Identity): void {
    if (this.#known.get(peer.id)?.incarnation !== peer.incarnation) return; // Its successor is here already.
    this.#stopWatch(peer.id);
    if (this.#trustConnections) this.#mourners.gone(peer.id, true);
    else if (peer.process === null || !isWithinSight(peer.process)) this.#mourners.gone(peer.id, false);
    else this.#look(peer, this.#clock.now() + LOOK_FOR_MS);
  }

  close(): void {
    for (const id of [...this.#watches.keys()]) this.#stopWatch(id);
  }

  #look(peer: Identity, untilMs: number): void {
    this.#watches.delete(peer.id);
    const nowMs = this.#clock.now();
    const proof = peer.process !== null && isDead(peer.process);
    if (proof || nowMs >= untilMs) return this.#mourners.gone(peer.id, proof);
    this.#watches.set(
      peer.id,
      this.#clock.set(nowMs + LOOK_EVERY_MS, () => this.#look(peer, untilMs)),
    );
  }

  #stopWatch(id: MemberId): void {
    this.#watches.get(id)?.();
    this.#watches.delete(id);
  }
}
