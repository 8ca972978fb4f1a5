import { mix } from './text-hash.ts';

const TWO_26 = 0x4000000;
const TWO_32 = 0x100000000;
const TWO_53 = 0x20000000000000;

/**
 * Seeded random numbers: xoshiro128** (Blackman and Vigna), in 32-bit integer arithmetic only, so that every
 * engine and machine draws the same. Not for secrets.
 */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #d: number;

  /** Different `stream` names of one seed are independent: what one part draws never shifts another's. */
  constructor(seed: number, stream: string) {
    // Four lanes absorb the same words by different rules, so that all 128 bits of state depend on all of them.
    const lanes = [0x9e3779b9, 0x243f6a88, 0xb7e15162, 0x6a09e667];
    const absorb = (word: number): void => {
      for (let lane = 0; lane < 4; lane++) lanes[lane] = mix(Math.imul(lanes[lane]!, 5 + 2 * lane) ^ word);
    };
    absorb(seed >>> 0);
    absorb(Math.floor(seed / TWO_32));
    for (let i = 0; i < stream.length; i++) absorb(stream.charCodeAt(i));
    this.#a = lanes[0]!;
    this.#b = lanes[1]!;
    this.#c = lanes[2]!;
    this.#d = lanes[3]! | 1; // The state must never be all zero.
  }

  /** 32 random bits as an unsigned integer. */
  bits(): number {
    const scrambled = Math.imul(rotate(Math.imul(this.#b, 5), 7), 9);
    const t = this.#b << 9;
    this.#c ^= this.#a;
    this.#d ^= this.#b;
    this.#b ^= this.#c;
    this.#a ^= this.#d;
    this.#c ^= t;
    this.#d = rotate(this.#d, 11);
    return scrambled >>> 0;
  }

  /** Uniform in [0, 1), with 53 bits. */
  fraction(): number {
    return ((this.bits() >>> 5) * TWO_26 + (this.bits() >>> 6)) / TWO_53;
  }

  /** A whole number in [0, n). */
  below(n: number): number {
    return Math.floor(this.fraction() * n);
  }

  /** A whole number in [min, max]. */
  between(min: number, max: number): number {
    return min + this.below(max - min + 1);
  }

  chance(probability: number): boolean {
    return probability > 0 && this.fraction() < probability;
  }

  pick<T>(items: readonly T[]): T | undefined {
    return items[this.below(items.length)];
  }

  /** An unsigned 64-bit integer in decimal: text, because a number would drop the low bits. */
  draw64(): string {
    return ((BigInt(this.bits()) << 32n) | BigInt(this.bits())).toString();
  }
}

function rotate(x: number, by: number): number {
  return (x << by) | (x >>> (32 - by));
}
