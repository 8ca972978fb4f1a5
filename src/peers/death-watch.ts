import type { MemberId } from '../core/index.ts';
import type { Decide } from './decision.ts';
import { type Closing, isAbandoned } from './event.ts';
import { type Identity, isSamePid, isSameProcess } from './identity.ts';
import type { PeerOptions } from './options.ts';
import type { DeathReport, Disbelief } from './witness.ts';

/** A process closes its sockets a little before it is seen to exit. */
const LOOK_FOR_MS = 20;
const LOOK_EVERY_MS = 1;

/**
 * How long a message by POST casts doubt on processes that connect later under the same id. No promise lasts longer.
 */
const DOUBT_MS = 600_000;
/** How many processes of an id are remembered. */
const MOST_LIVES = 100;

type Trust = Pick<PeerOptions, 'trustConnections' | 'trustWitnesses'>;

/** The process of the peer that was connected last. */
interface Known {
  readonly identity: Identity;
  /** It has proven, over its current or last connection, that it runs on this kernel. */
  isLocal: boolean;
}

/** A check whether a process is dead. What follows depends on the result. */
type Look =
  /** Its last connection was closed: it may be about to exit. */
  | { readonly number: number; readonly about: Known; readonly untilMs: number }
  /** Another process of the same id is connected. */
  | { readonly number: number; readonly about: Known; readonly now: Identity };

/**
 * Watches the processes of one peer. A closed connection is a reason to check. Proof is that this very process was
 * seen to be dead, and only a process of this kernel can be seen. Another process under the same id proves nothing:
 * two processes may share an id by mistake, and the first may live. Without proof, the suspicion is passed on as
 * such.
 *
 * A life is known to all peers, so another process may use it. If a process comes with a known life but another pid,
 * neither its death nor that of the earlier process proves anything. The same holds for a process that connects for
 * the first time after its id was used by POST, where this member cannot see which process is the sender.
 *
 * With `trustConnections`, proof is also that the other side closed all connections of a process without a goodbye.
 * All that ever used its life: the last one may be that of another process that copied the greeting. Example: the
 * connection to the leader is lost in a partition, another process greets as the leader and ends. The leader lives.
 *
 * With `trustWitnesses`, proof is also the report of a witness that saw this very process dead on its own kernel
 * (witness.ts). The suspicion then waits for the report as long as it would wait for the kernel.
 */
export class DeathWatch {
  /** The name of its timer. */
  readonly timer: string;

  readonly #id: MemberId;
  readonly #options: Trust;
  readonly #decide: Decide;
  /** This member has seen the process dead: the others may not be able to. */
  readonly #attest: (report: DeathReport) => void;
  #known: Known | null = null;
  /** By life: the process that came with it, or null if its death would prove nothing. */
  readonly #lives = new Map<string, Identity | null>();
  /** The lives with a connection that this side closed, or that ended with a goodbye: the process may live. */
  readonly #livingOn = new Set<string>();
  /** The lives whose end was proven, in whatever way. */
  readonly #proven = new Set<string>();
  /** By life: the witness that reported its death. */
  readonly #witnesses = new Map<string, MemberId>();
  #postedAtMs: number | null = null;
  #looks: readonly Look[] = [];
  #lookCount = 0;
  /** The process that is expected to exit, or to be reported dead, and until when. */
  #waiting: { readonly about: Known; readonly untilMs: number } | null = null;

  constructor(id: MemberId, options: Trust, decide: Decide, attest: (report: DeathReport) => void) {
    this.#id = id;
    this.timer = `look ${JSON.stringify(id)}`;
    this.#options = options;
    this.#decide = decide;
    this.#attest = attest;
  }

  onUp(peer: Identity, nowMs: number): void {
    this.#stopWaiting();
    const before = this.#known;
    this.#known = { identity: peer, isLocal: false };
    this.#remember(peer, nowMs);
    if (before === null || isSameProcess(before.identity, peer)) this.#back();
    // The earlier process may have died unseen while it was not connected.
    else if (this.#canBeSeen(before)) this.#look({ number: 0, about: before, now: peer });
    else this.#onReplaced(before, peer, false);
  }

  onLocal(peer: Identity): void {
    if (this.#known !== null && isSameProcess(this.#known.identity, peer)) this.#known.isLocal = true;
  }

  /** A message came by POST under the id of this peer. */
  onPost(nowMs: number): void {
    this.#postedAtMs = nowMs;
  }

  /** A connection of the process was closed; it need not be the last one. */
  onClosed({ life }: Identity, closing: Closing): void {
    if (!isAbandoned(closing)) this.#livingOn.add(life);
  }

  /** The last connection of the process was closed. */
  onDown(peer: Identity, nowMs: number): void {
    const known = this.#known;
    if (known === null || !isSameProcess(known.identity, peer)) return; // Another process is connected already.
    this.#stopWaiting();
    if (this.#options.trustConnections && !this.#livingOn.has(peer.life) && this.#isCertain(peer))
      this.#gone(known, true);
    else if (this.#witnesses.has(peer.life) && this.#isCertain(peer)) this.#gone(known, true);
    else if (this.#canBeSeen(known)) this.#look({ number: 0, about: known, untilMs: nowMs + LOOK_FOR_MS });
    else if (this.#canBeReported(peer)) {
      this.#waiting = { about: known, untilMs: nowMs + LOOK_FOR_MS };
      this.#decide({ type: 'set-timer', timer: this.timer, delayMs: LOOK_FOR_MS });
    } else this.#gone(known, false);
  }

  /**
   * A trusted witness reports the death of a process. Returns why that is no proof; null if it is. Then `onDown` or
   * `onReported` follows, once no connection to the process is left.
   */
  weigh({ life, process }: DeathReport, witness: MemberId): Disbelief | null {
    const greeted = this.#lives.get(life);
    if (greeted === undefined) return 'unknown-life';
    if (greeted === null) return 'doubtful-life';
    if (greeted.process === null || !isSamePid(greeted.process, process)) return 'other-process';
    if (this.#known?.identity.life !== life) return 'earlier-life';
    if (this.#proven.has(life) || this.#witnesses.has(life)) return 'known';
    this.#witnesses.set(life, witness);
    return null;
  }

  /** The process that is known to be dead by a report has no connection. */
  onReported(): void {
    const known = this.#known;
    if (known === null || !this.#witnesses.has(known.identity.life)) return;
    this.#stopWaiting();
    this.#gone(known, true);
  }

  onTimer(): void {
    const waiting = this.#waiting;
    this.#waiting = null;
    if (waiting === null) return;
    if (this.#canBeSeen(waiting.about)) this.#look({ number: 0, ...waiting });
    else this.#gone(waiting.about, false);
  }

  onSeen(number: number, isDead: boolean, nowMs: number): void {
    const look = this.#looks.find((each) => each.number === number);
    if (look === undefined) return;
    this.#looks = this.#looks.filter((each) => each !== look);
    const { id, life, process } = look.about.identity;
    if (isDead && process !== null) this.#attest({ id, life, process });
    if ('now' in look) this.#onReplaced(look.about, look.now, isDead);
    else if (isDead || nowMs >= look.untilMs) this.#gone(look.about, isDead);
    else {
      this.#waiting = { about: look.about, untilMs: look.untilMs };
      this.#decide({ type: 'set-timer', timer: this.timer, delayMs: LOOK_EVERY_MS });
    }
  }

  #remember(peer: Identity, nowMs: number): void {
    const before = this.#lives.get(peer.life);
    if (this.#witnesses.has(peer.life)) {
      // It was reported dead, and greets: the greeting was late, or the report wrong. Nothing is certain of it any more.
      this.#lives.set(peer.life, null);
    } else if (before === undefined) {
      const isDoubtful = this.#postedAtMs !== null && nowMs - this.#postedAtMs < DOUBT_MS;
      this.#lives.set(peer.life, isDoubtful ? null : peer);
      if (this.#lives.size > MOST_LIVES) this.#forget(this.#lives.keys().next().value!);
    } else if (before !== null && !isSameProcess(before, peer)) this.#lives.set(peer.life, null);
  }

  #forget(life: string): void {
    this.#lives.delete(life);
    this.#livingOn.delete(life);
    this.#proven.delete(life);
    this.#witnesses.delete(life);
  }

  /** Is this the only process that ever used its life? */
  #isCertain({ life }: Identity): boolean {
    return (this.#lives.get(life) ?? null) !== null;
  }

  #canBeSeen({ identity, isLocal }: Known): boolean {
    return isLocal && identity.process !== null && this.#isCertain(identity);
  }

  #canBeReported(identity: Identity): boolean {
    return this.#options.trustWitnesses !== false && identity.process !== null && this.#isCertain(identity);
  }

  #onReplaced(before: Known, now: Identity, isDead: boolean): void {
    const [there, here] = [before.identity.process, now.process];
    const isAnother = there?.pid !== here?.pid || there?.startTime !== here?.startTime;
    if (before.isLocal && !isDead && isAnother)
      this.#decide({ type: 'shared', before: before.identity, now });
    this.#gone(before, isDead);
    this.#back();
  }

  #look(look: Look): void {
    const { process } = look.about.identity;
    if (process === null) return;
    const number = ++this.#lookCount;
    this.#looks = [...this.#looks, { ...look, number }];
    this.#decide({ type: 'look', peer: this.#id, look: number, process });
  }

  #gone({ identity }: Known, proof: boolean): void {
    if (proof) this.#proven.add(identity.life);
    const witness = proof ? this.#witnesses.get(identity.life) : undefined;
    const by = witness === undefined ? {} : { witness };
    this.#decide({ type: 'gone', peer: this.#id, proof, life: identity.life, ...by });
  }

  #back(): void {
    this.#decide({ type: 'back', peer: this.#id });
  }

  #stopWaiting(): void {
    if (this.#waiting !== null) this.#decide({ type: 'cancel-timer', timer: this.timer });
    this.#waiting = null;
    this.#looks = this.#looks.filter((look) => 'now' in look);
  }
}
