import { canonicalText } from '../../core/index.ts';

/** Gives each different value a small number, so that a state of the whole cluster is a few integers. */
export class Interner<T> {
  readonly #ids = new Map<string, number>();
  readonly #values: T[] = [];

  get size(): number {
    return this.#values.length;
  }

  /** The number of this value; the value must not change afterwards. */
  id(value: T): number {
    const text = canonicalText(value);
    const known = this.#ids.get(text);
    if (known !== undefined) return known;
    const id = this.#values.length;
    this.#ids.set(text, id);
    this.#values.push(value);
    return id;
  }

  value(id: number): T {
    return this.#values[id]!;
  }
}

/**
 * Gives each different list of integers a small number, like Interner, but without creating texts: there are many
 * lists.
 */
export class IntLists {
  readonly #lists: (readonly number[])[] = [];
  readonly #hashes: number[] = [];
  /** Open addressing; each slot holds a list's number + 1, or 0. */
  #table = new Int32Array(1 << 12);

  get size(): number {
    return this.#lists.length;
  }

  value(id: number): readonly number[] {
    return this.#lists[id]!;
  }

  /** The list must not change afterwards. */
  id(list: readonly number[]): number {
    const hash = hashOf(list, list.length);
    const mask = this.#table.length - 1;
    let slot = hash & mask;
    for (let entry = this.#table[slot]!; entry !== 0; entry = this.#table[slot]!) {
      if (this.#hashes[entry - 1] === hash && isEqual(this.#lists[entry - 1]!, list)) return entry - 1;
      slot = (slot + 1) & mask;
    }
    const id = this.#lists.length;
    this.#lists.push(list);
    this.#hashes.push(hash);
    this.#table[slot] = id + 1;
    if (this.#lists.length * 2 > this.#table.length) this.#grow();
    return id;
  }

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

function isEqual(a: readonly number[], b: readonly number[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
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
