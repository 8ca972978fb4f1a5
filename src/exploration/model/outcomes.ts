import { assert, type MemberId } from '../../core/index.ts';
import type { Belief } from '../../properties/index.ts';
import { type Bounds, DEFAULT_COUNTER, familyOf, fires, isPrompt } from './bounds.ts';
import type { Cluster } from './cluster.ts';
import type { Histories } from './history.ts';
import type { InFlight } from './in-flight.ts';
import { Interner } from './interner.ts';
import type { Leases } from './leases.ts';
import { marksOf } from './marks.ts';
import { type Cause, down, type Envelope, type Local, type Reaction, react } from './member.ts';

/** One outcome of a cause, as numbers. */
export interface Outcome {
  readonly local: number;
  /** A list of messages. */
  readonly sends: number;
  /** Messages that arrive at once, in the order of sending. */
  readonly atOnce: readonly number[];
  /** Messages that never arrive. */
  readonly muted: readonly number[];
  /** A list of marks in the history. */
  readonly marks: number;
  /** A list of marks about timers. */
  readonly timers: number;
  readonly dies: boolean;
  /** It claims a leadership that it did not claim before. */
  readonly wins: boolean;
  readonly votes: boolean;
  readonly draws: readonly string[];
  readonly diesAtSave: number | null;
}

/** It changes only the count of faults: the same as if its cause had not happened. */
export function isIdle(before: number, { local, sends, atOnce, marks, timers }: Outcome): boolean {
  return local === before && sends === 0 && atOnce.length === 0 && marks === 0 && timers === 0;
}

/** Facts about a member that the explorer needs often. */
export interface Facts extends Belief {
  /** The member's index. */
  readonly member: number;
  readonly alive: boolean;
  /** Its running timers as causes, and those of them that fire within the bounds. */
  readonly timers: readonly number[];
  readonly firing: readonly number[];
  /** Those that fire without being counted. */
  readonly free: readonly number[];
  /** May it act: not at all, as long as it claims, or as long as its lease has not expired? */
  readonly acts: 'no' | 'yes' | 'leased';
  readonly lease: string;
  readonly term: number | null;
  /** The term that it last reported, also in an earlier life; 0 if none. */
  readonly lastTerm: number;
  /** The names of its processes, if they are kept. */
  readonly lives: readonly string[];
  /** A counter is past its bound. */
  readonly beyond: boolean;
  /** It has something on its disk. */
  readonly saved: boolean;
  /** The same member after a crash; -1 until it was needed. */
  dead: number;
  /** Its progress: the sum of counters that only grow. */
  readonly progress: number;
  readonly reactions: Map<number, Reactions>;
  /** By message: 1 if it is known to change nothing. Most messages in flight change nothing any more. */
  quiet: Uint8Array;
}

/** All possible outcomes of a cause. */
export type Reactions = readonly Outcome[];

/**
 * Members, causes and outcomes, by number. A protocol steps once for each different pair of a member and a cause; the
 * same pair occurs in very many states of the whole cluster.
 */
export class Outcomes {
  readonly locals: Interner<Local> = new Interner();
  readonly causes: Interner<Cause> = new Interner();
  /** Called for every pair that occurs for the first time. */
  onNew: ((local: number, cause: number, outcomes: readonly Outcome[]) => void) | null = null;
  readonly #facts: Facts[] = [];
  readonly #receivers: number[] = [];
  readonly #terms: number[] = [];
  readonly #senders: number[] = [];
  readonly #cluster: Cluster;
  readonly #bounds: Bounds;
  readonly #inFlight: InFlight;
  readonly #histories: Histories;
  readonly #leases: Leases;
  #isScripted = true;

  constructor(cluster: Cluster, bounds: Bounds, inFlight: InFlight, histories: Histories, leases: Leases) {
    this.#cluster = cluster;
    this.#bounds = bounds;
    this.#inFlight = inFlight;
    this.#histories = histories;
    this.#leases = leases;
  }

  facts(local: number): Facts {
    return this.#facts[local] ?? this.#learnFacts(local);
  }

  /** The index of the member that a message goes to; -1 for one that does not exist. */
  receiver(message: number): number {
    return this.#receivers[message] ?? this.#learnReceiver(message);
  }

  /** The term that a message carries, if it has a field that looks like one; else it is never old. */
  termOf(message: number): number {
    const known = this.#terms[message];
    if (known !== undefined) return known;
    const cause = this.causes.value(message);
    const { term, epoch } = (cause.type === 'message' ? cause.message : {}) as Record<string, unknown>;
    const found = [term, epoch].find((field) => typeof field === 'number') ?? Number.POSITIVE_INFINITY;
    this.#terms[message] = found;
    return found;
  }

  /** A message with its ends. */
  envelope(message: number): Envelope {
    const cause = this.causes.value(message);
    if (cause.type !== 'message') assert(false, `${cause.type} is no message`);
    return cause;
  }

  /** The voter that helps this member to win this term with this message, if any. */
  helper(message: number, member: MemberId, term: number): readonly MemberId[] {
    const cause = this.causes.value(message);
    if (cause.type !== 'message' || cause.to !== member) return [];
    return this.#cluster.protocol.vote?.(cause.message)?.term === term ? [cause.from] : [];
  }

  /** The index of the member that a message comes from. */
  sender(message: number): number {
    this.#senders[message] ??= this.#cluster.ids.indexOf(this.envelope(message).from);
    return this.#senders[message]!;
  }

  /** A message's type. */
  typeOf(message: number): string {
    const cause = this.causes.value(message);
    return cause.type === 'message' ? cause.message.type : '';
  }

  /** All possible outcomes of this cause: one for each combination of draws, and for a death in mid-save. */
  of(local: number, cause: number): Reactions {
    const known = this.facts(local).reactions.get(cause);
    if (known !== undefined) return known;
    const reactions = this.compute(local, cause);
    this.onNew?.(local, cause, reactions);
    return reactions;
  }

  /** Every pair of a member and a cause so far, with its outcomes. */
  known(): { local: number; cause: number; all: readonly Outcome[] }[] {
    return this.#facts.flatMap(({ reactions }, local) =>
      [...reactions].map(([cause, all]) => ({ local, cause, all })),
    );
  }

  /** The same as `of`, without calling `onNew`. */
  compute(local: number, cause: number): Reactions {
    const reactions = this.#compute(this.locals.value(local), this.causes.value(cause));
    const facts = this.facts(local);
    facts.reactions.set(cause, reactions);
    if (reactions.every((outcome) => isIdle(local, outcome))) note(facts, cause);
    return reactions;
  }

  /** The script has ended with these members, and the bounds apply from now on. */
  begin(state: Int32Array): void {
    this.#isScripted = false;
    for (const { reactions, quiet } of this.#facts.filter(Boolean)) {
      reactions.clear(); // The same causes have other outcomes now.
      quiet.fill(0);
    }
    for (let i = 0; i < this.#cluster.ids.length; i++) {
      state[i] = this.locals.id(this.#withoutIdleTimers(this.locals.value(state[i]!)));
    }
  }

  /** The same member after a crash. */
  dead(local: number): number {
    const facts = this.facts(local);
    if (facts.dead < 0) facts.dead = this.locals.id(down(this.locals.value(local)));
    return facts.dead;
  }

  #compute(local: Local, cause: Cause): Outcome[] {
    const self = this.#cluster.selves[this.#cluster.ids.indexOf(local.member)]!;
    const { draws: values, unsynced, crashes } = this.#bounds;
    const outcomes: Outcome[] = [];
    let draws: readonly string[] | null = [];
    while (draws !== null) {
      const fate = { draws, draw: values[0]! };
      const reaction = react(this.#cluster.protocol, self, local, cause, { ...fate, diesAtSave: null });
      outcomes.push(this.#outcome(local, cause, reaction, null));
      for (let save = 1; unsynced && crashes > 0 && save <= reaction.saves; save++) {
        const dying = react(this.#cluster.protocol, self, local, cause, { ...fate, diesAtSave: save });
        // If nothing had left yet, this equals a crash before the cause.
        const left = dying.sends.length > 0 || dying.reports.length > 0 || save > 1;
        if (left) outcomes.push(this.#outcome(local, cause, dying, save));
      }
      draws = nextDraws(reaction.draws, values);
    }
    return outcomes;
  }

  #outcome(before: Local, cause: Cause, reaction: Reaction, diesAtSave: number | null): Outcome {
    const marks = marksOf(this.#cluster.protocol, before, cause, reaction);
    const { atOnce, mute, network } = this.#bounds;
    const isAtOnce = (type: string): boolean =>
      !mute.includes(type) && (atOnce.includes(type) || (isPrompt(network) && !this.#isScripted));
    const sent = (isMeant: (type: string) => boolean): number[] =>
      reaction.sends
        .filter(({ message }) => isMeant(message.type))
        .map((envelope) => this.#messageId(envelope));
    return {
      local: this.locals.id(this.#withoutIdleTimers(reaction.local)),
      sends: this.#inFlight.id(sent((type) => !isAtOnce(type) && !mute.includes(type))),
      atOnce: sent(isAtOnce),
      muted: sent((type) => mute.includes(type)),
      marks: this.#histories.marks.id(marks),
      timers: this.#leases.marks.id(this.#leases.marksOf(cause, reaction)),
      dies: diesAtSave !== null,
      wins: marks.some(({ kind }) => kind === 'won'),
      votes: marks.some(({ kind }) => kind === 'voted'),
      draws: reaction.draws,
      diesAtSave,
    };
  }

  #messageId({ from, to, message }: Envelope): number {
    return this.causes.id({ type: 'message', from, to, message });
  }

  #learnFacts(local: number): Facts {
    const { member, alive, state, timers, view, record, term, lives } = this.locals.value(local);
    const claims = view?.role === 'leader';
    const lease = view?.lease ?? null;
    const measured = alive ? (this.#cluster.protocol.measure?.(state) ?? {}) : {};
    const facts: Facts = {
      id: member,
      member: this.#cluster.ids.indexOf(member),
      alive,
      timers: timers.map((timer) => this.causes.id({ type: 'timer', timer })),
      firing: this.#timerIds(timers, false),
      free: this.#timerIds(timers, true),
      acts: !claims || (lease !== null && !timers.includes(lease)) ? 'no' : lease === null ? 'yes' : 'leased',
      lease: lease ?? '',
      term: view?.term ?? null,
      lastTerm: term ?? 0,
      leader: view?.leader ?? null,
      // A list that the voters only found out is no agreed membership: all of them have to agree.
      members: view?.electors === undefined ? (view?.members ?? null) : null,
      lives: lives ?? [],
      claims,
      beyond: this.#isBeyond(view?.term ?? 0, measured),
      saved: record !== null,
      dead: -1,
      progress: Object.values(measured).reduce((sum, count) => sum + Math.max(0, count), term ?? 0),
      reactions: new Map(),
      quiet: new Uint8Array(this.causes.size),
    };
    this.#facts[local] = facts;
    return facts;
  }

  #timerIds(timers: readonly string[], isFree: boolean): number[] {
    const { uncounted } = this.#bounds;
    return timers
      .filter((timer) => fires(this.#bounds, timer) && uncounted.includes(familyOf(timer)) === isFree)
      .map((timer) => this.causes.id({ type: 'timer', timer }));
  }

  /** Members that differ only in timers that never fire are equal. In a script, any timer may fire. */
  #withoutIdleTimers(local: Local): Local {
    if (this.#bounds.firing === null || this.#isScripted) return local;
    return { ...local, timers: local.timers.filter((timer) => this.#leases.matters(timer)) };
  }

  #isBeyond(term: number, measured: Readonly<Record<string, number>>): boolean {
    const { terms, counters } = this.#bounds;
    if (term > terms) return true;
    return Object.entries(measured).some(([name, count]) => {
      return count > (name === 'term' ? terms : (counters[name] ?? DEFAULT_COUNTER));
    });
  }

  #learnReceiver(message: number): number {
    const cause = this.causes.value(message);
    const receiver = cause.type === 'message' ? this.#cluster.ids.indexOf(cause.to) : -1;
    this.#receivers[message] = receiver;
    return receiver;
  }
}

function note(facts: Facts, cause: number): void {
  if (cause >= facts.quiet.length) {
    const larger = new Uint8Array(Math.max(2 * facts.quiet.length, cause + 1));
    larger.set(facts.quiet);
    facts.quiet = larger;
  }
  facts.quiet[cause] = 1;
}

/** The next combination of draws, or null after the last. */
function nextDraws(draws: readonly string[], values: readonly string[]): readonly string[] | null {
  const next = [...draws];
  while (next.length > 0) {
    const at = values.indexOf(next.pop()!);
    if (at < values.length - 1) return [...next, values[at + 1]!];
  }
  return null;
}
