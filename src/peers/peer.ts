import { compareIds, type MemberId } from '../core/index.ts';
import type { DeathWatch } from './death-watch.ts';
import type { Decide, Decision } from './decision.ts';
import { Dialling } from './dialling.ts';
import { type Closing, type ConnectionId, isAbandoned } from './event.ts';
import { type Identity, isNeighbour, isSameProcess, sharedId } from './identity.ts';
import type { Refused } from './objection.ts';
import type { PeerOptions } from './options.ts';

/** A connection that lived for less does not count as a success: the delay keeps growing. */
const LASTING_MS = 1000;

interface Standing {
  readonly connection: ConnectionId;
  readonly isDialled: boolean;
  /** A ping is in flight, and this many further pings came due before it was answered. */
  isPinged: boolean;
  unanswered: number;
  /** Made once: most decisions are pings. */
  readonly ping: Decision;
}

/** All connections of the process are asked for an answer. */
interface Poll {
  readonly number: number;
  readonly asked: readonly ConnectionId[];
  readonly answers: (boolean | null)[];
  /** The claim of another process that depends on it; null: it decides which connection is used. */
  readonly claim: Claim | null;
}

interface Claim {
  readonly connection: ConnectionId;
  readonly dialled: boolean;
  readonly identity: Identity;
  /** The process that has the place now. */
  readonly against: Identity;
}

/**
 * The connections between this member and one other.
 *
 * One connection per pair. If both sides open one, the smaller id keeps the oldest that answers a ping, and then
 * closes the newer ones: a connection that answers is open on both sides, so neither side ever sees its last
 * connection close because of this.
 *
 * Messages go to the oldest connection that answers. A process that knows another's identity can open a connection
 * under it; it must not divert messages for that process, nor cut it off. So an older connection that is silent for
 * a moment is not closed for a newer one, and is used again as soon as it answers. Example: the peer is busy for two
 * seconds, and meanwhile a stranger connects under its identity. If it stays silent, unanswered pings close it.
 *
 * Another process of the same id takes the place of the earlier one if none of the earlier one's connections answers
 * a ping. If one does, two live processes share an id: the new one is refused and both are told. Which of two
 * processes is newer does not matter here: protocols distinguish them by their lives.
 */
export class PeerConnections {
  readonly dialling: Dialling;

  readonly #own: Identity;
  readonly #id: MemberId;
  readonly #options: PeerOptions;
  readonly #watch: DeathWatch;
  readonly #decide: Decide;
  /** The process at the other end, while there is a connection to it. */
  #process: Identity | null = null;
  /** All its open connections, the oldest first. */
  #standing: readonly Standing[] = [];
  #polls: readonly Poll[] = [];
  #pollCount = 0;
  /** The oldest that answered when there were several. */
  #chosen: ConnectionId | null = null;
  /** The connection that the host was last told to use. */
  #used: ConnectionId | null = null;
  #upSinceMs = 0;

  constructor(own: Identity, id: MemberId, options: PeerOptions, watch: DeathWatch, decide: Decide) {
    this.#own = own;
    this.#id = id;
    this.#options = options;
    this.#watch = watch;
    this.#decide = decide;
    this.dialling = new Dialling(own.id, id, options, decide);
  }

  get process(): Identity | null {
    return this.#process;
  }

  /** The connection over which messages for the peer go; null: they wait. */
  get used(): ConnectionId | null {
    return this.#used;
  }

  /** Does the connection wait for the poll of the earlier process? */
  isClaiming(connection: ConnectionId): boolean {
    return this.#claims.some((claim) => claim.connection === connection);
  }

  /** A process greeted as this peer, on a connection that either side opened. */
  claim(connection: ConnectionId, dialled: boolean, identity: Identity, nowMs: number): void {
    const current = this.#process;
    if (current === null || isSameProcess(current, identity)) {
      this.#accept(connection, dialled, identity, nowMs);
    } else if (this.#claims.length >= this.#options.connectionsPerPeer) {
      this.#decide({ type: 'terminate', connection, why: 'too many connections to one peer' });
    } else {
      // Either the earlier process is dead and this member has not noticed yet, or two processes share an id.
      this.#startPoll({ connection, dialled, identity, against: current });
    }
  }

  onPingDue(): void {
    for (const each of this.#standing) {
      if (!each.isPinged) {
        this.#ping(each);
        continue;
      }
      each.unanswered++;
      if (each.unanswered < this.#options.missedPings) continue;
      const silentMs = each.unanswered * this.#options.pingMs;
      const why = `no ping was answered for ${silentMs / 1000} s`;
      this.#decide({ type: 'terminate', connection: each.connection, why });
    }
  }

  onPong(connection: ConnectionId): void {
    const found = this.#standingOf(connection);
    if (found === null) return;
    found.isPinged = false;
    found.unanswered = 0;
    if (!this.#isPassedOver(found) || this.#isUndecided) return;
    this.#startPoll(null);
    this.#use();
  }

  onMet(connection: ConnectionId): void {
    if (this.#process === null || !this.#isStanding(connection)) return;
    this.#watch.onLocal(this.#process);
    this.#decide({ type: 'local', peer: this.#process });
  }

  onProbed(number: number, connection: ConnectionId, answered: boolean, nowMs: number): void {
    const poll = this.#polls.find((each) => each.number === number);
    if (poll !== undefined) this.#answer(poll, connection, answered, nowMs);
  }

  onClosed(connection: ConnectionId, closing: Closing, reason: string, nowMs: number): void {
    this.#polls = this.#polls.filter(({ claim }) => claim?.connection !== connection);
    this.#remove(connection, closing, reason, nowMs);
    for (const poll of this.#polls) this.#answer(poll, connection, false, nowMs);
    this.#use();
  }

  /** The process is dead, by the report of a witness. What it sent before and has not arrived is dropped. */
  onReported(why: string, nowMs: number): void {
    if (this.#process === null) return this.#watch.onReported();
    for (const { connection } of [...this.#standing]) {
      this.#decide({ type: 'terminate', connection, why });
      this.onClosed(connection, 'by-us', why, nowMs);
    }
  }

  /** The peer was removed: all its connections are closed, and it is not dialled again. */
  end(why: string, nowMs: number): void {
    this.dialling.stop();
    this.#closeAll(why, nowMs, true);
    this.#decide({ type: 'unreachable', peer: this.#id, reason: null });
  }

  /** All its connections are closed, and it is dialled again: both sides say anew what they are. */
  reopen(why: string, nowMs: number): void {
    this.#closeAll(why, nowMs, false);
  }

  #closeAll(why: string, nowMs: number, isEnd: boolean): void {
    const claims = this.#claims.map(({ connection }) => connection);
    this.#polls = [];
    for (const connection of [...this.#standing.map((each) => each.connection), ...claims]) {
      this.#decide({ type: 'close', connection, why, says: 'goodbye' });
      this.#remove(connection, 'by-us', why, nowMs, isEnd);
    }
    this.#use();
  }

  get #claims(): readonly Claim[] {
    return this.#polls.flatMap(({ claim }) => (claim === null ? [] : [claim]));
  }

  /** Is it asked which connection to use? */
  get #isUndecided(): boolean {
    return this.#polls.some(({ claim }) => claim === null);
  }

  /** Is it one of several, and a newer one was chosen, or none? */
  #isPassedOver(standing: Standing): boolean {
    if (this.#standing.length < 2) return false;
    const chosen = this.#standing.findIndex(({ connection }) => connection === this.#chosen);
    return chosen < 0 || this.#standing.indexOf(standing) < chosen;
  }

  #isStanding(connection: ConnectionId): boolean {
    return this.#standingOf(connection) !== null;
  }

  #standingOf(connection: ConnectionId): Standing | null {
    for (const each of this.#standing) if (each.connection === connection) return each;
    return null;
  }

  #accept(connection: ConnectionId, dialled: boolean, identity: Identity, nowMs: number): void {
    if (this.#standing.length >= this.#options.connectionsPerPeer) {
      this.#decide({ type: 'terminate', connection, why: 'too many connections to one peer' });
      return;
    }
    this.dialling.stop();
    this.#decide({ type: 'accept', connection, peer: this.#id });
    if (!dialled) this.#decide({ type: 'greet', connection });
    const ping = { type: 'ping', connection } as const;
    const standing: Standing = { connection, isDialled: dialled, isPinged: false, unanswered: 0, ping };
    this.#ping(standing);
    this.#standing = [...this.#standing, standing];
    if (this.#process === null) {
      this.#process = identity;
      this.#upSinceMs = nowMs;
      this.#decide({ type: 'up', peer: identity });
      this.#watch.onUp(identity, nowMs);
    }
    // Asked now: once it seems to be dead, there would be no process left to prove where it runs.
    const { localSocket } = identity;
    if (localSocket !== undefined && isNeighbour(this.#own, identity))
      this.#decide({ type: 'meet', connection, localSocket });
    if (this.#standing.length > 1) this.#startPoll(null);
    this.#use();
  }

  #ping(standing: Standing): void {
    standing.isPinged = true;
    this.#decide(standing.ping);
  }

  #startPoll(claim: Claim | null): void {
    const asked = this.#standing.map(({ connection }) => connection);
    const number = ++this.#pollCount;
    this.#polls = [...this.#polls, { number, asked, answers: asked.map(() => null), claim }];
    for (const connection of asked)
      this.#decide({ type: 'probe', connection, poll: number, withinMs: this.#options.probeMs });
  }

  /**
   * The poll ends with the oldest connection that answered, once all older ones had time to. One that was closed after
   * its answer has not answered.
   */
  #answer(poll: Poll, connection: ConnectionId, answered: boolean, nowMs: number): void {
    const at = poll.asked.indexOf(connection);
    const isKnown = poll.answers[at] === false || poll.answers[at] === answered;
    if (at < 0 || isKnown || !this.#polls.includes(poll)) return;
    poll.answers[at] = answered;
    const first = poll.answers.findIndex((answer) => answer !== false);
    if (first >= 0 && poll.answers[first] === null) return;
    this.#polls = this.#polls.filter((each) => each !== poll);
    const oldest = poll.asked[first] ?? null;
    if (poll.claim === null) this.#settle(poll, oldest);
    else this.#decideClaim(poll, poll.claim, oldest, nowMs);
    this.#use();
  }

  #settle(poll: Poll, oldest: ConnectionId | null): void {
    this.#chosen = oldest;
    if (oldest === null || !this.#isStanding(oldest) || compareIds(this.#own.id, this.#id) > 0) return;
    const newer = poll.asked.slice(poll.asked.indexOf(oldest) + 1);
    const others = newer.filter((each) => this.#isStanding(each));
    // Frames on them are still read, but nothing waits for them to close.
    this.#standing = this.#standing.filter((each) => !others.includes(each.connection));
    const why = 'one connection per pair is enough';
    for (const connection of others) {
      this.#tellWatch('duplicate');
      this.#decide({ type: 'close', connection, why, says: 'duplicate' });
    }
  }

  #decideClaim({ asked }: Poll, claim: Claim, oldest: ConnectionId | null, nowMs: number): void {
    const { connection, dialled, identity, against } = claim;
    const isHeld = this.#process === against;
    if (isHeld && oldest !== null) {
      const refused: Refused = { kind: 'same-id', reason: sharedId(against, identity) };
      this.#decide({ type: 'warn', connection: oldest, refused });
      this.#decide({ type: 'refuse', connection, refused });
      this.#decide({ type: 'tell', about: { connection }, verdict: 'refused', refused });
      return;
    }
    // The earlier process may have connected again meanwhile.
    if (isHeld && this.#standing.some((each) => !asked.includes(each.connection)))
      return this.#startPoll(claim);
    if (isHeld) {
      for (const each of this.#standing) {
        const why = 'another process took its place';
        this.#decide({ type: 'terminate', connection: each.connection, why });
        this.#remove(each.connection, 'by-us', why, nowMs);
      }
    }
    this.claim(connection, dialled, identity, nowMs);
  }

  /** The process is down once its last connection is closed. */
  #remove(connection: ConnectionId, closing: Closing, reason: string, nowMs: number, isEnd = false): void {
    const gone = this.#process;
    if (gone === null || !this.#isStanding(connection)) return;
    this.#standing = this.#standing.filter((each) => each.connection !== connection);
    this.#tellWatch(closing);
    if (this.#standing.length > 1 && connection === this.#chosen) this.#startPoll(null);
    if (this.#standing.length > 0) return;
    this.#process = null;
    this.#chosen = null;
    if (!isEnd) this.dialling.again(nowMs - this.#upSinceMs >= LASTING_MS);
    this.#decide({ type: 'down', peer: gone, reason, isAbandoned: isAbandoned(closing) });
    this.#watch.onDown(gone, nowMs);
  }

  /**
   * A closed duplicate says nothing of the process if a connection stays that this side dialled: that one leads to
   * the peer itself. One that was accepted may be another process's, and then the duplicate was the peer's.
   */
  #tellWatch(closing: Closing): void {
    if (closing === 'duplicate' && this.#standing.some(({ isDialled }) => isDialled)) return;
    if (this.#process !== null) this.#watch.onClosed(this.#process, closing);
  }

  /** The chosen connection; without a choice, the oldest. None while the poll runs. */
  #use(): void {
    const chosen = this.#chosen !== null && this.#isStanding(this.#chosen) ? this.#chosen : null;
    const used = this.#isUndecided ? null : (chosen ?? this.#standing[0]?.connection ?? null);
    if (used === this.#used) return;
    this.#used = used;
    this.#decide({ type: 'use', peer: this.#id, connection: used });
  }
}
