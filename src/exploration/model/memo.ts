/** Slots of the table in use before it doubles, in 16ths. */
const FULL_16THS = 10;
/** Integers of a slot: three of the question, then the answer + 1 (0: free). */
const WIDTH = 4;

/**
 * Remembers which integer up to three others lead to. All entries lie in one typed array: a search has millions of
 * them, and a Map for each first integer would take several times the memory.
 */
export class Memo {
  #table = new Int32Array(WIDTH << 10);
  #mask = (1 << 10) - 1;
  #size = 0;

  /** The answer, or -1 if there is none yet. */
  get(a: number, b: number, c = 0): number {
    const table = this.#table;
    const mask = this.#mask;
    for (let slot = hashOf(a, b, c) & mask; ; slot = (slot + 1) & mask) {
      const at = slot * WIDTH;
      const answer = table[at + 3]!;
      if (answer === 0) return -1;
      if (table[at] === a && table[at + 1] === b && table[at + 2] === c) return answer - 1;
    }
  }

  /** For a question without an answer so far. The answer is not negative. */
  set(answer: number, a: number, b: number, c = 0): void {
    if ((this.#size + 1) * 16 > (this.#mask + 1) * FULL_16THS) this.#grow();
    this.#size += 1;
    put(this.#table, this.#mask, answer + 1, a, b, c);
  }

  #grow(): void {
    const old = this.#table;
    const mask = this.#mask * 2 + 1;
    const table = new Int32Array(WIDTH * (mask + 1));
    for (let at = 0; at < old.length; at += WIDTH) {
      if (old[at + 3] !== 0) put(table, mask, old[at + 3]!, old[at]!, old[at + 1]!, old[at + 2]!);
    }
    this.#table = table;
    this.#mask = mask;
  }
}

function put(table: Int32Array, mask: number, entry: number, a: number, b: number, c: number): void {
  let slot = hashOf(a, b, c) & mask;
  while (table[slot * WIDTH + 3] !== 0) slot = (slot + 1) & mask;
  const at = slot * WIDTH;
  table[at] = a;
  table[at + 1] = b;
  table[at + 2] = c;
  table[at + 3] = entry;
}

function hashOf(a: number, b: number, c: number): number {
  let hash = Math.imul(a, 0x9e3779b1) ^ Math.imul(b, 0x85ebca6b) ^ Math.imul(c, 0xc2b2ae35);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return hash ^ (hash >>> 13);
}
