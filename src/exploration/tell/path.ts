import { assert, canonicalText, type MemberId } from '../../core/index.ts';
import type { Finding } from '../../properties/index.ts';
import type { Cause, Envelope } from '../model/member.ts';
import type { Transition } from '../model/model.ts';
import { rename } from '../model/names.ts';
import type { Outcome } from '../model/outcomes.ts';
import type { Step } from '../model/stage.ts';
import type { Move } from '../search/loops.ts';
import type { Search } from '../search/search.ts';
import type { Settling } from '../search/settling.ts';
import { representative, type Space } from '../search/space.ts';

/** One event, with the ids that the user gave. */
export type Act =
  | {
      readonly kind: 'react';
      readonly member: MemberId;
      readonly cause: Cause;
      readonly draws: readonly string[];
      readonly diesAtSave: number | null;
    }
  | { readonly kind: 'crash'; readonly member: MemberId }
  | ({ readonly kind: 'drop' | 'duplicate' } & Envelope);

/** A history, and what its last event broke. */
export interface Path {
  readonly acts: readonly Act[];
  readonly findings: readonly Finding[];
}

/** One event, or several of one member that end where they began. */
interface Walked {
  readonly acts: readonly Act[];
  /** It only sends messages. */
  readonly isSending: boolean;
  readonly sends: readonly string[];
}

/** The path to a state and, if an action is given, one event further. */
export function pathOf(space: Space, search: Search, state: number, action: number | null): Path {
  const { states } = search;
  const actions = action === null ? [] : [action];
  let first = state;
  for (; states.parent(first) >= 0; first = states.parent(first)) actions.unshift(states.action(first));
  return new Walk(space, search.settles).follow(states.action(first), actions);
}

class Walk {
  readonly #space: Space;
  readonly #settling: Settling | null;
  /** The representative of the present state. */
  readonly #state: Int32Array;
  /** Where in their loops the members are: they move only when an event depends on it. */
  #places: readonly number[] = [];
  readonly #walked: Walked[] = [];
  #findings: readonly Finding[] = [];
  /** `#actual[i]` is the index of the member that is number i in the present state. */
  #actual: readonly number[];

  constructor(space: Space, settles: boolean) {
    this.#space = space;
    this.#settling = settles ? space.settling : null;
    this.#state = new Int32Array(space.model.width);
    this.#actual = space.cluster.ids.map((_, i) => i);
  }

  follow(root: number, actions: readonly number[]): Path {
    const { state, steps, findings } = this.#space.roots[root]!;
    this.#findings = this.#rename(findings);
    for (const step of steps) this.#noteStep(step);
    this.#arrive(Int32Array.from(state));
    for (const action of actions) this.#arrive(this.#act(action));
    return { acts: withoutIdleTalk(this.#walked), findings: this.#findings };
  }

  #act(action: number): Int32Array {
    const { choices } = this.#space;
    const state = Int32Array.from(this.#state);
    let count = 0;
    let taken: { step: Step; to: Int32Array; from: Int32Array } | null = null;
    const visit = (transition: Transition): void => {
      if (count++ !== action) return;
      this.#findings = this.#rename(transition.findings);
      taken = { step: { ...transition }, to: Int32Array.from(transition.to), from: Int32Array.from(state) };
    };
    if (this.#settling === null) choices.expand(state, visit);
    else this.#settling.expand(state, choices, visit);
    assert(taken !== null, `no action ${action}`);
    const { step, to, from } = taken as { step: Step; to: Int32Array; from: Int32Array };
    // If messages arrive at once, there are no loops.
    if (step.followed.length === 0) this.#goWhereNeeded(step.member, from, to);
    this.#noteStep(step);
    return to;
  }

  /**
   * The member to which the event happens moves to where it happens, and another one if its loop ends; the rest stay.
   */
  #goWhereNeeded(member: number, from: Int32Array, to: Int32Array): void {
    if (this.#settling === null) return;
    for (const [i, place] of this.#places.entries()) {
      if (i === member) this.#go(i, place, from[i]!);
      else if (this.#settling.loopOf(to, i).locals.includes(place)) to[i] = place;
      else this.#go(i, place, to[i]!);
    }
  }

  /** A member moves from one place in its loop to another. */
  #go(i: number, from: number, to: number): void {
    for (const { cause, outcome } of this.#settling!.way(this.#state, i, from, to)) {
      this.#note([this.#reactionOf(i, cause, outcome)], [outcome], false);
    }
  }

  #arrive(state: Int32Array): void {
    this.#settling?.settle(state, (member, moves) => this.#noteMoves(member, moves));
    const { quotient, model } = this.#space;
    const loops = this.#settling?.loops ?? null;
    const places = Array.from(state.subarray(0, model.net));
    if (quotient === null) {
      this.#places = places;
      this.#state.set(representative(this.#space, state, loops));
      return;
    }
    const p = quotient.canonical(state, loops);
    const { from } = quotient.permutations[p]!;
    this.#state.set(quotient.found);
    this.#places = from.map((i) => quotient.exchanged(places[i]!, p));
    this.#actual = from.map((i) => this.#actual[i]!);
  }

  #noteStep(step: Step): void {
    this.#note([this.#actOf(step)], step.outcome === null ? [] : [step.outcome], false);
    for (const { member, cause, outcome } of step.followed) {
      this.#note([this.#reactionOf(member, cause, outcome)], [outcome], false);
    }
  }

  #noteMoves(member: number, moves: readonly Move[]): void {
    const acts = moves.map(({ cause, outcome }) => this.#reactionOf(member, cause, outcome));
    this.#note(
      acts,
      moves.map(({ outcome }) => outcome),
      true,
    );
  }

  #note(acts: readonly Act[], outcomes: readonly Outcome[], isSending: boolean): void {
    const { lists } = this.#space.model.inFlight;
    const sends = outcomes.flatMap((outcome) =>
      [...lists.value(outcome.sends), ...outcome.atOnce, ...outcome.muted].map((each) => this.#textOf(each)),
    );
    this.#walked.push({ acts, isSending, sends });
  }

  #actOf({ kind, member, cause, outcome }: Step): Act {
    if (kind === 'crash') return { kind, member: this.#nameOf(member) };
    if (kind === 'react') return this.#reactionOf(member, cause, outcome!);
    const message = this.#rename(this.#space.model.outcomes.causes.value(cause));
    assert(message.type === 'message', 'only messages are lost or doubled');
    return { kind, from: message.from, to: message.to, message: message.message };
  }

  #reactionOf(member: number, cause: number, { draws, diesAtSave }: Outcome): Act {
    const happened = this.#rename(this.#space.model.outcomes.causes.value(cause));
    return { kind: 'react', member: this.#nameOf(member), cause: happened, draws, diesAtSave };
  }

  #textOf(message: number): string {
    return canonicalText(this.#rename(this.#space.model.outcomes.causes.value(message)));
  }

  #nameOf(member: number): MemberId {
    return this.#space.cluster.names[this.#actual[member]!]!;
  }

  #rename<T>(value: T): T {
    if (this.#space.quotient === null) return value;
    const names = this.#actual.map((i) => this.#space.cluster.names[i]!);
    return rename(value, names);
  }
}

/** Leaves out events that only send messages that are never received, or that were already in flight. */
function withoutIdleTalk(walked: readonly Walked[]): Act[] {
  const firstSender = new Map<string, number>();
  walked.forEach(({ sends }, i) => {
    for (const message of sends) if (!firstSender.has(message)) firstSender.set(message, i);
  });
  const needed = new Set<number>();
  for (let i = walked.length - 1; i >= 0; i--) {
    const { acts, isSending } = walked[i]!;
    if (isSending && !needed.has(i)) continue;
    needed.add(i);
    for (const act of acts) {
      if (act.kind === 'react' && act.cause.type === 'message')
        needed.add(firstSender.get(canonicalText(act.cause))!);
    }
  }
  return walked.filter((_, i) => needed.has(i)).flatMap(({ acts }) => acts);
}
