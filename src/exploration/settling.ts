import type { Choices } from './choices.ts';
import { type Loop, Loops, type Move } from './loops.ts';
import type { Model, Transition, Visit } from './model.ts';

/** Is told of each message or more that were sent: the member, and its moves, the last of which lead back to where it was. */
export type Tell = (member: number, moves: readonly Move[]) => void;

/** `isSame`: it leads to a state that the one before stands for. */
export type VisitSettled = (transition: Transition, isSame: boolean) => void;

/**
 * Lets every member go round its loop until nothing new is sent. The state after that can stand for the one before, and the
 * loops in it for all the local states that they hold.
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

  /** Adds to the state what can be sent. */
  settle(state: Int32Array, tell?: Tell): void {
    const { net, inFlight } = this.#model;
    for (let quiet = 0, i = 0; quiet < this.#n; i = (i + 1) % this.#n) {
      const loop = this.#found.of(state, i);
      this.loops[i] = loop;
      quiet += 1;
      const before = state[net]!;
      const after = inFlight.with(before, loop.sends);
      if (after === before) continue;
      const then = Int32Array.from(state);
      state[net] = after;
      this.#model.forget(state);
      if (state[net] === before) continue;
      if (tell !== undefined) this.#tellOf(then, i, loop, tell);
      quiet = 0;
    }
  }

  /**
   * Everything that can happen in a state that was settled, wherever in its loop each member is. Only the member to which it
   * happens needs to be looked at in all places: to the others it makes no difference where it is.
   */
  expand(state: Int32Array, choices: Choices, visit: VisitSettled): void {
    this.settle(state);
    const loops = [...this.loops];
    for (let i = 0; i < this.#n; i++) {
      const local = state[i]!;
      const { locals } = loops[i]!;
      const tell: Visit =
        locals.length === 1
          ? (transition) => visit(transition, false)
          : (transition) => visit(transition, this.#isSame(state, transition, i, locals));
      for (const each of locals) {
        state[i] = each;
        choices.expandMember(state, i, tell);
      }
      state[i] = local;
    }
  }

  /** Did this member only go on in its loop? */
  #isSame(state: Int32Array, { to }: Transition, i: number, locals: readonly number[]): boolean {
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
