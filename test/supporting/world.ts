/**
 * Support between two processes, step by step: the production code of `src/support`, in elections that are reduced to what a rest
 * is about. Process 1 leads, process 2 votes; a third voter is down, so that the lease of 1 rests on the answers of 2 alone.
 * Both have the same clock. What is looked at after every step:
 *
 * - while 1 may act in an election, 2 is bound to that very process of 1 in it: no other can be elected (S10);
 * - a lease that has ended is not renewed;
 * - when 1 resigns, what it says frees the promise of 2: no later round has bound it.
 */
import type { Support, SupportAnswer, SupportRequest } from '../../src/support/index.ts';
import { Clock, Leading, TIMES, Voting } from './sides.ts';
import { keyOf } from './state-key.ts';

/** How far the clock moves at a time. */
const PASS_MS = 10;

type Packet = { readonly to: 1 | 2 } & (
  | { readonly type: 'support'; readonly m: SupportRequest | SupportAnswer }
  | {
      readonly type: 'heartbeat';
      readonly e: string;
      readonly life: string;
      readonly term: number;
      readonly round: number;
    }
  | {
      readonly type: 'answer';
      readonly e: string;
      readonly life: string;
      readonly term: number;
      readonly round: number;
    }
  | {
      readonly type: 'release';
      readonly e: string;
      readonly life: string;
      readonly term: number;
      readonly round: number;
    }
);

/** What a run may still contain. Each is counted down as it happens. */
export interface Budget {
  passes: number;
  beats: number;
  rests: number;
  wakes: number;
  voterWakes: number;
  resigns: number;
  wins: number;
  votes: number;
  restarts: number;
  voterRestarts: number;
  drops: number;
  duplicates: number;
  /** So many messages may be on their way, and something else than their arrival can happen. Not counted down. */
  inFlight: number;
}

export type Step = readonly [what: string, which?: string | number];

export class World {
  nowMs = 0;
  packets: readonly Packet[] = [];
  life = 1;
  voterLife = 1;
  leader!: Support;
  voter!: Support;
  leading: ReadonlyMap<string, Leading> = new Map();
  voting: ReadonlyMap<string, Voting> = new Map();
  failure: string | null = null;
  readonly budget: Budget;
  readonly #names: readonly string[];
  readonly #Machine: typeof Support;
  #clock = new Clock(this);
  #voterClock = new Clock(this);

  constructor(Machine: typeof Support, names: readonly string[], budget: Budget) {
    this.#Machine = Machine;
    this.#names = names;
    this.budget = { ...budget };
    this.#startVoter();
    this.#startLeader();
    for (const name of names) this.#win(name);
  }

  get #lifeName(): string {
    return `leader ${this.life}`;
  }

  #startLeader(): void {
    this.#clock = new Clock(this);
    this.leading = new Map(this.#names.map((name) => [name, new Leading(this)]));
    this.leader = new this.#Machine({
      self: 1,
      life: this.#lifeName,
      clock: this.#clock,
      send: (_, m) => this.#send({ to: 2, type: 'support', m }),
      understands: (id) => (id === 2 ? true : null),
      find: (name) => this.leading.get(name) ?? null,
    });
  }

  #startVoter(): void {
    this.#voterClock = new Clock(this);
    const terms = new Map([...this.voting].map(([name, { term }]) => [name, term]));
    this.voting = new Map(this.#names.map((name) => [name, new Voting(this, name)]));
    for (const [name, each] of this.voting) {
      each.term = terms.get(name) ?? 0;
      if (terms.size > 0) each.freeAtMs = this.nowMs + TIMES.promiseMs;
    }
    this.voter = new this.#Machine({
      self: 2,
      life: `voter ${this.voterLife}`,
      clock: this.#voterClock,
      send: (_, m) => this.#send({ to: 1, type: 'support', m }),
      understands: () => true,
      find: (name) => this.voting.get(name) ?? null,
    });
  }

  #send(packet: Packet): void {
    this.packets = [...this.packets, structuredClone(packet)];
  }

  /** A vote and its answer, both at once: what goes wrong with these is tried elsewhere. */
  #win(name: string): void {
    const [led, voted] = [this.leading.get(name)!, this.voting.get(name)!];
    voted.wake();
    led.wake();
    voted.term += 1;
    voted.follows = this.#lifeName;
    voted.promise = { life: this.#lifeName, round: 1, heardAtMs: this.nowMs };
    const lease = { round: 1, sentAtMs: this.nowMs };
    Object.assign(led, { leads: true, hasLapsed: false, isRoused: false, term: voted.term });
    Object.assign(led, { round: 1, answered: 1, sent: [lease], lease });
  }

  /** All that can happen next. */
  get steps(): readonly Step[] {
    const steps: Step[] = [];
    const { budget } = this;
    const distinct = new Map(this.packets.map((packet, i) => [JSON.stringify(packet), i]));
    for (const i of distinct.values()) {
      steps.push(['deliver', i]);
      if (budget.drops > 0) steps.push(['drop', i]);
      if (budget.duplicates > 0) steps.push(['duplicate', i]);
    }
    if (this.packets.length >= budget.inFlight) return steps;
    if (budget.passes > 0) steps.push(['pass']);
    for (const [name, led] of this.leading) {
      const isAwake = led.leads && led.rest === null;
      if (isAwake && budget.beats > 0) steps.push(['beat', name]);
      if (isAwake && budget.rests > 0 && led.mayAct && !led.isRoused && led.lease!.round === led.round)
        steps.push(['rest', name]);
      if (led.rest !== null && budget.wakes > 0) steps.push(['wake', name]);
      if (led.leads && budget.resigns > 0) steps.push(['resign', name]);
      if (!led.leads && budget.wins > 0 && !this.voting.get(name)!.isBound) steps.push(['win', name]);
    }
    for (const [name, voted] of this.voting) {
      if (voted.rest !== null && budget.voterWakes > 0) steps.push(['voter wakes', name]);
      if (!voted.isBound && budget.votes > 0) steps.push(['vote for another', name]);
    }
    if (budget.restarts > 0) steps.push(['restart']);
    if (budget.voterRestarts > 0) steps.push(['voter restarts']);
    return steps;
  }

  do([what, which]: Step): void {
    const { budget } = this;
    const led = this.leading.get(which as string);
    const voted = this.voting.get(which as string);
    switch (what) {
      case 'deliver':
        this.#deliver(which as number, true);
        break;
      case 'duplicate':
        budget.duplicates -= 1;
        this.#deliver(which as number, false);
        break;
      case 'drop':
        budget.drops -= 1;
        this.packets = this.packets.filter((_, i) => i !== which);
        break;
      case 'pass':
        budget.passes -= 1;
        this.nowMs += PASS_MS;
        this.#clock.runDue();
        this.#voterClock.runDue();
        break;
      case 'beat':
        budget.beats -= 1;
        led!.round += 1;
        led!.isRoused = false;
        led!.sent = [...led!.sent, { round: led!.round, sentAtMs: this.nowMs }];
        this.#send({
          to: 2,
          type: 'heartbeat',
          e: which as string,
          life: this.#lifeName,
          term: led!.term,
          round: led!.round,
        });
        break;
      case 'rest':
        budget.rests -= 1;
        this.#rest(which as string, led!);
        break;
      case 'wake':
        budget.wakes -= 1;
        led!.wake();
        break;
      case 'resign':
        budget.resigns -= 1;
        led!.wake();
        led!.leads = false;
        this.#send({
          to: 2,
          type: 'release',
          e: which as string,
          life: this.#lifeName,
          term: led!.term,
          round: led!.round,
        });
        break;
      case 'win':
        budget.wins -= 1;
        this.#win(which as string);
        break;
      case 'voter wakes':
        budget.voterWakes -= 1;
        voted!.wake();
        break;
      case 'vote for another':
        budget.votes -= 1;
        voted!.wake();
        voted!.term += 1;
        voted!.follows = null;
        voted!.promise = null;
        break;
      case 'restart':
        budget.restarts -= 1;
        this.life += 1;
        this.leader.close();
        this.#startLeader();
        break;
      case 'voter restarts':
        budget.voterRestarts -= 1;
        this.voterLife += 1;
        this.voter.close();
        this.#startVoter();
        break;
    }
    this.#look();
  }

  #rest(name: string, led: Leading): void {
    const { round, lease, term } = led;
    this.leader.rest(name, led, {
      times: TIMES,
      marks: { 2: String(term), 3: String(term) },
      voters: [1, 2, 3],
      answering: [2],
      kind: 'three',
      round,
      leaseRound: lease!.round,
      leaseTimer: 'lease',
    });
  }

  #deliver(at: number, isLast: boolean): void {
    const packet = structuredClone(this.packets[at]!);
    if (isLast) this.packets = this.packets.filter((_, i) => i !== at);
    if (packet.type === 'support') {
      if (packet.to === 2) this.voter.receive(1, packet.m);
      else this.leader.receive(2, packet.m);
      return;
    }
    const { type, e, life, term, round } = packet;
    if (type === 'answer') {
      const led = this.leading.get(e)!;
      if (life === this.#lifeName && led.leads && led.term === term) led.onAnswer(round);
      return;
    }
    const voted = this.voting.get(e)!;
    voted.wake(); // Any message wakes its election first.
    if (type === 'release') this.#onRelease(voted, packet);
    else this.#onHeartbeat(voted, packet);
  }

  #onHeartbeat(voted: Voting, { e, life, term, round }: Extract<Packet, { type: 'heartbeat' }>): void {
    const { promise } = voted;
    if (term < voted.term || (voted.isBound && promise !== null && promise.life !== life)) return;
    if (promise?.life === life && promise.round >= round) return;
    voted.term = term;
    voted.follows = life;
    voted.promise = { life, round, heardAtMs: this.nowMs };
    this.#send({ to: 1, type: 'answer', e, life, term, round });
  }

  #onRelease(voted: Voting, { e, life, term, round }: Extract<Packet, { type: 'release' }>): void {
    if (voted.promise?.life !== life || voted.term !== term) return;
    if (voted.promise.round > round)
      this.failure ??= `${e}: the promise is of round ${voted.promise.round}, and the consent of round ${round}`;
    voted.promise = null;
    voted.follows = null;
  }

  #look(): void {
    for (const [name, led] of this.leading) {
      const { mayAct } = led;
      const voted = this.voting.get(name)!;
      if (mayAct && led.hasLapsed) this.failure ??= `${name}: a lease that has ended is renewed`;
      if (led.leads && !mayAct) led.hasLapsed = true;
      if (mayAct && !voted.isBoundTo(this.#lifeName))
        this.failure ??= `${name}: process ${this.#lifeName} may act, and its voter is free`;
    }
  }

  /** Does an election rest on both sides? */
  get isResting(): boolean {
    return this.#names.some(
      (name) => this.leading.get(name)!.rest !== null && this.voting.get(name)!.rest !== null,
    );
  }

  /** All that a later step may depend on: times as they are from now, and numbers as they are. */
  get key(): string {
    const alarms = [this.#clock, this.#voterClock].map((clock) =>
      clock.alarms.map(({ atMs }) => atMs - this.nowMs),
    );
    const { budget, packets, life, voterLife, leader, voter, leading, voting, nowMs } = this;
    const leftOut = new Set<object>([this, this.#clock, this.#voterClock]);
    return keyOf(
      { budget, packets, life, voterLife, alarms, leader, voter, leading, voting },
      nowMs,
      leftOut,
    );
  }
}
