/**
 * A hash of everything that happened, computed field by field without serialising. It distinguishes runs and is not
 * for secrets. Two 32-bit lanes in integer arithmetic: the same in every engine.
 */
export class Digest {
  #a = 0x811c9dc5 | 0;
  #b = 0x2f0b4c47 | 0;

  number(value: number): void {
    if (value === (value | 0)) {
      this.#mix(value);
    } else {
      // Not a small integer: both halves of the double, exactly.
      FLOAT[0] = value;
      this.#mix(WORDS[0]!);
      this.#mix(WORDS[1]!);
    }
  }

  text(value: string): void {
    this.#mix(textHash(value));
  }

  /** Any plain data, in its own key order (which our code fixes, so it is part of the hash). */
  value(value: unknown): void {
    if (typeof value === 'number') return this.number(value);
    if (typeof value === 'string') return this.text(value);
    if (typeof value === 'boolean') return this.#mix(value ? 0x51 : 0x52);
    if (typeof value !== 'object' || value === null) return this.#mix(0x53);
    if (Array.isArray(value)) {
      this.#mix(0x54 + value.length);
      for (let i = 0; i < value.length; i++) this.value(value[i]);
      return;
    }
    for (const key in value) {
      this.text(key);
      this.value((value as Record<string, unknown>)[key]);
    }
    this.#mix(0x55);
  }

  toString(): string {
    return (
      (finish(this.#a ^ this.#b) >>> 0).toString(16).padStart(8, '0') +
      (finish(this.#b) >>> 0).toString(16).padStart(8, '0')
    );
  }

  #mix(word: number): void {
    this.#a = Math.imul(this.#a ^ word, 0x01000193);
    this.#a ^= this.#a >>> 15;
    this.#b = (Math.imul(this.#b, 0x85ebca6b) + word) | 0;
    this.#b ^= this.#b >>> 13;
  }
}

const FLOAT = new Float64Array(1);
const WORDS = new Int32Array(FLOAT.buffer);

/** Texts repeat (types, keys, timers), so their hashes are cached; the limit only bounds memory. */
const known = new Map<string, number>();

function textHash(text: string): number {
  const found = known.get(text);
  if (found !== undefined) return found;
  let h = 0x811c9dc5 ^ text.length;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  h = finish(h);
  if (known.size < 10_000) known.set(text, h);
  return h;
}

function finish(x: number): number {
  let h = x | 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}
