import { leavesAsMuch } from '../model/bounds.ts';
import { hashOf } from '../model/interner.ts';
import type { Model } from '../model/model.ts';
import { Rows } from './rows.ts';
import type { States } from './state-store.ts';

/** The parts of a state in which one may cover another: its messages, its newest token and its faults. */
type Rest = [net: number, newest: number, faults: number];

/**
 * States that do not cover one another. One covers another if members, history and leases are the same, every message
 * of the other is in flight in it too, no older token has been used, and no more faults happened: then everything
 * that can go wrong from the other can go wrong from it. A covered state need not be checked.
 */
export class CoverStore implements States {
  readonly #model: Model;
  readonly #rows: Rows;
  readonly #key: Int32Array;
  readonly #mine: Rest = [0, 0, 0];
  readonly #other: Rest = [0, 0, 0];
  /** Columns after the state itself. */
  readonly #parent: number;
  readonly #action: number;
  readonly #hash: number;
  readonly #next: number;
  readonly #covered: number;
  /** For each bucket the first state + 1; each state names the next one + 1. */
  #buckets = new Int32Array(1 << 16);

  constructor(model: Model) {
    this.#model = model;
    this.#parent = model.width;
    this.#action = model.width + 1;
    this.#hash = model.width + 2;
    this.#next = model.width + 3;
    this.#covered = model.width + 4;
    this.#rows = new Rows(model.width + 5);
    this.#key = new Int32Array(model.width - 3);
  }

  /** All that were ever kept, also those that were covered later. */
  get size(): number {
    return this.#rows.size;
  }

  /** Keeps the state unless it is covered. True if it was kept. */
  add(state: Int32Array, parent: number, action: number): boolean {
    const hash = this.#hashOf(state);
    if (this.#isCovered(state, hash)) return false;
    const index = this.#rows.add();
    this.#rows.write(index, state);
    this.#rows.set(index, this.#parent, parent);
    this.#rows.set(index, this.#action, action);
    this.#rows.set(index, this.#hash, hash);
    this.#link(index, hash);
    if (this.size > this.#buckets.length) this.#grow();
    return true;
  }

  /** Was it covered by a later one? */
  isCovered(index: number): boolean {
    return this.#rows.get(index, this.#covered) !== 0;
  }

  read(index: number, into: Int32Array): void {
    this.#rows.read(index, into);
  }

  parent(index: number): number {
    return this.#rows.get(index, this.#parent);
  }

  action(index: number): number {
    return this.#rows.get(index, this.#action);
  }

  /** Compares all states with the same key, and marks those that this one covers. */
  #isCovered(state: Int32Array, hash: number): boolean {
    const rows = this.#rows;
    let before = -1;
    for (let entry = this.#buckets[hash & (this.#buckets.length - 1)]!; entry !== 0; ) {
      const index = entry - 1;
      entry = rows.get(index, this.#next);
      if (rows.get(index, this.#hash) !== hash || !this.#hasSameKey(index, state)) {
        before = index;
        continue;
      }
      this.#other[0] = rows.get(index, this.#model.net);
      this.#other[1] = rows.get(index, this.#model.newest);
      this.#other[2] = rows.get(index, this.#model.faults);
      this.#mine[0] = state[this.#model.net]!;
      this.#mine[1] = state[this.#model.newest]!;
      this.#mine[2] = state[this.#model.faults]!;
      if (this.#covers(this.#other, this.#mine)) return true;
      if (this.#covers(this.#mine, this.#other)) {
        rows.set(index, this.#covered, 1);
        if (before < 0) this.#buckets[hash & (this.#buckets.length - 1)] = entry;
        else rows.set(before, this.#next, entry);
      } else {
        before = index;
      }
    }
    return false;
  }

  /** For states with the same key: does the first cover the second? Each is given by its parts outside the key. */
  #covers(first: Rest, second: Rest): boolean {
    const { inFlight, tokens } = this.#model;
    return (
      leavesAsMuch(first[2], second[2]) &&
      tokens.isAsStrict(first[1], second[1]) &&
      inFlight.isWithin(second[0], first[0])
    );
  }

  #hasSameKey(index: number, state: Int32Array): boolean {
    const { net, past, running } = this.#model;
    const rows = this.#rows;
    return (
      rows.holds(index, state, net) &&
      rows.get(index, past) === state[past] &&
      rows.get(index, running) === state[running]
    );
  }

  #hashOf(state: Int32Array): number {
    const { net, past, running } = this.#model;
    for (let i = 0; i < net; i++) this.#key[i] = state[i]!;
    this.#key[net] = state[past]!;
    this.#key[net + 1] = state[running]!;
    return hashOf(this.#key, net + 2);
  }

  #link(index: number, hash: number): void {
    const bucket = hash & (this.#buckets.length - 1);
    this.#rows.set(index, this.#next, this.#buckets[bucket]!);
    this.#buckets[bucket] = index + 1;
  }

  #grow(): void {
    this.#buckets = new Int32Array(this.#buckets.length * 2);
    for (let index = 0; index < this.size; index++) {
      if (!this.isCovered(index)) this.#link(index, this.#rows.get(index, this.#hash));
    }
  }
}
