/**
 * The side of a process that leads elections: once per heartbeat it asks every voter for support, whatever the number
 * of its elections. An answer counts as the answer to a heartbeat of every election that rests with that voter.
 */
import {
  type MemberId,
  majority,
  type Rested,
  type RestOffer,
  type SentRound,
  type SupportTimes,
} from '../core/index.ts';
import type { HostClock } from '../host/index.ts';
import { SeenEndings } from './endings.ts';
import { Group, Led, type LedBy, type Sent, Voter } from './led.ts';
import type { SupportAnswer, SupportRequest } from './messages.ts';
import type { RestingHost } from './resting-host.ts';

/** How many elections a request offers: as many may have to wake, if the voter refuses. */
const MOST_OFFERS = 500;
/** A voter that has answered nothing for so many requests is offered nothing. */
const RECENT_ROUNDS = 3;
/** Requests beside the regular ones, for elections that begin to rest, have at least this part of a heartbeat between them. */
const SHARE_BETWEEN = 0.1;
/** Without a majority behind its rest by then, and for a heartbeat, an election goes on by itself. */
const PATIENCE_ROUNDS = 2;

export interface AskingPorts {
  readonly self: MemberId;
  readonly life: string;
  readonly clock: HostClock;
  /** Does this voter understand requests for support? Null: it is not connected. */
  understands(voter: MemberId): boolean | null;
  ask(to: MemberId, message: SupportRequest): void;
}

export class Asking {
  readonly #ports: AskingPorts;
  readonly #led = new Map<string, Led>();
  readonly #voters = new Map<MemberId, Voter>();
  readonly #groups = new Map<string, Group>();
  #times: SupportTimes | null = null;
  #round = 0;
  /** Those whose lease may not have ended, oldest first. */
  #sent: Sent[] = [];
  #tickedAtMs = Number.NEGATIVE_INFINITY;
  #tickAtMs = Number.POSITIVE_INFINITY;
  #cancelTick: (() => void) | null = null;
  readonly #by: LedBy = { leaseOf: (led) => this.#leaseOf(led), end: (led) => this.#end(led) };

  constructor(ports: AskingPorts) {
    this.#ports = ports;
  }

  /** How many elections that this process leads rest. */
  get size(): number {
    return this.#led.size;
  }

  /** The election rests from now on, if all voters that answer can rest too, and are enough. */
  rest(name: string, host: RestingHost, offer: RestOffer): boolean {
    const { self, clock } = this.#ports;
    const { answering } = offer;
    if (answering.length + 1 < majority(offer.voters.length)) return false;
    if (!answering.every((id) => this.#ports.understands(id) === true)) return false;
    const voters = offer.voters.filter((id) => id !== self);
    // One that is connected and has not answered yet: with it, the next request would wake the election again.
    if (voters.some((id) => this.#ports.understands(id) === false)) return false;
    const timer = host.timer(offer.leaseTimer);
    if (timer === undefined || timer.sleeps !== clock.sleeps) return false;
    if (this.#led.size === 0) this.#times = offer.times;
    if (!isSame(this.#times!, offer.times)) return false;
    const ahead = offer.round - this.#round;
    const sentAtMs = timer.endsAtMs - timer.lengthMs;
    const before = { round: offer.leaseRound - ahead, sentAtMs, sleeps: timer.sleeps };
    const [restedIn, restedAtMs, group] = [this.#round, clock.now(), this.#group(offer, [])];
    const times = this.#times!;
    const { kind } = group;
    const led = new Led(
      { name, host, offer: { ...offer, times, kind }, ahead, restedIn, restedAtMs, group, before },
      this.#by,
    );
    led.group.elections.add(led);
    this.#led.set(name, led);
    for (const id of voters) {
      const voter = this.#voter(id);
      voter.elections += 1;
      voter.offers.set(name, led);
      if (answering.includes(id)) voter.heardIn = this.#round;
    }
    host.begin(led);
    // The lease was renewed a heartbeat ago, so the next request is due now.
    this.#tickBy(Math.max(clock.after(0), this.#tickedAtMs + offer.times.heartbeatMs * SHARE_BETWEEN));
    return true;
  }

  onAnswer(from: MemberId, m: SupportAnswer): void {
    const voter = this.#voters.get(from);
    if (voter === undefined || m.to !== this.#ports.life || m.round > this.#round) return;
    // A lease that has ended is not renewed: its leadership ends (host/hold.ts).
    this.#wakeThoseWithoutLease();
    if (voter.life !== m.life) this.#meet(voter, m.life);
    if (m.round <= voter.answered) return; // Late or duplicate.
    const ended = voter.seen.news(m.count, m.ended) ?? [...this.#led.keys()];
    for (const name of ended) this.#unback(voter, name);
    voter.own.seen(m.seen);
    voter.answered = m.round;
    voter.heardIn = this.#round;
    voter.answeredAtMs = this.#ports.clock.now();
    for (const name of m.rested) this.#back(voter, name, m.round);
    // It does not follow this leader in that election, or not in the same term: a heartbeat tells it.
    for (const name of m.refused) if (this.#isOffered(voter, name, m.round)) this.#led.get(name)!.host.wake();
    this.#renew();
  }

  /** When this voter last answered, if it rests with this process in that election; else null. */
  heardAtMs(voter: MemberId, election: string): number | null {
    if (this.#led.get(election)?.backers.includes(voter) !== true) return null;
    return this.#voters.get(voter)!.answeredAtMs;
  }

  close(): void {
    this.#cancelTick?.();
  }

  #tickBy(atMs: number): void {
    if (this.#tickAtMs <= atMs) return;
    this.#cancelTick?.();
    this.#tickAtMs = atMs;
    this.#cancelTick = this.#ports.clock.set(atMs, () => this.#tick());
  }

  #tick(): void {
    this.#tickAtMs = Number.POSITIVE_INFINITY;
    const { clock } = this.#ports;
    this.#wakeThoseWithoutLease();
    const times = this.#times;
    if (this.#led.size === 0 || times === null) return;
    this.#round += 1;
    const sentAtMs = clock.now();
    this.#tickedAtMs = sentAtMs;
    this.#sent = this.#sent.filter((each) => sentAtMs < each.sentAtMs + times.leaseMs);
    this.#sent.push({ round: this.#round, sentAtMs, sleeps: clock.sleeps });
    for (const voter of this.#voters.values()) if (voter.elections > 0) this.#ask(voter, times);
    this.#renew(); // A single voter needs no answer.
    this.#tickBy(clock.after(times.heartbeatMs));
  }

  #ask(voter: Voter, { promiseMs }: SupportTimes): void {
    const offers: SupportRequest['offers'][number][] = [];
    if (voter.heardIn >= this.#round - RECENT_ROUNDS) {
      for (const [election, { offer, ahead }] of voter.offers) {
        offers.push({ election, mark: offer.marks[voter.id] ?? '', round: this.#round + ahead });
        if (offers.length >= MOST_OFFERS) break;
      }
    }
    this.#ports.ask(voter.id, {
      type: 'support',
      life: this.#ports.life,
      round: this.#round,
      promiseMs,
      count: voter.own.count,
      ended: voter.own.list,
      to: voter.life,
      seen: voter.seen.count,
      offers,
    });
  }

  /**
   * Another process of this voter answers: nothing rests with it. It may be a late message of an earlier process, and it is
   * not known any more which of its endings this side has confirmed: its later answers do not list those. So only answers
   * to requests count that are sent after this.
   */
  #meet(voter: Voter, life: string): void {
    if (voter.life !== null) {
      voter.answered = this.#round;
      voter.heardIn = this.#round;
      voter.own.addAll(voter.own.count);
    }
    voter.life = life;
    voter.seen = new SeenEndings();
    for (const name of this.#led.keys()) this.#unback(voter, name);
  }

  #back(voter: Voter, name: string, round: number): void {
    if (!this.#isOffered(voter, name, round)) return;
    const led = this.#led.get(name)!;
    voter.offers.delete(name);
    this.#move(led, [...led.backers, voter.id]);
  }

  /** Was this rest offered in that round? An answer may be about an earlier rest of the same election. */
  #isOffered(voter: Voter, name: string, round: number): boolean {
    const led = voter.offers.get(name);
    return led !== undefined && round > led.restedIn;
  }

  /** The voter is offered the election again: often it was awake for a moment only. */
  #unback(voter: Voter, name: string): void {
    const led = this.#led.get(name);
    if (led === undefined || !led.backers.includes(voter.id)) return;
    this.#move(
      led,
      led.backers.filter((id) => id !== voter.id),
    );
    voter.offers.set(name, led);
  }

  #move(led: Led, backers: readonly MemberId[]): void {
    led.before = this.#bestOf(led);
    led.group.elections.delete(led);
    led.backers = backers;
    led.group = this.#group(led.offer, backers);
    led.group.elections.add(led);
  }

  #group({ kind }: RestOffer, backers: readonly MemberId[]): Group {
    const key = `${kind} | ${[...backers].sort().join()}`;
    const group = this.#groups.get(key) ?? new Group(kind);
    this.#groups.set(key, group);
    return group;
  }

  /** Which of the requests carries the leases of each group, now. */
  #renew(): void {
    for (const [key, group] of this.#groups) {
      const [first] = group.elections;
      if (first === undefined) {
        this.#groups.delete(key);
        continue;
      }
      const { backers, host } = first;
      const round = host.carried(this.#round, (id) =>
        backers.includes(id) ? this.#voters.get(id)!.answered : 0,
      );
      if (round > (group.lease?.round ?? 0))
        group.lease = this.#sent.find((each) => each.round === round) ?? null;
    }
  }

  #bestOf({ before, group }: Led): Sent | null {
    if (before === null || group.lease === null) return before ?? group.lease;
    return group.lease.round > before.round ? group.lease : before;
  }

  #leaseOf(led: Led): { readonly endsAtMs: number; readonly lengthMs: number } {
    const best = this.#bestOf(led);
    const { leaseMs } = led.offer.times;
    // After a sleep of the machine the time that has passed is not known.
    if (best === null || best.sleeps !== this.#ports.clock.sleeps) return { endsAtMs: 0, lengthMs: 0 };
    return { endsAtMs: best.sentAtMs + leaseMs, lengthMs: leaseMs };
  }

  #isValid({ sentAtMs, sleeps }: Sent, { offer }: Led, nowMs: number): boolean {
    return sleeps === this.#ports.clock.sleeps && nowMs < sentAtMs + offer.times.leaseMs;
  }

  #end(led: Led): Rested {
    const { clock } = this.#ports;
    this.#led.delete(led.name);
    led.group.elections.delete(led);
    for (const id of led.offer.voters) {
      const voter = this.#voters.get(id);
      if (voter === undefined) continue;
      voter.offers.delete(led.name);
      voter.own.add(led.name);
      voter.elections -= 1;
    }
    const nowMs = clock.now();
    const best = this.#bestOf(led);
    const inElection = ({ round, sentAtMs }: Sent): SentRound => ({ round: round + led.ahead, sentAtMs });
    const isValid = (each: Sent): boolean => this.#isValid(each, led, nowMs);
    const answered: Record<string, number> = {};
    for (const id of led.backers) answered[id] = this.#voters.get(id)!.answered + led.ahead;
    return {
      as: 'leader',
      round: this.#round + led.ahead,
      open: this.#sent.filter((each) => each.round > led.restedIn && isValid(each)).map(inElection),
      lease: best !== null && isValid(best) ? inElection(best) : null,
      renewedAtMs: best?.sentAtMs ?? nowMs,
      answered,
    };
  }

  #wakeThoseWithoutLease(): void {
    const nowMs = this.#ports.clock.now();
    for (const group of this.#groups.values()) {
      const [first] = group.elections;
      if (first === undefined) continue;
      // All elections of a group have the same voters, and the same lease unless that of before lasts longer.
      const isWell =
        group.lease !== null && this.#isValid(group.lease, first, nowMs) && this.#isUnderstood(first);
      if (isWell) continue;
      for (const led of [...group.elections]) {
        const isLate =
          group.lease === null &&
          this.#round - led.restedIn > PATIENCE_ROUNDS &&
          nowMs - led.restedAtMs >= led.offer.times.heartbeatMs;
        if (isLate || this.#leaseOf(led).endsAtMs <= nowMs || !this.#isUnderstood(led)) led.host.wake();
      }
    }
  }

  /** A member of an earlier release may have come back since. */
  #isUnderstood({ offer }: Led): boolean {
    return offer.voters.every((id) => id === this.#ports.self || this.#ports.understands(id) !== false);
  }

  #voter(id: MemberId): Voter {
    const known = this.#voters.get(id);
    if (known !== undefined) return known;
    const voter = new Voter(id);
    this.#voters.set(id, voter);
    return voter;
  }
}

function isSame(a: SupportTimes, b: SupportTimes): boolean {
  return a.heartbeatMs === b.heartbeatMs && a.promiseMs === b.promiseMs && a.leaseMs === b.leaseMs;
}
