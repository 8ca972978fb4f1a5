import { assert } from '../../core/index.ts';
import { hashOf, type Lists } from './interner.ts';

/** Words of the pool are allocated in blocks of this many; no set is split over two. */
const BLOCK_SHIFT = 18;
const BLOCK = 1 << BLOCK_SHIFT;
/** A message has a number below 32 times this. */
const MOST_WORDS = 1024;

/**
 * Sets of messages by number, each message a bit: where every message stays in flight for ever, a set holds some forty
 * of a few hundred, and there are more different sets than states.
 */
export class MessageSets implements Lists {
  readonly #blocks: Int32Array[] = [];
  /** Words of the pool in use. */
  #used = 0;
  /** By set: where it begins in the pool, how many words it has, how many messages, and its hash. */
  #starts = new Int32Array(1024);
  #words = new Int16Array(1024);
  #counts = new Int16Array(1024);
  #hashes = new Int32Array(1024);
  #size = 0;
  /** Open addressing; each slot holds a set's number + 1, or 0. */
  #table = new Int32Array(1 << 12);
  readonly #scratch = new Int32Array(MOST_WORDS);
  /** The set that was read last. */
  #last = -1;
  #lastValue: readonly number[] = [];

  get size(): number {
    return this.#size;
  }

  /** How many messages a set has. */
  length(set: number): number {
    return this.#counts[set]!;
  }

  /** The messages of a set, in order. */
  value(set: number): readonly number[] {
    if (set !== this.#last) {
      this.#lastValue = this.#read(set);
      this.#last = set;
    }
    return this.#lastValue;
  }

  id(messages: readonly number[]): number {
    const scratch = this.#scratch;
    let words = 0;
    for (let i = 0; i < messages.length; i++) {
      const message = messages[i]!;
      const word = message >> 5;
      assert(word < MOST_WORDS, 'too many different messages');
      while (words <= word) scratch[words++] = 0;
      scratch[word]! |= 1 << (message & 31);
    }
    return this.#intern(words);
  }

  union(a: number, b: number): number {
    if (this.isWithin(b, a)) return a;
    const scratch = this.#scratch;
    const wordsOfA = this.#words[a]!;
    const wordsOfB = this.#words[b]!;
    const blockA = this.#blocks[this.#starts[a]! >> BLOCK_SHIFT]!;
    const blockB = this.#blocks[this.#starts[b]! >> BLOCK_SHIFT]!;
    const atA = this.#starts[a]! & (BLOCK - 1);
    const atB = this.#starts[b]! & (BLOCK - 1);
    const words = Math.max(wordsOfA, wordsOfB);
    for (let i = 0; i < words; i++)
      scratch[i] = (i < wordsOfA ? blockA[atA + i]! : 0) | (i < wordsOfB ? blockB[atB + i]! : 0);
    return this.#intern(words);
  }

  /** Is everything in the first set in the second too? */
  isWithin(a: number, b: number): boolean {
    if (a === b) return true;
    const words = this.#words[a]!;
    if (words > this.#words[b]! || this.#counts[a]! > this.#counts[b]!) return false;
    const blockA = this.#blocks[this.#starts[a]! >> BLOCK_SHIFT]!;
    const blockB = this.#blocks[this.#starts[b]! >> BLOCK_SHIFT]!;
    const atA = this.#starts[a]! & (BLOCK - 1);
    const atB = this.#starts[b]! & (BLOCK - 1);
    for (let i = 0; i < words; i++) if ((blockA[atA + i]! & ~blockB[atB + i]!) !== 0) return false;
    return true;
  }

  #read(set: number): number[] {
    const block = this.#blocks[this.#starts[set]! >> BLOCK_SHIFT]!;
    const at = this.#starts[set]! & (BLOCK - 1);
    const messages: number[] = [];
    for (let i = 0; i < this.#words[set]!; i++) {
      for (let rest = block[at + i]!; rest !== 0; rest &= rest - 1)
        messages.push(32 * i + 31 - Math.clz32(rest & -rest));
    }
    return messages;
  }

  /** The number of the set whose first words are in `#scratch`; the last of them is not 0. */
  #intern(words: number): number {
    const hash = hashOf(this.#scratch, words);
    const mask = this.#table.length - 1;
    let slot = hash & mask;
    for (let entry = this.#table[slot]!; entry !== 0; entry = this.#table[slot]!) {
      if (this.#hashes[entry - 1] === hash && this.#holdsScratch(entry - 1, words)) return entry - 1;
      slot = (slot + 1) & mask;
    }
    const id = this.#add(words, hash);
    this.#table[slot] = id + 1;
    if (this.#size * 2 > this.#table.length) this.#growTable();
    return id;
  }

  #holdsScratch(set: number, words: number): boolean {
    if (this.#words[set] !== words) return false;
    const block = this.#blocks[this.#starts[set]! >> BLOCK_SHIFT]!;
    const at = this.#starts[set]! & (BLOCK - 1);
    for (let i = 0; i < words; i++) if (block[at + i] !== this.#scratch[i]) return false;
    return true;
  }

  #add(words: number, hash: number): number {
    const left = BLOCK - (this.#used & (BLOCK - 1));
    if (words > left) this.#used += left;
    const at = this.#used & (BLOCK - 1);
    const number = this.#used >> BLOCK_SHIFT;
    if (number === this.#blocks.length) this.#blocks.push(new Int32Array(BLOCK));
    const block = this.#blocks[number]!;
    let count = 0;
    for (let i = 0; i < words; i++) {
      const word = this.#scratch[i]!;
      block[at + i] = word;
      count += bitsOf(word);
    }
    const id = this.#size++;
    if (id === this.#starts.length) this.#growColumns();
    this.#starts[id] = this.#used;
    this.#words[id] = words;
    this.#counts[id] = count;
    this.#hashes[id] = hash;
    this.#used += words;
    return id;
  }

  #growColumns(): void {
    const length = 2 * this.#starts.length;
    this.#starts = larger(this.#starts, new Int32Array(length));
    this.#words = larger(this.#words, new Int16Array(length));
    this.#counts = larger(this.#counts, new Int16Array(length));
    this.#hashes = larger(this.#hashes, new Int32Array(length));
  }

  #growTable(): void {
    const table = new Int32Array(this.#table.length * 2);
    const mask = table.length - 1;
    for (let id = 0; id < this.#size; id++) {
      let slot = this.#hashes[id]! & mask;
      while (table[slot] !== 0) slot = (slot + 1) & mask;
      table[slot] = id + 1;
    }
    this.#table = table;
  }
}

function larger<T extends Int32Array | Int16Array>(old: T, larger: T): T {
  larger.set(old);
  return larger;
}

function bitsOf(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
