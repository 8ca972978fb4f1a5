import { canonicalText, type MemberId } from '../../core/index.ts';
import { inOrder } from '../model/marks.ts';
import type { Model } from '../model/model.ts';
import { rename } from '../model/names.ts';
import type { Outcome } from '../model/outcomes.ts';
import type { Root } from '../model/stage.ts';
import type { Loop } from './loops.ts';
import { NotSymmetric, type Permutation, permutationsOf, Renamed } from './symmetry.ts';

/**
 * Treats states as equal that differ only in which member is which, so that n members need up to n! times fewer
 * states. Only members are interchangeable that are alike where the exploration starts: after a script, for example,
 * the followers of the one leader. That is correct only if the protocol treats these members alike, which is checked:
 * for every member and cause that occurs, the protocol also steps with the members exchanged, and the results must be
 * the same with the members exchanged. If one is not, NotSymmetric is thrown.
 */
export class Quotient {
  readonly permutations: readonly Permutation[];
  /** The state that `canonical` found last. */
  readonly found: Int32Array;
  readonly #model: Model;
  readonly #n: number;
  readonly #candidate: Int32Array;
  readonly #locals;
  readonly #causes;
  readonly #lists;
  readonly #pasts;
  readonly #newest;
  readonly #running;
  readonly #marks;
  readonly #timerMarks;
  /** By permutation, then by loop. */
  readonly #least: number[][];

  constructor(model: Model, roots: readonly Root[]) {
    const n = model.cluster.ids.length;
    const permutations = permutationsOf(n, new Beginning(model, roots).isKeptBy);
    if (permutations.length === 1) throw new NotSymmetric('no two members are alike from the start');
    const { outcomes, inFlight, histories, tokens, leases } = model;
    const renamed = <T>(value: T, p: number): T => rename(value, permutations[p]!.names);
    this.permutations = permutations;
    this.found = new Int32Array(model.width);
    this.#model = model;
    this.#n = n;
    this.#candidate = new Int32Array(model.width);
    this.#least = permutations.map(() => []);
    this.#locals = new Renamed(outcomes.locals, permutations, renamed);
    this.#causes = new Renamed(outcomes.causes, permutations, renamed);
    this.#lists = new Renamed(inFlight.lists, permutations, (list, p) =>
      list.map((cause) => this.#causes.of(cause, p)).sort((a, b) => a - b),
    );
    this.#pasts = new Renamed(histories.pasts, permutations, renamed);
    this.#newest = new Renamed(tokens.newest, permutations, renamed);
    this.#running = new Renamed(leases.running, permutations, renamed);
    this.#marks = new Renamed(histories.marks, permutations, (marks, p) => inOrder(renamed(marks, p)));
    this.#timerMarks = new Renamed(leases.marks, permutations, renamed);
    for (const { local, cause, all } of outcomes.known()) this.#verify(local, cause, all);
    outcomes.onNew = (local, cause, found) => this.#verify(local, cause, found);
  }

  /**
   * Puts the representative of a state and all its exchanges into `found`. Returns the permutation that leads there.
   * With loops, it represents all states in which each member is anywhere in its loop.
   */
  canonical(state: Int32Array, loops: readonly Loop[] | null = null): number {
    const { found } = this;
    for (let i = 0; i < found.length; i++) found[i] = state[i]!; // Faster than `set` for so few.
    if (loops !== null) for (let i = 0; i < this.#n; i++) found[i] = loops[i]!.locals[0]!;
    let best = 0;
    for (let p = 1; p < this.permutations.length; p++) {
      if (!this.#isLess(state, loops, p)) continue;
      for (let i = 0; i < found.length; i++) found[i] = this.#candidate[i]!;
      best = p;
    }
    return best;
  }

  /** A member's local state after a permutation. */
  exchanged(local: number, permutation: number): number {
    return this.#locals.of(local, permutation);
  }

  /** Computes the exchanged state as long as it may still be less than what was found. */
  #isLess(state: Int32Array, loops: readonly Loop[] | null, p: number): boolean {
    const { found } = this;
    const candidate = this.#candidate;
    const { from } = this.permutations[p]!;
    let less = false;
    for (let i = 0; i < this.#n; i++) {
      const local =
        loops === null ? this.#locals.of(state[from[i]!]!, p) : this.#leastOf(loops[from[i]!]!, p);
      if (!less && local !== found[i]) {
        if (local > found[i]!) return false;
        less = true;
      }
      candidate[i] = local;
    }
    const { net, past, newest, running, faults } = this.#model;
    candidate[net] = this.#lists.of(state[net]!, p);
    candidate[past] = this.#pasts.of(state[past]!, p);
    candidate[newest] = this.#newest.of(state[newest]!, p);
    candidate[running] = this.#running.of(state[running]!, p);
    candidate[faults] = state[faults]!;
    // The messages last: states that differ in them alone get the same permutation, so that one can cover the other.
    for (let i = past; i < faults && !less; i++) {
      if (candidate[i]! > found[i]!) return false;
      less = candidate[i]! < found[i]!;
    }
    return less || candidate[net]! < found[net]!;
  }

  /** The least local state of a loop with its members exchanged. */
  #leastOf({ id, locals }: Loop, p: number): number {
    const known = this.#least[p]!;
    const found = known[id];
    if (found !== undefined) return found;
    const least = Math.min(...locals.map((local) => this.#locals.of(local, p)));
    known[id] = least;
    return least;
  }

  #verify(local: number, cause: number, outcomes: readonly Outcome[]): void {
    for (let p = 1; p < this.permutations.length; p++) {
      const images = this.#model.outcomes.compute(this.#locals.of(local, p), this.#causes.of(cause, p));
      const alike =
        images.length === outcomes.length &&
        images.every((image, k) => this.#isImage(image, outcomes[k]!, p));
      if (!alike) {
        const { type } = this.#model.outcomes.causes.value(cause);
        throw new NotSymmetric(`members differ in what they do on ${type}`);
      }
    }
  }

  #isImage(image: Outcome, outcome: Outcome, p: number): boolean {
    return (
      image.local === this.#locals.of(outcome.local, p) &&
      image.sends === this.#lists.of(outcome.sends, p) &&
      this.#isSameSet(
        image.atOnce,
        outcome.atOnce.map((cause) => this.#causes.of(cause, p)),
      ) &&
      image.marks === this.#marks.of(outcome.marks, p) &&
      image.timers === this.#timerMarks.of(outcome.timers, p) &&
      image.diesAtSave === outcome.diesAtSave &&
      image.draws.join() === outcome.draws.join()
    );
  }

  /** The order in which messages are sent does not matter. */
  #isSameSet(a: readonly number[], b: readonly number[]): boolean {
    const order = (x: number, y: number): number => x - y;
    return [...a].sort(order).join() === [...b].sort(order).join();
  }
}

/** The states in which an exploration starts. */
class Beginning {
  readonly #model: Model;
  readonly #roots: readonly Root[];
  readonly #texts: ReadonlySet<string>;
  readonly #n: number;

  constructor(model: Model, roots: readonly Root[]) {
    const { ids } = model.cluster;
    this.#model = model;
    this.#roots = roots;
    this.#n = ids.length;
    const same = ids.map((_, i) => i);
    this.#texts = new Set(roots.map(({ state }) => this.#textOf(state, ids, same)));
  }

  /** Does this exchange of members map each of the states to one of them? */
  readonly isKeptBy = (names: readonly MemberId[], from: readonly number[]): boolean =>
    this.#roots.every(({ state }) => this.#texts.has(this.#textOf(state, names, from)));

  /** The whole state, with the members exchanged. */
  #textOf(state: Int32Array, names: readonly MemberId[], from: readonly number[]): string {
    const { outcomes, inFlight, histories, tokens, leases, net, past, newest, running } = this.#model;
    const texts = (values: readonly unknown[]): string[] =>
      values.map((value) => canonicalText(rename(value, names)));
    const locals = Array.from({ length: this.#n }, (_, i) => outcomes.locals.value(state[from[i]!]!));
    const messages = inFlight.lists.value(state[net]!).map((message) => outcomes.causes.value(message));
    const rest = [
      histories.pasts.value(state[past]!),
      tokens.newest.value(state[newest]!),
      leases.running.value(state[running]!),
    ];
    return [...texts(locals), ...texts(messages).sort(), ...texts(rest)].join('\n');
  }
}
