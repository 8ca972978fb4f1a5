import type { Message } from '../../core/index.ts';

/** A message on its way to one peer, in the form of a frame and, for those who speak only REST, as it was. */
export interface Outgoing {
  readonly election: string;
  readonly message: Message;
  readonly frame: string;
  readonly bytes: number;
}

/**
 * What waits for one peer, bounded in number and size. When it is full the oldest goes: in an election the newest
 * word counts.
 */
export class Queue {
  readonly #maxMessages: number;
  readonly #maxBytes: number;
  #items: Outgoing[] = [];
  /** Where the oldest stands: taking from the front of a long array would move all the others each time. */
  #first = 0;
  #bytes = 0;

  constructor(maxMessages: number, maxBytes: number) {
    this.#maxMessages = maxMessages;
    this.#maxBytes = maxBytes;
  }

  get length(): number {
    return this.#items.length - this.#first;
  }

  /** Returns how many were given up to make room. */
  push(item: Outgoing): number {
    this.#items.push(item);
    this.#bytes += item.bytes;
    let dropped = 0;
    while (this.length > this.#maxMessages || (this.#bytes > this.#maxBytes && this.length > 0)) {
      this.shift();
      dropped++;
    }
    return dropped;
  }

  shift(): Outgoing | undefined {
    const item = this.#items[this.#first];
    if (item === undefined) return undefined;
    this.#first++;
    this.#bytes -= item.bytes;
    if (this.#first * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#first);
      this.#first = 0;
    }
    return item;
  }

  /** Returns how many there were. */
  clear(): number {
    const dropped = this.length;
    this.#items = [];
    this.#first = 0;
    this.#bytes = 0;
    return dropped;
  }
}
