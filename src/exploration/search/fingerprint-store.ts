import { Fingerprints } from './fingerprints.ts';
import type { Store } from './state-store.ts';

/** So many states at a time are given memory, and lose it again. */
const BLOCK_SHIFT = 16;
const BLOCK = 1 << BLOCK_SHIFT;
const MOST_ACTIONS = 1 << 16;

/** Puts a state that is no longer stored into `into`: by repeating the actions that led to it. */
type Redo = (index: number, into: Int32Array) => void;

/**
 * Every state once, as a fingerprint of 64 bits: two states with the same one would be taken for the same. Whole states are
 * kept only until they are read, in the order in which they were reached. From then on a state takes some twenty
 * bytes: its fingerprint, the state it was reached from, and by which action.
 */
export class FingerprintStore implements Store {
  readonly #width: number;
  readonly #fingerprints: Fingerprints;
  readonly #redo: Redo;
  readonly #parents: Int32Array[] = [];
  readonly #actions: Uint16Array[] = [];
  /** Whole states by block; null once all of a block were read. */
  readonly #states: (Int32Array | null)[] = [];
  /** The first block that is still there. */
  #first = 0;

  /** `width`: how many integers make a state. */
  constructor(width: number, redo: Redo) {
    this.#width = width;
    this.#fingerprints = new Fingerprints(width);
    this.#redo = redo;
  }

  get size(): number {
    return this.#fingerprints.size;
  }

  add(state: Int32Array, parent: number, action: number): boolean {
    const index = this.#fingerprints.size;
    if (!this.#fingerprints.add(state)) return false;
    if (action >= MOST_ACTIONS) throw new RangeError(`a state has more than ${MOST_ACTIONS} actions`);
    const block = index >> BLOCK_SHIFT;
    const at = index & (BLOCK - 1);
    if (at === 0) this.#addBlock();
    this.#parents[block]![at] = parent;
    this.#actions[block]![at] = action;
    const states = this.#states[block]!;
    for (let i = 0, to = at * this.#width; i < this.#width; i++, to++) states[to] = state[i]!;
    return true;
  }

  read(index: number, into: Int32Array): void {
    const block = index >> BLOCK_SHIFT;
    const states = this.#states[block]!;
    if (states === null) return this.#redo(index, into);
    const at = (index & (BLOCK - 1)) * this.#width;
    for (let i = 0; i < this.#width; i++) into[i] = states[at + i]!;
  }

  /** States before this one will not be read any more, or rarely. */
  release(index: number): void {
    for (; this.#first < index >> BLOCK_SHIFT; this.#first++) this.#states[this.#first] = null;
  }

  parent(index: number): number {
    return this.#parents[index >> BLOCK_SHIFT]![index & (BLOCK - 1)]!;
  }

  action(index: number): number {
    return this.#actions[index >> BLOCK_SHIFT]![index & (BLOCK - 1)]!;
  }

  #addBlock(): void {
    this.#parents.push(new Int32Array(BLOCK));
    this.#actions.push(new Uint16Array(BLOCK));
    this.#states.push(new Int32Array(BLOCK * this.#width));
  }
}
