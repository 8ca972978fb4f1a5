import type { Property } from '../../core/index.ts';
import {
  appliesTo,
  type Finding,
  majorityBehindWins,
  oneActing,
  type Process,
  SAFETY,
} from '../../properties/index.ts';
import { type Bounds, countOf, type Fault, fires, isCounted, isPrompt, mostOf, oneMore } from './bounds.ts';
import { Bursts } from './bursts.ts';
import type { Cluster } from './cluster.ts';
import { Forgetting } from './forgetting.ts';
import { Histories, processOf } from './history.ts';
import { type InFlight, messagesInFlight } from './in-flight.ts';
import { Leases } from './leases.ts';
import type { Lessons } from './lessons.ts';
import { Memo } from './memo.ts';
import { type Outcome, Outcomes } from './outcomes.ts';
import { Tokens } from './tokens.ts';

export type Kind = 'react' | 'crash' | 'drop' | 'duplicate';

/** One thing that can happen in a state, and the state it leads to. The same object is reused for all of them. */
export interface Transition {
  readonly to: Int32Array;
  kind: Kind;
  /** The index of the member it happens to. */
  member: number;
  /** The number of the cause, or of the message that is lost or duplicated. */
  cause: number;
  outcome: Outcome | null;
  /** The outcomes of the messages that arrived at once, in order. */
  followed: readonly Followed[];
  findings: readonly Finding[];
  /** It leads past a bound: the properties are checked, but the state is not followed. */
  beyond: boolean;
}

/** A message arrived at once. */
export interface Followed {
  readonly member: number;
  readonly cause: number;
  readonly outcome: Outcome;
}

export type Visit = (transition: Transition) => void;

const NONE: readonly never[] = [];

/**
 * The cluster as a graph. A state is a list of integers: one per member, then the messages in flight, the history,
 * the newest token, the running leases and the faults so far. All but the last are numbers of interned values. The
 * model computes the result of each single event; see Choices for all that can happen.
 */
export class Model {
  readonly cluster: Cluster;
  readonly bounds: Bounds;
  readonly outcomes: Outcomes;
  readonly inFlight: InFlight;
  readonly histories: Histories;
  readonly tokens: Tokens;
  readonly leases: Leases;
  /** How many integers make a state, and where each part of it is. */
  readonly width: number;
  readonly net: number;
  readonly past: number;
  readonly newest: number;
  readonly running: number;
  readonly faults: number;
  readonly #n: number;
  readonly #processes: readonly Process[];
  readonly #forgetting: Forgetting;
  readonly #watched: ReadonlySet<Property>;
  /** How often each fault may have happened in a history, including the script. */
  #most: Readonly<Record<Fault, number>>;
  readonly #inFlightMost: number;
  readonly #isNetBounded: boolean;
  readonly #justifies: boolean;
  #isScripted = true;
  readonly #bursts: Bursts;
  /** By running leases and local state: is the lease of that member over? */
  readonly #over = new Memo();
  readonly #transition: Transition;

  /** `asked`: the properties to check. `keepsVotes`: every vote that was ever cast stays in flight. */
  constructor(
    cluster: Cluster,
    bounds: Bounds,
    asked: ReadonlySet<Property>,
    lessons: Lessons,
    keepsVotes: boolean,
  ) {
    this.cluster = cluster;
    this.bounds = bounds;
    this.inFlight = messagesInFlight(!isCounted(bounds.network));
    const properties = SAFETY.filter((each) => asked.has(each.property) && appliesTo(each, cluster.protocol));
    const watched = new Set(properties.map(({ property }) => property));
    const losesDisks = bounds.amnesia > 0;
    this.histories = new Histories(cluster.ids, watched, lessons, { keepsVotes, losesDisks });
    this.tokens = new Tokens(cluster.ids);
    const isOff = !properties.some(({ reads }) => reads.includes('act'));
    this.leases = new Leases(cluster.ids, lessons, (timer) => fires(bounds, timer), isOff);
    this.outcomes = new Outcomes(cluster, bounds, this.inFlight, this.histories, this.leases);
    const n = cluster.ids.length;
    this.#forgetting = new Forgetting(this, lessons);
    this.net = n;
    this.past = n + 1;
    this.newest = n + 2;
    this.running = n + 3;
    this.faults = n + 4;
    this.width = n + 5;
    this.#n = n;
    this.#processes = cluster.ids.map(processOf);
    this.#watched = watched;
    this.#justifies = keepsVotes && watched.has('S4');
    this.#most = mostFaults(bounds);
    this.#inFlightMost = isCounted(bounds.network) ? bounds.network.inFlight : Number.POSITIVE_INFINITY;
    this.#isNetBounded = Number.isFinite(this.#inFlightMost);
    this.#bursts = new Bursts(this, (before, transition, i, outcome) =>
      this.#happen(before, transition, i, outcome),
    );
    this.#transition = {
      to: new Int32Array(this.width),
      kind: 'react',
      member: 0,
      cause: 0,
      outcome: null,
      followed: NONE,
      findings: NONE,
      beyond: false,
    };
  }

  /** The script ends in this state: the bounds, and the messages that arrive at once, apply from here on. */
  begin(state: Int32Array): void {
    this.#isScripted = false;
    this.outcomes.begin(state);
    const so = state[this.faults]!;
    const most = Object.entries(mostFaults(this.bounds)) as [Fault, number][];
    this.#most = Object.fromEntries(
      most.map(([fault, count]) => [fault, Math.min(countOf(so, fault) + count, mostOf(fault))]),
    ) as Record<Fault, number>;
  }

  /** Is one more of this fault within the bounds? */
  mayStill(faults: number, fault: Fault): boolean {
    return countOf(faults, fault) < this.#most[fault];
  }

  /** May a member still lose its disk? */
  mayLoseDisk(state: Int32Array): boolean {
    const faults = state[this.faults]!;
    if (!this.mayStill(faults, 'amnesia')) return false;
    if (this.mayStill(faults, 'crashes')) return true;
    for (let i = 0; i < this.#n; i++) if (!this.outcomes.facts(state[i]!).alive) return true;
    return false;
  }

  /** May this member act, as far as it knows? */
  acts(state: Int32Array, i: number): boolean {
    const local = state[i]!;
    const facts = this.outcomes.facts(local);
    if (facts.acts !== 'leased') return facts.acts === 'yes';
    const running = state[this.running]!;
    let isOver = this.#over.get(running, local);
    if (isOver < 0) {
      isOver = Number(this.leases.isOver(running, this.cluster.ids[i]!, facts.lease));
      this.#over.set(isOver, running, local);
    }
    return isOver === 0;
  }

  /**
   * Applies a cause, with these messages left in flight and these faults so far. Outcomes that change nothing are not
   * visited.
   */
  react(state: Int32Array, i: number, cause: number, net: number, faults: number, visit: Visit): void {
    const local = state[i]!;
    const all = this.outcomes.of(local, cause);
    for (let k = 0; k < all.length; k++) {
      const outcome = all[k]!;
      if (outcome.dies && !this.mayStill(faults, 'crashes')) continue;
      const isQuiet = outcome.local === local && outcome.marks === 0 && outcome.atOnce.length === 0;
      const isSilent = outcome.sends === 0 && outcome.timers === 0;
      if (isQuiet && isSilent && net === state[this.net] && faults === state[this.faults]) continue;
      const transition = this.#begin(state, 'react', i, cause);
      const { to } = transition;
      transition.outcome = outcome;
      to[this.net] = net;
      to[this.faults] = outcome.dies ? oneMore(faults, 'crashes') : faults;
      this.#happen(state, transition, i, outcome);
      if (outcome.atOnce.length > 0 && !this.#isScripted) {
        if (isPrompt(this.bounds.network)) {
          this.#bursts.converse(transition, outcome.atOnce, visit);
          continue;
        }
        this.#bursts.follow(transition, outcome.atOnce);
        this.forget(to);
      } else {
        this.#forgetting.forgetAfter(to, i, outcome);
        if (isQuiet && this.#isSame(state, to)) continue;
      }
      transition.beyond ||= this.#isCrowded(to);
      visit(transition);
    }
  }

  /** One outcome, replacing the state that the transition has led to so far. */
  #happen(before: Int32Array, transition: Transition, i: number, outcome: Outcome): void {
    const { to } = transition;
    to[i] = outcome.local;
    to[this.net] = this.inFlight.with(to[this.net]!, outcome.sends);
    if (outcome.timers !== 0) to[this.running] = this.leases.after(to[this.running]!, i, outcome.timers);
    if (outcome.wins && this.#justifies) this.#justify(transition, outcome);
    if (outcome.marks !== 0) this.#mark(transition, outcome.marks);
    const facts = this.outcomes.facts(outcome.local);
    if (facts.acts !== 'no') this.#act(before, transition, i);
    transition.beyond ||= facts.beyond;
  }

  crash(state: Int32Array, i: number, visit: Visit): void {
    const transition = this.#begin(state, 'crash', i, 0);
    const { to } = transition;
    to[i] = this.outcomes.dead(state[i]!);
    to[this.faults] = oneMore(state[this.faults]!, 'crashes');
    const { death } = this.leases;
    if (death !== 0) to[this.running] = this.leases.after(state[this.running]!, i, death);
    visit(transition);
  }

  /** The network loses or duplicates a message. */
  disturb(
    state: Int32Array,
    kind: 'drop' | 'duplicate',
    message: number,
    net: number,
    faults: number,
    visit: Visit,
  ): void {
    const transition = this.#begin(state, kind, this.outcomes.receiver(message), message);
    transition.to[this.net] = net;
    transition.to[this.faults] = faults;
    transition.beyond = this.#isCrowded(transition.to);
    visit(transition);
  }

  /** What can happen in this state, which the script or another transition led to, is asked for next. */
  prepare(state: Int32Array): void {
    this.#forgetting.prepare(state);
  }

  /** Drops from a state what can never matter again. */
  forget(state: Int32Array): void {
    this.#forgetting.forget(state);
  }

  #begin(state: Int32Array, kind: Kind, member: number, cause: number): Transition {
    const transition = this.#transition;
    const { to } = transition;
    for (let i = 0; i < state.length; i++) to[i] = state[i]!; // Faster than `set` for so few.
    transition.kind = kind;
    transition.member = member;
    transition.cause = cause;
    transition.outcome = null;
    transition.followed = NONE;
    transition.findings = NONE;
    transition.beyond = false;
    return transition;
  }

  #isSame(a: Int32Array, b: Int32Array): boolean {
    return (
      a[this.net] === b[this.net] && a[this.running] === b[this.running] && a[this.faults] === b[this.faults]
    );
  }

  #isCrowded(state: Int32Array): boolean {
    return this.#isNetBounded && this.inFlight.lists.length(state[this.net]!) > this.#inFlightMost;
  }

  #mark(transition: Transition, marks: number): void {
    const { past, findings } = this.histories.after(transition.to[this.past]!, marks);
    transition.to[this.past] = past;
    if (findings.length > 0) transition.findings = [...transition.findings, ...findings];
  }

  /** S4, if every vote that was ever cast is still in flight. */
  #justify(transition: Transition, { marks }: Outcome): void {
    const { cluster, histories, inFlight, outcomes } = this;
    for (const mark of histories.marks.value(marks)) {
      if (mark.kind !== 'won' || mark.term === null) continue;
      const { member, term } = mark;
      if (histories.hasWon(transition.to[this.past]!, member, term)) continue;
      const messages = inFlight.lists.value(transition.to[this.net]!);
      const helpers = messages.flatMap((message) => outcomes.helper(message, member, term));
      const voters = mark.voters ?? cluster.ids;
      const finding = majorityBehindWins.judge({ who: processOf(member), term, voters, helpers });
      if (finding !== null) transition.findings = [...transition.findings, finding];
    }
  }

  /** S10, and the token of S6, when a member may act that could not before (or not in this term). */
  #act(before: Int32Array, transition: Transition, i: number): void {
    const { to } = transition;
    if (!this.acts(to, i)) return;
    const { term } = this.outcomes.facts(to[i]!);
    if (this.acts(before, i) && this.outcomes.facts(before[i]!).term === term) return;
    const acting = { who: this.#processes[i]!, term };
    for (let j = 0; j < this.#n && this.#watched.has('S10'); j++) {
      if (j === i || !this.acts(to, j)) continue;
      const finding = oneActing.judge({ who: this.#processes[j]!, term: null }, acting);
      if (finding !== null) transition.findings = [...transition.findings, finding];
    }
    if (term === null || !this.#watched.has('S6')) return;
    const { newest, finding } = this.tokens.after(to[this.newest]!, i, term);
    to[this.newest] = newest;
    if (finding !== null) transition.findings = [...transition.findings, finding];
  }
}

/** How often each fault may happen. */
function mostFaults({
  crashes,
  amnesia,
  evidence,
  commands,
  timers,
  network,
}: Bounds): Record<Fault, number> {
  const counted = isCounted(network) ? network : { drops: 0, duplicates: 0 };
  return {
    crashes,
    evidence,
    commands: commands.most,
    timers: timers ?? mostOf('timers'),
    drops: counted.drops,
    late: isPrompt(network) ? network.late : 0,
    duplicates: counted.duplicates,
    amnesia,
    falseProof: mostOf('falseProof'),
  };
}
