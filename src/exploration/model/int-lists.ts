import { hashOf } from '../search/rows.ts';

/** Gives each different list of integers a small number. Does what Interner does, without making texts: lists are many. */
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
