import { type Effect, type Input, type MemberId, mix, textHash } from '../core/index.ts';

/**
 * A hash of everything that happened, computed field by field without serialising. It distinguishes runs and is not
 * for secrets. Two 32-bit lanes in integer arithmetic: the same in every engine.
 */
export class Digest {
  #a = 0x811c9dc5 | 0;
  #b = 0x2f0b4c47 | 0;

  number(value: number): void {
    this.#mix(putNumber(value, 0));
  }

  /** Any plain data, in its own key order (which our code fixes, so it is part of the hash). */
  value(value: unknown): void {
    let length = put(value, 0);
    if (length > words.length) {
      words = new Int32Array(2 * length);
      length = put(value, 0);
    }
    this.#mix(length);
  }

  /** The same as `value` of the name, of the input, and of each effect. */
  step(name: MemberId, input: Input, effects: readonly Effect[]): void {
    let length = putStep(name, input, effects);
    if (length > words.length) {
      words = new Int32Array(2 * length);
      length = putStep(name, input, effects);
    }
    this.#mix(length);
  }

  toString(): string {
    return (
      (mix(this.#a ^ this.#b) >>> 0).toString(16).padStart(8, '0') +
      (mix(this.#b) >>> 0).toString(16).padStart(8, '0')
    );
  }

  #mix(length: number): void {
    const all = words; // A variable of the module is loaded anew at every use.
    let a = this.#a;
    let b = this.#b;
    for (let i = 0; i < length; i++) {
      const word = all[i]!;
      a = Math.imul(a ^ word, 0x01000193);
      a ^= a >>> 15;
      b = (Math.imul(b, 0x85ebca6b) + word) | 0;
      b ^= b >>> 13;
    }
    this.#a = a;
    this.#b = b;
  }
}

/** Follows the last field of an object. */
const END = 0x55;
const [TYPE, MESSAGE, FROM, TIMER] = [
  textHash('type'),
  textHash('message'),
  textHash('from'),
  textHash('timer'),
];
const [SEND, TO, SET_TIMER, DELAY] = [
  textHash('send'),
  textHash('to'),
  textHash('set-timer'),
  textHash('delayMs'),
];

/** What is about to go into a hash. A write behind its end does nothing; then it is made larger, and filled anew. */
let words: Int32Array = new Int32Array(256);

/** Puts the words of a value there, and returns where they end. */
function put(value: unknown, at: number): number {
  if (typeof value === 'number') return putNumber(value, at);
  if (typeof value === 'string') return putWord(textHash(value), at);
  if (typeof value === 'boolean') return putWord(value ? 0x51 : 0x52, at);
  if (typeof value !== 'object' || value === null) return putWord(0x53, at);
  if (Array.isArray(value)) {
    let end = putWord(0x54 + value.length, at);
    for (let i = 0; i < value.length; i++) end = put(value[i], end);
    return end;
  }
  let end = at;
  for (const key in value) {
    end = putWord(textHash(key), end);
    const field = (value as Record<string, unknown>)[key];
    end = key === 'message' && typeof field === 'object' ? putMessage(field, end) : put(field, end);
  }
  return putWord(END, end);
}

function putStep(name: MemberId, input: Input, effects: readonly Effect[]): number {
  let end = putInput(input, put(name, 0));
  for (let i = 0; i < effects.length; i++) end = putEffect(effects[i]!, end);
  return end;
}

/** Most inputs are messages and timers. Their keys are known here, and need not be looked up. */
function putInput(input: Input, at: number): number {
  const { type } = input;
  if (type === 'message') {
    const end = put(input.from, putKeyed(TYPE, MESSAGE, FROM, at));
    return putWord(END, putMessage(input.message, putWord(MESSAGE, end)));
  }
  if (type === 'timer') return putWord(END, put(input.timer, putKeyed(TYPE, TIMER, TIMER, at)));
  return put(input, at);
}

/** The same for messages that are sent and timers that are set. */
function putEffect(effect: Effect, at: number): number {
  const { type } = effect;
  if (type === 'send' && effect.at === undefined) {
    const end = put(effect.to, putKeyed(TYPE, SEND, TO, at));
    return putWord(END, putMessage(effect.message, putWord(MESSAGE, end)));
  }
  if (type === 'set-timer') {
    const end = put(effect.timer, putKeyed(TYPE, SET_TIMER, TIMER, at));
    return putWord(END, put(effect.delayMs, putWord(DELAY, end)));
  }
  return put(effect, at);
}

function putKeyed(type: number, kind: number, key: number, at: number): number {
  words[at] = type;
  words[at + 1] = kind;
  words[at + 2] = key;
  return at + 3;
}

function putWord(word: number, at: number): number {
  words[at] = word;
  return at + 1;
}

function putNumber(value: number, at: number): number {
  if (value === (value | 0)) return putWord(value, at);
  // Not a small integer: both halves of the double, exactly.
  FLOAT[0] = value;
  return putWord(HALVES[1]!, putWord(HALVES[0]!, at));
}

const FLOAT = new Float64Array(1);
const HALVES = new Int32Array(FLOAT.buffer);

/**
 * The messages of a moment ago, and the words of each. A message is sent to several members and then received by each of them, and no
 * protocol changes one that it has sent (the world checks that with `freeze`): its fields are gone through once.
 */
const KEPT = 8;
const LONGEST_KEPT = 128;
const messages: (object | null)[] = Array.from({ length: KEPT }, () => null);
const keptWords: readonly Int32Array[] = messages.map(() => new Int32Array(LONGEST_KEPT));
const keptLengths = new Int32Array(KEPT);
let oldest = 0;

function putMessage(message: object | null, at: number): number {
  if (message === null) return put(message, at);
  for (let i = 0; i < KEPT; i++) {
    if (messages[i] !== message) continue;
    const kept = keptWords[i]!;
    const length = keptLengths[i]!;
    for (let k = 0; k < length; k++) words[at + k] = kept[k]!;
    return at + length;
  }
  const end = put(message, at);
  const length = end - at;
  if (length > LONGEST_KEPT || end > words.length) return end;
  messages[oldest] = message;
  keptLengths[oldest] = length;
  const kept = keptWords[oldest]!;
  for (let k = 0; k < length; k++) kept[k] = words[at + k]!;
  oldest = (oldest + 1) % KEPT;
  return end;
}
