import type { Choices } from '../model/choices.ts';
import type { Model, Transition, Visit } from '../model/model.ts';
import { type Loop, Loops, type Move } from './loops.ts';

/** Called when messages were sent: with the member, and its moves, the last of which lead back to where it was. */
export type Tell = (member: number, moves: readonly Move[]) => void;

/** `isSame`: it leads to a state that the earlier one represents. */
export type VisitSettled = (transition: Transition, isSame: boolean) => void;

/**
 * Lets every member go through its loop until nothing new is sent. The resulting state can represent the earlier one,
 * and the loops in it all the local states that they contain.
 */
export class Settling {
  /** The loops of the members in the state that was settled last. */
  readonly loops: Loop[] = [];
  readonly #model: Model;
  readonly #n: number;
  readonly #found: Loops;

  constructor(model: Model) {
    this.#model = model;
    this.#n = model.cluster.ids.length;
    this.#found = new Loops(model);
  }

  /** Adds to the state the messages that can be sent. */
  settle(state: Int32Array, tell?: Tell): void {
    const { net, inFlight } = this.#model;
    for (let quiet = 0, i = 0; quiet < this.#n; i = (i + 1) % this.#n) {
      const loop = this.#found.of(state, i);
      this.loops[i] = loop;
      quiet += 1;
      const before = state[net]!;
      const after = inFlight.with(before, loop.sends);
      if (after === before) continue;
      const then = tell === undefined ? null : state.slice();
      state[net] = after;
      this.#model.forget(state);
      if (state[net] === before) continue;
      if (tell !== undefined && then !== null) this.#tellOf(then, i, loop, tell);
      quiet = 0;
    }
  }

  /**
   * Everything that can happen in a settled state, wherever in its loop each member is. The member to which it
   * happens is tried in all places. For the others the place does not matter, unless the event ends their loops: from
   * then on they are where they happened to be, and each of these cases is visited separately.
   */
  expand(state: Int32Array, choices: Choices, visit: VisitSettled): void {
    this.#found.onChecked();
    this.settle(state);
    const loops = [...this.loops];
    const isAnyInLoop = loops.some(({ locals }) => locals.length > 1);
    for (let i = 0; i < this.#n; i++) {
      const local = state[i]!;
      const { locals } = loops[i]!;
      const tell: Visit = isAnyInLoop
        ? (transition) => this.#tellEach(state, loops, i, transition, visit)
        : (transition) => visit(transition, false);
      for (const each of locals) {
        state[i] = each;
        choices.expandMember(state, i, tell);
      }
      state[i] = local;
    }
  }

  /** The loop in which a member is. */
  loopOf(state: Int32Array, i: number): Loop {
    return this.#found.of(state, i);
  }

  #tellEach(
    state: Int32Array,
    loops: readonly Loop[],
    i: number,
    transition: Transition,
    visit: VisitSettled,
  ): void {
    const { past, running } = this.#model;
    const { to } = transition;
    // Nothing else that can change would end a loop: messages to the others only become more.
    if (to[past] === state[past] && to[running] === state[running])
      return visit(transition, this.#isSame(state, transition, i, loops[i]!));
    const cases = loops.map((loop, j) => (j === i ? [to[i]!] : this.#placesIn(loop, to, j)));
    if (cases.every((places) => places.length === 1)) return visit(transition, false);
    const base = Int32Array.from(to);
    for (const places of everyWay(cases)) {
      to.set(base);
      to.set(places);
      visit(transition, false);
    }
  }

  /** One place of each loop that is left of this one. */
  #placesIn({ locals }: Loop, to: Int32Array, j: number): number[] {
    if (locals.length === 1) return [to[j]!];
    const local = to[j]!;
    const places: number[] = [];
    const seen = new Set<number>();
    for (const place of locals) {
      to[j] = place;
      const { id } = this.#found.of(to, j);
      if (!seen.has(id)) places.push(place);
      seen.add(id);
    }
    to[j] = local;
    return places;
  }

  /** Did this member only move inside its loop? */
  #isSame(state: Int32Array, { to }: Transition, i: number, { locals }: Loop): boolean {
    for (let at = this.#n; at < this.#model.width; at++) if (to[at] !== state[at]) return false;
    return locals.includes(to[i]!);
  }

  /** The moves that take a member from one place in its loop to another. */
  way(state: Int32Array, i: number, from: number, to: number): readonly Move[] {
    return this.#found.way(state, i, from, to);
  }

  #tellOf(state: Int32Array, i: number, { locals }: Loop, tell: Tell): void {
    const home = state[i]!;
    for (const local of locals) {
      for (const move of this.#found.moves(state, i, local)) {
        if (move.outcome.sends === 0 || !locals.includes(move.outcome.local)) continue;
        const there = this.#found.way(state, i, home, local);
        const back = this.#found.way(state, i, move.outcome.local, home);
        tell(i, [...there, move, ...back]);
      }
    }
  }
}

/** All combinations of one of each. */
function everyWay(cases: readonly (readonly number[])[]): number[][] {
  return cases.reduce<number[][]>(
    (ways, each) => ways.flatMap((way) => each.map((one) => [...way, one])),
    [[]],
  );
}
