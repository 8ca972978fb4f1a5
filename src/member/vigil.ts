import type { MemberId } from '../core/index.ts';
import type { Clock } from './clock.ts';
import { isDead } from './evidence.ts';
import { isSameProcess } from './links/frames.ts';
import type { Identity } from './links/links.ts';

/** A process closes its sockets a little before it is seen to exit. */
const LOOK_FOR_MS = 20;
const LOOK_EVERY_MS = 1;

/** Is told what was found out about the processes of the peers. */
export interface DeathListener {
  /** With `proof`, the process of this life can never act again; another one of the same id may. */
  gone(peer: MemberId, proof: boolean, life: string): void;
  back(peer: MemberId): void;
  /** Another process has come under this id, and the one before lives: it was seen. */
  shared(before: Identity, now: Identity): void;
}

/** How long what came by POST casts doubt on the processes that connect later under the same id. No promise lasts longer. */
const DOUBT_MS = 600_000;
/** So many processes of an id are remembered. */
const MOST_LIVES = 100;

/** The process of a peer that was connected last. */
interface Known {
  readonly process: Identity;
  /** It has shown, over the connection that stood last, that it runs on this kernel. */
  readonly isLocal: boolean;
}

/**
 * Watches the processes of the peers. A connection that closes is a reason to look. Proof is that this very process was seen to
 * be dead, and only a process of this kernel can be seen. That another process has come under the same id proves nothing: two
 * processes may share an id by mistake, and the first may live. Where there is no proof, the suspicion is passed on as such.
 *
 * A life is known to all peers, so another process may use it. One that comes with another pid than before proves nothing by its
 * death, nor does the one before; and neither does a process that connects for the first time after its id spoke by POST, where no
 * one can see which process speaks.
 */
export class Vigil {
  readonly #clock: Clock;
  readonly #trustConnections: boolean;
  readonly #listener: DeathListener;
  readonly #known = new Map<MemberId, Known>();
  readonly #watches = new Map<MemberId, () => void>();
  /** By id and life: the process that came with it, or null if its death would prove nothing. */
  readonly #lives = new Map<MemberId, Map<string, Identity | null>>();
  readonly #postedAtMs = new Map<MemberId, number>();

  constructor(clock: Clock, trustConnections: boolean, listener: DeathListener) {
    this.#clock = clock;
    this.#trustConnections = trustConnections;
    this.#listener = listener;
  }

  onUp(peer: Identity): void {
    this.#stopWatch(peer.id);
    const before = this.#known.get(peer.id);
    this.#known.set(peer.id, { process: peer, isLocal: false });
    this.#remember(peer);
    if (before !== undefined && !isSameProcess(before.process, peer)) this.#onReplaced(before, peer);
    this.#listener.back(peer.id);
  }

  onLocal(peer: Identity): void {
    const known = this.#known.get(peer.id);
    if (known !== undefined && isSameProcess(known.process, peer))
      this.#known.set(peer.id, { ...known, isLocal: true });
  }

  /** Something came by POST in the name of this peer. */
  onPost(peer: MemberId): void {
    this.#postedAtMs.set(peer, this.#clock.now());
  }

  /** `isAbandoned`: the other side closed the connection, without a word that it lives on. */
  onDown(peer: Identity, isAbandoned: boolean): void {
    const known = this.#known.get(peer.id);
    if (known === undefined || !isSameProcess(known.process, peer)) return; // Another process is here already.
    this.#stopWatch(peer.id);
    if (this.#trustConnections && isAbandoned && this.#isCertain(peer))
      this.#listener.gone(peer.id, true, peer.life);
    else this.#look(known, this.#clock.now() + LOOK_FOR_MS);
  }

  close(): void {
    for (const id of [...this.#watches.keys()]) this.#stopWatch(id);
  }

  #remember(peer: Identity): void {
    const lives = this.#lives.get(peer.id) ?? new Map<string, Identity | null>();
    this.#lives.set(peer.id, lives);
    const before = lives.get(peer.life);
    if (before === undefined) {
      const postedAtMs = this.#postedAtMs.get(peer.id);
      const isDoubtful = postedAtMs !== undefined && this.#clock.now() - postedAtMs < DOUBT_MS;
      lives.set(peer.life, isDoubtful ? null : peer);
      if (lives.size > MOST_LIVES) lives.delete(lives.keys().next().value!);
    } else if (before !== null && !isSameProcess(before, peer)) lives.set(peer.life, null);
  }

  /** Is this the only process that ever used its life? */
  #isCertain(process: Identity): boolean {
    const known = this.#lives.get(process.id)?.get(process.life) ?? null;
    return known !== null && isSameProcess(known, process);
  }

  #isSeenDead({ process, isLocal }: Known): boolean {
    return isLocal && process.process !== null && this.#isCertain(process) && isDead(process.process);
  }

  /** The process before may have died unseen while it was not connected. */
  #onReplaced(before: Known, peer: Identity): void {
    const proof = this.#isSeenDead(before);
    const { process } = before.process;
    const isAnother = process?.pid !== peer.process?.pid || process?.startTime !== peer.process?.startTime;
    if (before.isLocal && !proof && isAnother) this.#listener.shared(before.process, peer);
    this.#listener.gone(peer.id, proof, before.process.life);
  }

  #look(known: Known, untilMs: number): void {
    const { id, life } = known.process;
    this.#watches.delete(id);
    const nowMs = this.#clock.now();
    const proof = this.#isSeenDead(known);
    if (proof || !known.isLocal || nowMs >= untilMs) return this.#listener.gone(id, proof, life);
    this.#watches.set(
      id,
      this.#clock.set(nowMs + LOOK_EVERY_MS, () => this.#look(known, untilMs)),
    );
  }

  #stopWatch(id: MemberId): void {
    this.#watches.get(id)?.();
    this.#watches.delete(id);
  }
}
