import { isPrompt } from '../model/bounds.ts';
import { IntLists } from '../model/interner.ts';
import { Memo } from '../model/memo.ts';
import type { Model } from '../model/model.ts';
import type { Outcome } from '../model/outcomes.ts';
import { componentsOf } from './components.ts';

/** A cause that takes a member from one local state to another, and changes nothing else but messages. */
export interface Move {
  readonly cause: number;
  readonly outcome: Outcome;
}

/** The local states between which a member can move back and forth. */
export interface Loop {
  /** The number of the list of local states. */
  readonly id: number;
  /** In order; only one, if nothing leads back. */
  readonly locals: readonly number[];
  /** Everything that it can send on the way, as a list of messages. */
  readonly sends: number;
}

const NO_MOVES: readonly Move[] = [];

/**
 * So many moves may be looked at before the first state is checked, and so many more for each state that was. `ring` takes
 * 165 for each state and `quorum` 46. A member of `draw` remembers so much of what it heard that its loops took
 * 200,000 moves before a second state was checked.
 */
const FIRST_MOVES = 30_000;
const MOVES_FOR_EACH_STATE = 5000;

/** Thrown where looking for loops takes longer than checking every state separately. */
export class LoopsTooLarge extends Error {}

/**
 * Members that go in circles. Example: a member that hears no leader asks for pre-votes, is told by another that
 * there is a leader, follows that leader, hears nothing, and asks again. In a network that keeps every message for
 * ever it can repeat this, since a message that was received once can be received again. So whatever can happen when
 * it is in one of the local states of such a loop can happen when it is in any other, after some moves that no other
 * member notices: states of the cluster that differ only in where in its loop a member is are equivalent. (Members
 * move independently, so that holds for all members at once.)
 *
 * Only moves count that change nothing else: not the history, the leases or the faults, not whether the member may
 * act or the term that it reports. They may send, because their messages can already be in flight before the loop is
 * repeated: more messages allow everything that fewer do.
 */
export class Loops {
  readonly #model: Model;
  readonly #withTimers: boolean;
  /** If messages arrive at once, an event of one member depends on where the others are: then no loops are used. */
  readonly #stays: boolean;
  readonly #lists = new IntLists();
  /** By local state, the messages to the member, and what else a loop depends on: its number. */
  readonly #known = new Memo();
  /** By history and running leases: a number for both. */
  readonly #contexts = new Memo();
  #contextCount = 0;
  /** By list of local states and list of messages: the number of the loop. */
  readonly #numbers = new Memo();
  readonly #loops: Loop[] = [];
  /** By local state, then by cause. Most causes have none. */
  readonly #possible: Map<number, readonly Move[]>[] = [];
  readonly #n: number;
  /** How many moves may still be looked at. */
  #movesLeft = FIRST_MOVES;
  /** By list of messages, then by member: the list of the messages to that member + 1. */
  #received = new Int32Array(1 << 12);

  constructor(model: Model) {
    this.#model = model;
    this.#n = model.cluster.ids.length;
    this.#withTimers = model.bounds.timers === null; // Otherwise each firing is counted, and changes the state.
    this.#stays = model.bounds.atOnce.length > 0 || isPrompt(model.bounds.network);
  }

  /** The loop of this member; a member that is down is alone in its own. */
  of(state: Int32Array, i: number): Loop {
    const received = this.#receivedBy(i, state[this.#model.net]!);
    const context = this.#contextOf(state);
    const known = this.#known.get(state[i]!, received, context);
    return known >= 0 ? this.#loops[known]! : this.#learn(state, i, received, context);
  }

  /** A state was checked: the search comes forward. */
  onChecked(): void {
    this.#movesLeft += MOVES_FOR_EACH_STATE;
  }

  /** The moves that lead from one local state of a loop to another, as few as possible. */
  way(state: Int32Array, i: number, from: number, to: number): readonly Move[] {
    const ways = new Map<number, readonly Move[]>([[from, []]]);
    for (const [local, way] of ways) {
      if (local === to) return way;
      for (const move of this.moves(state, i, local)) {
        if (!ways.has(move.outcome.local)) ways.set(move.outcome.local, [...way, move]);
      }
    }
    throw new Error('no moves lead from one local state of a loop to another');
  }

  /** What this member can do in this local state that changes nothing but messages. */
  moves(state: Int32Array, i: number, local: number): Move[] {
    const { outcomes, inFlight } = this.#model;
    const moves: Move[] = [];
    const { alive, firing } = outcomes.facts(local);
    if (!alive) return moves;
    if (this.#withTimers) this.#addMoves(state, i, local, firing, moves);
    this.#addMoves(
      state,
      i,
      local,
      inFlight.lists.value(this.#receivedBy(i, state[this.#model.net]!)),
      moves,
    );
    return moves;
  }

  #addMoves(state: Int32Array, i: number, local: number, causes: readonly number[], moves: Move[]): void {
    this.#possible[local] ??= new Map();
    const known = this.#possible[local];
    const { quiet } = this.#model.outcomes.facts(local);
    for (let at = 0; at < causes.length; at++) {
      const cause = causes[at]!;
      if (quiet[cause] === 1) continue;
      let possible = known.get(cause);
      if (possible === undefined) {
        possible = this.#possibleMoves(local, cause);
        known.set(cause, possible);
      }
      for (let k = 0; k < possible.length; k++)
        if (this.#isFree(state, i, possible[k]!.outcome)) moves.push(possible[k]!);
    }
  }

  /** Those that are moves unless they change the history or the leases of the state: that alone depends on the rest of it. */
  #possibleMoves(local: number, cause: number): readonly Move[] {
    const possible: Move[] = [];
    for (const outcome of this.#model.outcomes.of(local, cause)) {
      if (outcome.local === local && outcome.sends === 0) continue; // No change.
      if (outcome.dies || outcome.wins || outcome.atOnce.length > 0) continue;
      if (outcome.local !== local && (this.#stays || !this.#isAlike(local, outcome.local))) continue;
      possible.push({ cause, outcome });
    }
    return possible.length === 0 ? NO_MOVES : possible;
  }

  #isFree(state: Int32Array, i: number, { timers, marks }: Outcome): boolean {
    const { histories, leases, past, running } = this.#model;
    if (timers !== 0 && leases.after(state[running]!, i, timers) !== state[running]) return false;
    if (marks === 0) return true;
    const next = histories.after(state[past]!, marks);
    return next.past === state[past] && next.findings.length === 0;
  }

  /** Do other members, and the properties, see the same in both? */
  #isAlike(a: number, b: number): boolean {
    const { outcomes } = this.#model;
    const one = outcomes.facts(a);
    const other = outcomes.facts(b);
    return (
      other.alive &&
      !other.beyond &&
      one.lastTerm === other.lastTerm &&
      one.term === other.term &&
      one.claims === other.claims &&
      one.acts === other.acts &&
      one.lease === other.lease &&
      one.saved === other.saved
    );
  }

  /** Finds the loops of all local states that the member can reach by such moves: they depend on the same. */
  #learn(state: Int32Array, i: number, received: number, context: number): Loop {
    const first = state[i]!;
    const nodes = [first];
    const places = new Map([[first, 0]]);
    const moves: Move[][] = [];
    for (let at = 0; at < nodes.length; at++) {
      const own: Move[] = [];
      moves.push(own);
      for (const move of this.moves(state, i, nodes[at]!)) {
        const { local } = move.outcome;
        if (!places.has(local)) {
          // Nothing leads back from a known loop, or this state would be part of it.
          if (this.#known.get(local, received, context) >= 0) continue;
          places.set(local, nodes.length);
          nodes.push(local);
        }
        own.push(move);
      }
      this.#movesLeft -= own.length;
      if (this.#movesLeft < 0) throw new LoopsTooLarge();
    }
    // Nothing leads away from this local state, or nothing leads back: half of all are like that.
    if (nodes.length === 1) return this.#note(nodes, moves[0]!, received, context);
    const component = componentsOf(moves.map((own) => own.map(({ outcome }) => places.get(outcome.local)!)));
    for (const ats of grouped(component)) {
      const within = ats.flatMap((at) =>
        moves[at]!.filter(({ outcome }) => component[places.get(outcome.local)!] === component[at]),
      );
      const locals = ats.map((at) => nodes[at]!).sort((a, b) => a - b);
      this.#note(locals, within, received, context);
    }
    return this.#loops[this.#known.get(first, received, context)]!;
  }

  #note(locals: readonly number[], moves: readonly Move[], received: number, context: number): Loop {
    const id = this.#lists.id(locals);
    const sends = this.#sendsOf(moves);
    let number = this.#numbers.get(id, sends);
    if (number < 0) {
      number = this.#loops.length;
      this.#loops.push({ id, locals, sends });
      this.#numbers.set(number, id, sends);
    }
    for (const local of locals) this.#known.set(number, local, received, context);
    return this.#loops[number]!;
  }

  #sendsOf(moves: readonly Move[]): number {
    let list = 0;
    for (const { outcome } of moves) list = this.#model.inFlight.with(list, outcome.sends);
    return list;
  }

  #contextOf(state: Int32Array): number {
    const past = state[this.#model.past]!;
    const running = state[this.#model.running]!;
    let context = this.#contexts.get(past, running);
    if (context < 0) {
      context = this.#contextCount++;
      this.#contexts.set(context, past, running);
    }
    return context;
  }

  #receivedBy(i: number, list: number): number {
    const at = list * this.#n;
    if (at + this.#n > this.#received.length) {
      const larger = new Int32Array(Math.max(2 * this.#received.length, at + this.#n));
      larger.set(this.#received);
      this.#received = larger;
    }
    if (this.#received[at] === 0) this.#sortMessages(list, at);
    return this.#received[at + i]! - 1;
  }

  #sortMessages(list: number, at: number): void {
    const { outcomes, inFlight } = this.#model;
    const each: number[][] = this.#model.cluster.ids.map(() => []);
    for (const message of inFlight.lists.value(list)) each[outcomes.receiver(message)]?.push(message);
    each.forEach((messages, i) => {
      this.#received[at + i] = inFlight.lists.id(messages) + 1;
    });
  }
}

/** The nodes of each component. */
function grouped(component: Int32Array): number[][] {
  const groups: number[][] = [];
  component.forEach((number, node) => {
    const group = groups[number];
    if (group === undefined) groups[number] = [node];
    else group.push(node);
  });
  return groups;
}
