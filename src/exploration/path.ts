import { assert, type MemberId } from '../core/index.ts';
import { canonicalText } from './canonical.ts';
import type { Finding } from './history.ts';
import type { Cause, Envelope } from './member.ts';
import { rename } from './names.ts';
import type { Outcome } from './outcomes.ts';
import { Saturation } from './saturation.ts';
import type { Search } from './search.ts';
import type { Space } from './space.ts';
import type { Step } from './stage.ts';

/** One thing that happened, with the ids that the user gave. */
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

/** A history, and what its last act broke. */
export interface Path {
  readonly acts: readonly Act[];
  readonly findings: readonly Finding[];
}

interface Walked {
  readonly act: Act;
  /** It does nothing but send. */
  readonly isSending: boolean;
  readonly sends: readonly string[];
}

/** The way to a state and, if an action is given, by that action one act further. */
export function pathOf(space: Space, search: Search, state: number, action: number | null): Path {
  const { states } = search;
  const actions = action === null ? [] : [action];
  let first = state;
  for (; states.parent(first) >= 0; first = states.parent(first)) actions.unshift(states.action(first));
  return new Walk(space, search.saturates).follow(states.action(first), actions);
}

class Walk {
  readonly #space: Space;
  readonly #saturation: Saturation | null;
  readonly #state: Int32Array;
  readonly #walked: Walked[] = [];
  #findings: readonly Finding[] = [];
  /** Who is who: `#actual[i]` is the index of the member that is number i in the present state. */
  #actual: readonly number[];

  constructor(space: Space, saturates: boolean) {
    this.#space = space;
    this.#saturation = saturates ? new Saturation(space.model) : null;
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
    let count = 0;
    let to: Int32Array | null = null;
    this.#space.choices.expand(this.#state, (transition) => {
      if (count++ !== action) return;
      this.#noteStep(transition);
      this.#findings = this.#rename(transition.findings);
      to = Int32Array.from(transition.to);
    });
    assert(to !== null, `no action ${action}`);
    return to;
  }

  #arrive(state: Int32Array): void {
    this.#saturation?.saturate(state, (member, cause, outcome) => {
      this.#note(this.#reactionOf(member, cause, outcome), outcome, true);
    });
    const { quotient } = this.#space;
    if (quotient === null) {
      this.#state.set(state);
      return;
    }
    const permutation = quotient.permutations[quotient.canonical(state)]!;
    this.#state.set(quotient.found);
    this.#actual = permutation.from.map((i) => this.#actual[i]!);
  }

  #noteStep(step: Step): void {
    this.#note(this.#actOf(step), step.outcome, false);
    for (const { member, cause, outcome } of step.followed) {
      this.#note(this.#reactionOf(member, cause, outcome), outcome, false);
    }
  }

  #note(act: Act, outcome: Outcome | null, isSending: boolean): void {
    const { lists } = this.#space.model.inFlight;
    const sent = outcome === null ? [] : [...lists.value(outcome.sends), ...outcome.atOnce, ...outcome.muted];
    const sends = sent.map((message) => this.#textOf(message));
    this.#walked.push({ act, isSending, sends });
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

/** Leaves out what only sends messages of which none is ever received, or that were under way already. */
function withoutIdleTalk(walked: readonly Walked[]): Act[] {
  const firstSender = new Map<string, number>();
  walked.forEach(({ sends }, i) => {
    for (const message of sends) if (!firstSender.has(message)) firstSender.set(message, i);
  });
  const needed = new Set<number>();
  for (let i = walked.length - 1; i >= 0; i--) {
    const { act, isSending } = walked[i]!;
    if (isSending && !needed.has(i)) continue;
    needed.add(i);
    if (act.kind === 'react' && act.cause.type === 'message')
      needed.add(firstSender.get(canonicalText(act.cause))!);
  }
  return walked.filter((_, i) => needed.has(i)).map(({ act }) => act);
}
