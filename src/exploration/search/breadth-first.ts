import type { Transition } from '../model/model.ts';
import { Findings } from './findings.ts';
import { FingerprintStore } from './fingerprint-store.ts';
import type { Progress, Search } from './search.ts';
import { Sightings } from './sightings.ts';
import { representative, type Space } from './space.ts';
import { StateStore, type Store } from './state-store.ts';

/**
 * Every state one by one, in the order of their distance from the start: the first history that is found is a
 * shortest one.
 */
export class BreadthFirst implements Search {
  readonly states: Store;
  readonly findings: Findings;
  readonly sightings: Sightings;
  readonly settles = false;
  beyond = 0;
  readonly #space: Space;
  readonly #state: Int32Array;
  readonly #visit: (transition: Transition) => void;
  #transitions = 0;
  #next = 0;
  #action = 0;
  #depth = 0;
  /** Where the states of the next depth begin. */
  #levelEnd: number;

  /** `fingerprints`: states are remembered by them, and not compared in full. */
  constructor(space: Space, fingerprints = false) {
    const { width } = space.model;
    this.#space = space;
    this.states = fingerprints
      ? new FingerprintStore(width, (index, into) => this.#redo(index, into))
      : new StateStore(width);
    this.findings = new Findings(space.model);
    this.sightings = new Sightings(space);
    this.#state = new Int32Array(space.model.width);
    this.#visit = (transition) => this.#onTransition(transition);
    space.roots.forEach(({ state, findings }, i) => {
      this.sightings.lookAtRoot(state);
      if (!this.states.add(representative(space, state), -1, i)) return;
      this.findings.note({ to: state, findings }, this.states.size - 1, null);
    });
    this.#levelEnd = this.states.size;
  }

  get isDone(): boolean {
    return this.#next >= this.states.size;
  }

  get depth(): number {
    return this.states.size > this.#levelEnd ? this.#depth + 1 : this.#depth;
  }

  get progress(): Progress {
    return { states: this.#next, transitions: this.#transitions, frontier: this.states.size - this.#next };
  }

  advance(states: number): boolean {
    const { bounds, choices } = this.#space;
    for (let left = states; left > 0 && !this.isDone; left--) {
      if (this.#next === this.#levelEnd) {
        this.#depth += 1;
        this.#levelEnd = this.states.size;
      }
      if (bounds.depth !== null && this.#depth >= bounds.depth) return false;
      this.states.read(this.#next, this.#state);
      this.#action = 0;
      choices.expand(this.#state, this.#visit);
      this.#next += 1;
    }
    this.states.release(this.#next);
    return !this.isDone;
  }

  /** Repeats the actions that led to a state. */
  #redo(index: number, into: Int32Array): void {
    const { states } = this;
    const { choices, roots } = this.#space;
    const parent = states.parent(index);
    if (parent < 0) {
      into.set(representative(this.#space, Int32Array.from(roots[states.action(index)]!.state)));
      return;
    }
    states.read(parent, into);
    const from = Int32Array.from(into);
    let left = states.action(index);
    choices.expand(from, ({ to }) => {
      if (left-- === 0) into.set(representative(this.#space, to));
    });
  }

  #onTransition(transition: Transition): void {
    const action = this.#action++;
    this.#transitions += 1;
    if (transition.findings.length > 0) this.findings.note(transition, this.#next, action);
    this.sightings.look(transition);
    if (transition.beyond) this.beyond += 1;
    else this.states.add(representative(this.#space, transition.to), this.#next, action);
  }
}
