import { hashOf } from '../model/interner.ts';
import { Rows } from './rows.ts';

/** The reached states: each with the state it was first reached from, and by which of its actions. */
export interface States {
  readonly size: number;
  read(index: number, into: Int32Array): void;
  /** The state it was first reached from, or -1. */
  parent(index: number): number;
  /** Which of the parent's actions led to it; without a parent, which of the roots it is. */
  action(index: number): number;
}

/** A store for a search that reads its states in the order in which they were reached. */
export interface Store extends States {
  /** True if the state is new. */
  add(state: Int32Array, parent: number, action: number): boolean;
  /** States before this one will not be read any more, or rarely. */
  release(index: number): void;
}

/** Slots of the table in use before it doubles, in 16ths. */
const FULL_16THS = 10;

/** Every state once, in the order in which it was reached. States are compared in full, not by hash. */
export class StateStore implements Store {
  readonly #width: number;
  readonly #rows: Rows;
  /** Open addressing; for each slot the state's number + 1 (0: free) and its hash. */
  #table = new Int32Array(2 << 16);
  #mask = (1 << 16) - 1;

  /** `width`: how many integers make a state. */
  constructor(width: number) {
    this.#width = width;
    this.#rows = new Rows(width + 2);
  }

  get size(): number {
    return this.#rows.size;
  }

  add(state: Int32Array, parent: number, action: number): boolean {
    const hash = hashOf(state, this.#width);
    let slot = hash & this.#mask;
    for (;;) {
      const entry = this.#table[2 * slot]!;
      if (entry === 0) break;
      if (this.#table[2 * slot + 1] === hash && this.#rows.holds(entry - 1, state, this.#width)) return false;
      slot = (slot + 1) & this.#mask;
    }
    const index = this.#rows.add();
    this.#rows.write(index, state);
    this.#rows.set(index, this.#width, parent);
    this.#rows.set(index, this.#width + 1, action);
    this.#table[2 * slot] = index + 1;
    this.#table[2 * slot + 1] = hash;
    if (this.size * 16 > (this.#mask + 1) * FULL_16THS) this.#grow();
    return true;
  }

  read(index: number, into: Int32Array): void {
    this.#rows.read(index, into);
  }

  /** All states stay. */
  release(): void {}

  parent(index: number): number {
    return this.#rows.get(index, this.#width);
  }

  action(index: number): number {
    return this.#rows.get(index, this.#width + 1);
  }

  #grow(): void {
    const old = this.#table;
    const mask = this.#mask * 2 + 1;
    const table = new Int32Array(2 * (mask + 1));
    for (let at = 0; at < old.length; at += 2) {
      if (old[at] === 0) continue;
      let slot = old[at + 1]! & mask;
      while (table[2 * slot] !== 0) slot = (slot + 1) & mask;
      table[2 * slot] = old[at]!;
      table[2 * slot + 1] = old[at + 1]!;
    }
    this.#table = table;
    this.#mask = mask;
  }
}
