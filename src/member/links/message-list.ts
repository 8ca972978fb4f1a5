import { encodeMessages, MOST_IN_LIST } from './frames.ts';

/** A list is not longer than this, in characters, unless it is one message. */
const LONGEST = 64 * 1024;
/** A character takes at most three bytes, and there is a comma between two messages. */
const BYTES_A_CHARACTER = 4;

/**
 * Messages for one peer that leave as one frame: all that one event causes. With a thousand elections on one connection there are
 * hundreds at once, and a frame of its own costs each of them as much as its JSON, on both sides.
 */
export class MessageList {
  /** How many characters wait. */
  length = 0;
  readonly #put: (frame: string) => void;
  readonly #longest: number;
  #frames: string[] = [];

  /** `mostBytes`: the other side takes no larger frame. */
  constructor(mostBytes: number, put: (frame: string) => void) {
    this.#longest = Math.min(LONGEST, mostBytes / BYTES_A_CHARACTER);
    this.#put = put;
  }

  /** Takes a message as it is encoded alone. */
  add(frame: string): void {
    if (this.#frames.length >= MOST_IN_LIST || this.length + frame.length > this.#longest) this.flush();
    if (this.#frames.length === 0) process.nextTick(() => this.flush());
    this.#frames.push(frame);
    this.length += frame.length;
  }

  flush(): void {
    const frames = this.#frames;
    if (frames.length === 0) return;
    this.#frames = [];
    this.length = 0;
    this.#put(encodeMessages(frames));
  }
}
