import { isSame, type Json, plainHash } from '../../core/index.ts';

/** Gives each different value a small number, so that a state of the whole cluster is a few integers. */
abstract class Numbered<T> {
  readonly #values: T[] = [];
  readonly #hashes: number[] = [];
  /** Open addressing; each slot holds a value's number + 1, or 0. */
  #table = new Int32Array(1 << 12);

  get size(): number {
    return this.#values.length;
  }

  value(id: number): T {
    return this.#values[id]!;
  }

  /** The number of this value; the value must not change afterwards. */
  id(value: T): number {
    const hash = this.hash(value);
    const mask = this.#table.length - 1;
    let slot = hash & mask;
    for (let entry = this.#table[slot]!; entry !== 0; entry = this.#table[slot]!) {
      if (this.#hashes[entry - 1] === hash && this.isEqual(this.#values[entry - 1]!, value)) return entry - 1;
      slot = (slot + 1) & mask;
    }
    const id = this.#values.length;
    this.#values.push(value);
    this.#hashes.push(hash);
    this.#table[slot] = id + 1;
    if (this.#values.length * 2 > this.#table.length) this.#grow();
    return id;
  }

  /** Equal values have equal hashes. */
  protected abstract hash(value: T): number;
  protected abstract isEqual(a: T, b: T): boolean;

  #grow(): void {
    const table = new Int32Array(this.#table.length * 2);
    const mask = table.length - 1;
    this.#hashes.forEach((hash, id) => {
      let slot = hash & mask;
      while (table[slot] !== 0) slot = (slot + 1) & mask;
      table[slot] = id + 1;
    });
    this.#table = table;
  }
}

/** For plain data. */
export class Interner<T> extends Numbered<T> {
  protected override hash(value: T): number {
    return plainHash(value);
  }

  protected override isEqual(a: T, b: T): boolean {
    return isSame(a as Json, b as Json);
  }
}

/** Numbered lists of messages. */
export interface Lists {
  readonly size: number;
  value(list: number): readonly number[];
  /** The messages are in order. */
  id(messages: readonly number[]): number;
  /** How many messages a list has. */
  length(list: number): number;
}

/** For lists of integers, of which there are many. */
export class IntLists extends Numbered<readonly number[]> implements Lists {
  length(list: number): number {
    return this.value(list).length;
  }

  protected override hash(list: readonly number[]): number {
    return hashOf(list, list.length);
  }

  protected override isEqual(a: readonly number[], b: readonly number[]): boolean {
    if (a.length !== b.length) return false;
    for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
    return true;
  }
}

/** A hash of the first `count` of these integers. */
export function hashOf(values: ArrayLike<number>, count: number): number {
  let hash = 0x9e3779b9 ^ count;
  for (let i = 0; i < count; i++) {
    hash = Math.imul(hash ^ values[i]!, 0x85ebca6b);
    hash = (hash << 13) | (hash >>> 19);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0xc2b2ae35);
  return hash ^ (hash >>> 15);
}
