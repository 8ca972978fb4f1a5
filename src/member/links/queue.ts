import type { Message } from '../../core/index.ts';

/** A message to one peer, as an encoded frame and, for voters that speak only REST, as an object. */
export interface Outgoing {
  readonly election: string;
  readonly message: Message;
  readonly frame: string;
  readonly bytes: number;
  /** The same for an earlier release, which understands these features. */
  earlier(features: readonly string[]): string;
}

/**
 * The messages that wait for one peer, bounded in number and size. When it is full the oldest is dropped: in an
 * election the newest message counts.
 */
export class Queue {
  readonly #maxMessages: number;
  readonly #maxBytes: number;
  #items: Outgoing[] = [];
  /** The index of the oldest: shifting a long array would move all its entries each time. */
  #first = 0;
  #bytes = 0;

  constructor(maxMessages: number, maxBytes: number) {
    this.#maxMessages = maxMessages;
    this.#maxBytes = maxBytes;
  }

  get length(): number {
    return this.#items.length - this.#first;
  }

  /** Returns how many messages were dropped to make room. */
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

  /** Returns how many messages were dropped. */
  clear(): number {
    const dropped = this.length;
    this.#items = [];
    this.#first = 0;
    this.#bytes = 0;
    return dropped;
  }
}
