import type { MemberId } from '../core/index.ts';
import type { Clock } from './clock.ts';
import { isDead, isWithinSight } from './evidence.ts';
import { isSameProcess } from './links/frames.ts';
import type { Identity } from './links/links.ts';

/** A process closes its sockets a little before it is seen to exit. */
const LOOK_FOR_MS = 20;
const LOOK_EVERY_MS = 1;

/** Who is told what was found out about a peer. */
export interface Mourners {
  /** With `proof`, that process can never act again. */
  gone(peer: MemberId, proof: boolean): void;
  back(peer: MemberId): void;
  /** Another process has come under this id, and the one before lives: it was seen. */
  shared(before: Identity, now: Identity): void;
}

/** What is known of a peer. */
interface Known {
  /** The process that was connected last. */
  readonly process: Identity;
  /** The largest incarnation that ever was. */
  readonly newest: number;
}

/**
 * Watches over the processes of the peers. A connection that closes is a reason to look; proof is the death of that process,
 * seen here, or that a newer one has come in its place and the old one is not seen to live. If there is none to be had, the
 * suspicion is passed on as such.
 *
 * Proof is about the process that the promises were made to. A message that came by POST does not say which process sent it,
 * so whatever happened to the one that was connected before proves nothing any more, until the next connection.
 */
export class Vigil {
  readonly #clock: Clock;
  readonly #trustConnections: boolean;
  readonly #mourners: Mourners;
  readonly #known = new Map<MemberId, Known>();
  /** Those that were heard by POST since they were last connected. */
  readonly #heard = new Set<MemberId>();
  readonly #watches = new Map<MemberId, () => void>();

  constructor(clock: Clock, trustConnections: boolean, mourners: Mourners) {
    this.#clock = clock;
    this.#trustConnections = trustConnections;
    this.#mourners = mourners;
  }

  onUp(peer: Identity): void {
    this.#stopWatch(peer.id);
    const before = this.#known.get(peer.id);
    const wasHeard = this.#heard.delete(peer.id);
    const newest = Math.max(before?.newest ?? 0, peer.incarnation);
    this.#known.set(peer.id, { process: peer, newest });
    if (before !== undefined && !wasHeard && !isSameProcess(before.process, peer))
      this.#onReplaced(before, peer);
    this.#mourners.back(peer.id);
  }

  onDown(peer: Identity): void {
    if (this.#known.get(peer.id)?.process.incarnation !== peer.incarnation) return; // Its successor is here already.
    this.#stopWatch(peer.id);
    if (this.#trustConnections) this.#mourners.gone(peer.id, !this.#heard.has(peer.id));
    else if (peer.process === null || !isWithinSight(peer.process)) this.#mourners.gone(peer.id, false);
    else this.#look(peer, this.#clock.now() + LOOK_FOR_MS);
  }

  /** Something of this peer came by POST. */
  onPost(peer: MemberId): void {
    this.#heard.add(peer);
  }

  close(): void {
    for (const id of [...this.#watches.keys()]) this.#stopWatch(id);
  }

  /**
   * A newer process is proof that the old one is gone, because no two may share an id. If they do all the same and the old one
   * is seen to live, it may still act on what it was promised. An older incarnation than one that was there proves nothing.
   */
  #onReplaced(before: Known, peer: Identity): void {
    const { process } = before.process;
    const lives = process !== null && isWithinSight(process) && !isDead(process);
    const isAnother = process?.pid !== peer.process?.pid || process?.startTime !== peer.process?.startTime;
    if (lives && isAnother) this.#mourners.shared(before.process, peer);
    this.#mourners.gone(peer.id, peer.incarnation > before.newest && !lives);
  }

  #look(peer: Identity, untilMs: number): void {
    this.#watches.delete(peer.id);
    const nowMs = this.#clock.now();
    const proof = peer.process !== null && !this.#heard.has(peer.id) && isDead(peer.process);
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
