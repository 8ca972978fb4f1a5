import { IntLists, type Lists } from './interner.ts';
import { Memo } from './memo.ts';
import { MessageSets } from './message-sets.ts';

/**
 * The messages in flight, as numbered lists. In a network that delivers any number of times each message stays in
 * flight for ever, and a list is a set; otherwise it is a bag, and a delivery removes one copy.
 */
export interface InFlight {
  readonly lists: Lists;
  /** Adds a list of messages that were sent. */
  with(list: number, sent: number): number;
  /** Removes one copy of a message. */
  without(list: number, message: number): number;
  /** Is everything in the first list in the second too? (Where lists are sets.) */
  isWithin(a: number, b: number): boolean;
  /** The number of a list of messages, in any order. */
  id(messages: readonly number[]): number;
}

/** `any`: the network delivers any number of times. */
export function messagesInFlight(any: boolean): InFlight {
  return any ? new SetsInFlight() : new BagsInFlight();
}

class SetsInFlight implements InFlight {
  readonly lists: MessageSets = new MessageSets();

  constructor() {
    this.lists.id([]); // Number 0.
  }

  with(list: number, sent: number): number {
    return sent === 0 ? list : this.lists.union(list, sent);
  }

  without(list: number, message: number): number {
    return this.lists.id(this.lists.value(list).filter((each) => each !== message));
  }

  isWithin(a: number, b: number): boolean {
    return this.lists.isWithin(a, b);
  }

  id(messages: readonly number[]): number {
    return messages.reduce((list, message) => this.with(list, this.lists.id([message])), 0);
  }
}

class BagsInFlight implements InFlight {
  readonly lists: IntLists = new IntLists();
  readonly #with = new Memo();
  readonly #without = new Memo();

  constructor() {
    this.lists.id([]); // Number 0.
  }

  with(list: number, sent: number): number {
    if (sent === 0) return list;
    const known = this.#with.get(list, sent);
    if (known >= 0) return known;
    const next = this.lists.id(sorted([...this.lists.value(list), ...this.lists.value(sent)]));
    this.#with.set(next, list, sent);
    return next;
  }

  without(list: number, message: number): number {
    const known = this.#without.get(list, message);
    if (known >= 0) return known;
    const rest = [...this.lists.value(list)];
    rest.splice(rest.indexOf(message), 1);
    const next = this.lists.id(rest);
    this.#without.set(next, list, message);
    return next;
  }

  /** Only sets cover one another. */
  isWithin(a: number, b: number): boolean {
    return a === b;
  }

  id(messages: readonly number[]): number {
    return messages.reduce((list, message) => this.with(list, this.lists.id([message])), 0);
  }
}

function sorted(messages: readonly number[]): number[] {
  return [...messages].sort((a, b) => a - b);
}
