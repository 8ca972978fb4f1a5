/** The first bits of a fingerprint choose one of these tables: so the memory grows in small steps. */
const TABLE_BITS = 6;
const TABLES = 1 << TABLE_BITS;
const FIRST_SLOTS = 1 << 10;
/** Slots of a table in use before it grows, and how much it grows. */
const FULL = 0.7;
const GROWTH = 1.25;
const TWO_32 = 0x1_0000_0000;

/** How many bits a fingerprint has. */
export const FINGERPRINT_BITS = 64;

/**
 * At most this probable is it that at least two of so many states have the same fingerprint, if fingerprints are as good as
 * drawn at random: one of the two, and what can be reached only from it, was then not checked.
 */
export function collisionProbability(states: number): number {
  return Math.min(1, (states * (states - 1)) / 2 / TWO_32 / TWO_32);
}

/** A set of states, each as a fingerprint of 64 bits: two integers of a typed array. */
export class Fingerprints {
  readonly #width: number;
  /** Open addressing; for each slot both halves (0 and 0: free). */
  readonly #tables: Int32Array[] = [];
  readonly #slots: number[] = [];
  readonly #used: number[] = [];
  size = 0;

  /** `width`: how many integers make a state. */
  constructor(width: number) {
    this.#width = width;
    for (let i = 0; i < TABLES; i++) {
      this.#tables.push(new Int32Array(2 * FIRST_SLOTS));
      this.#slots.push(FIRST_SLOTS);
      this.#used.push(0);
    }
  }

  /** True if no state with this fingerprint was added before. */
  add(state: Int32Array): boolean {
    let high = 0x2545f491;
    let low = 0x9e3779b9;
    for (let i = 0; i < this.#width; i++) {
      const part = state[i]!;
      high = Math.imul(high ^ part, 0x85ebca6b);
      low = Math.imul(low ^ part, 0xcc9e2d51);
      high = ((high << 15) | (high >>> 17)) ^ low;
      low = ((low << 13) | (low >>> 19)) + high;
    }
    high = Math.imul(high ^ (high >>> 16), 0x7feb352d);
    low = Math.imul(low ^ (low >>> 15), 0x846ca68b);
    high = (high + low) | 0;
    low = Math.imul(low ^ (high >>> 14), 0xc2b2ae35);
    high = Math.imul(high ^ (low >>> 13), 0x27d4eb2f);
    low = low ^ (low >>> 16);
    high = high ^ (high >>> 15);
    if (high === 0 && low === 0) low = 1; // A free slot is no state.
    return this.#add(high, low);
  }

  #add(high: number, low: number): boolean {
    const number = high >>> (32 - TABLE_BITS);
    const table = this.#tables[number]!;
    const slots = this.#slots[number]!;
    let at = 2 * slotOf(low, slots);
    for (;;) {
      const first = table[at]!;
      const second = table[at + 1]!;
      if (first === low && second === high) return false;
      if (first === 0 && second === 0) break;
      at += 2;
      if (at === table.length) at = 0;
    }
    table[at] = low;
    table[at + 1] = high;
    this.size += 1;
    const used = this.#used[number]! + 1;
    this.#used[number] = used;
    if (used > slots * FULL) this.#grow(number);
    return true;
  }

  #grow(number: number): void {
    const old = this.#tables[number]!;
    const slots = Math.ceil(this.#slots[number]! * GROWTH);
    const table = new Int32Array(2 * slots);
    for (let from = 0; from < old.length; from += 2) {
      const low = old[from]!;
      const high = old[from + 1]!;
      if (low === 0 && high === 0) continue;
      let at = 2 * slotOf(low, slots);
      while (table[at] !== 0 || table[at + 1] !== 0) {
        at += 2;
        if (at === table.length) at = 0;
      }
      table[at] = low;
      table[at + 1] = high;
    }
    this.#tables[number] = table;
    this.#slots[number] = slots;
  }
}

/** Spreads the low half over the slots; their number need not be a power of two. */
function slotOf(low: number, slots: number): number {
  return Math.floor(((low >>> 0) * slots) / TWO_32);
}
