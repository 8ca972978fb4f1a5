import { countOf } from '../model/bounds.ts';
import { hashOf } from '../model/interner.ts';
import type { Transition } from '../model/model.ts';
import { CoverStore } from './cover-store.ts';
import { Findings } from './findings.ts';
import { Frontier } from './frontier.ts';
import type { Progress, Search } from './search.ts';
import type { Settling, VisitSettled } from './settling.ts';
import { Sightings } from './sightings.ts';
import { representative, type Space } from './space.ts';
import type { States } from './state-store.ts';

/** How many recently seen states are remembered. */
const SLOTS = 1 << 20;

/**
 * Only the states that no other state covers, for a network that delivers each message any number of times: there, a
 * state with more messages can do all that one with fewer can, so checking it checks both. It finds whether a
 * property can be broken at all, with a small part of the work, but not the shortest history: for that, see
 * BreadthFirst.
 */
export class Covering implements Search {
  readonly states: CoverStore;
  readonly findings: Findings;
  readonly sightings: Sightings;
  readonly settles = true;
  beyond = 0;
  readonly #space: Space;
  readonly #frontier = new Frontier();
  readonly #settling: Settling;
  readonly #recently: Recently;
  readonly #state: Int32Array;
  readonly #visit: VisitSettled;
  #looked = 0;
  #transitions = 0;
  #current = 0;
  #action = 0;

  constructor(space: Space) {
    this.#space = space;
    this.states = new CoverStore(space.model);
    this.findings = new Findings(space.model);
    this.sightings = new Sightings(space);
    this.#settling = space.settling;
    this.#recently = new Recently(space.model.width);
    this.#state = new Int32Array(space.model.width);
    this.#visit = (transition, isSame) => this.#onTransition(transition, isSame);
    space.roots.forEach(({ state: root, findings }, i) => {
      this.sightings.lookAtRoot(root);
      const state = Int32Array.from(root);
      if (this.#reach(state, -1, i)) this.findings.note({ to: state, findings }, this.states.size - 1, null);
    });
  }

  get isDone(): boolean {
    return this.#frontier.size === 0;
  }

  get depth(): number {
    return depthOf(this.states);
  }

  get progress(): Progress {
    return { states: this.#looked, transitions: this.#transitions, frontier: this.#frontier.size };
  }

  advance(states: number): boolean {
    for (let left = states; left > 0; left--) {
      const index = this.#frontier.pop();
      if (index === undefined) return false;
      if (this.states.isCovered(index)) continue;
      this.states.read(index, this.#state);
      this.#current = index;
      this.#action = 0;
      this.#settling.expand(this.#state, this.#space.choices, this.#visit);
      this.#looked += 1;
    }
    return true;
  }

  #onTransition(transition: Transition, isSame: boolean): void {
    const action = this.#action++;
    this.#transitions += 1;
    if (transition.findings.length > 0) this.findings.note(transition, this.#current, action);
    this.sightings.look(transition);
    if (transition.beyond) {
      this.beyond += 1;
      return;
    }
    if (isSame || this.#recently.saw(transition.to)) return;
    this.#reach(transition.to, this.#current, action);
  }

  #reach(state: Int32Array, parent: number, action: number): boolean {
    this.#settling.settle(state);
    const found = representative(this.#space, state, this.#settling.loops);
    if (!this.states.add(found, parent, action)) return false;
    const { inFlight, net } = this.#space.model;
    const messages = inFlight.lists.length(found[net]!);
    this.#frontier.push(this.states.size - 1, this.#progressOf(found), messages);
    return true;
  }

  /** Each term of this sum never decreases, so later states have at least the same progress. */
  #progressOf(state: Int32Array): number {
    const { outcomes, faults, net } = this.#space.model;
    let progress = countOf(state[faults]!, 'crashes') + countOf(state[faults]!, 'timers');
    for (let i = 0; i < net; i++) progress += outcomes.facts(state[i]!).progress;
    return progress;
  }
}

/** A state comes after the one it was reached from. */
function depthOf(states: States): number {
  const depths = new Int32Array(states.size);
  let deepest = 0;
  for (let index = 0; index < states.size; index++) {
    const parent = states.parent(index);
    depths[index] = parent < 0 ? 0 : depths[parent]! + 1;
    deepest = Math.max(deepest, depths[index]!);
  }
  return deepest;
}

/** Remembers many recently seen states: enough to avoid most repeated work. */
class Recently {
  readonly #width: number;
  readonly #slots: Int32Array;

  constructor(width: number) {
    this.#width = width;
    this.#slots = new Int32Array(SLOTS * width);
  }

  /** Was this state seen recently? Remembers it, with each number plus one: an empty slot is no state. */
  saw(state: Int32Array): boolean {
    const at = (hashOf(state, this.#width) & (SLOTS - 1)) * this.#width;
    let isKnown = true;
    for (let i = 0; i < this.#width; i++) {
      const number = state[i]! + 1;
      if (this.#slots[at + i] === number) continue;
      this.#slots[at + i] = number;
      isKnown = false;
    }
    return isKnown;
  }
}
