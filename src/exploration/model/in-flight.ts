import { IntLists } from './interner.ts';

/**
 * The messages in flight, as sorted lists of their numbers. In a network that delivers any number of times (`any`)
 * each message stays in flight for ever, and a list is a set; otherwise it is a bag, and a delivery removes one copy.
 */
export class InFlight {
  readonly lists: IntLists = new IntLists();
  readonly #any: boolean;
  readonly #with: Map<number, number>[] = [];
  readonly #without: Map<number, number>[] = [];

  constructor(any: boolean) {
    this.#any = any;
    this.lists.id([]); // Number 0.
  }

  /** Adds a list of messages that were sent. */
  with(list: number, sent: number): number {
    if (sent === 0) return list;
    const known = entry(this.#with, list);
    let next = known.get(sent);
    if (next === undefined) {
      next = this.lists.id(merge(this.lists.value(list), this.lists.value(sent), this.#any));
      known.set(sent, next);
    }
    return next;
  }

  /** Removes one copy of a message. */
  without(list: number, message: number): number {
    const known = entry(this.#without, list);
    let next = known.get(message);
    if (next === undefined) {
      const rest = [...this.lists.value(list)];
      rest.splice(rest.indexOf(message), 1);
      next = this.lists.id(rest);
      known.set(message, next);
    }
    return next;
  }

  /** What is in the second list and not in the first. */
  added(before: number, after: number): readonly number[] {
    const old = this.lists.value(before);
    let i = 0;
    return this.lists.value(after).filter((message) => {
      while (i < old.length && old[i]! < message) i++;
      return old[i] !== message;
    });
  }

  /** Is everything in the first list in the second too? (Where lists are sets.) */
  isWithin(a: number, b: number): boolean {
    const small = this.lists.value(a);
    const large = this.lists.value(b);
    if (small.length > large.length) return false;
    let j = 0;
    for (let i = 0; i < small.length; i++, j++) {
      while (large[j]! < small[i]!) j++;
      if (large[j] !== small[i]) return false;
    }
    return true;
  }

  /** The number of a list of messages, in any order. */
  id(messages: readonly number[]): number {
    return messages.reduce((list, message) => this.with(list, this.lists.id([message])), 0);
  }
}

/** Merges two sorted lists; with `once`, common entries appear once. */
function merge(a: readonly number[], b: readonly number[], once: boolean): number[] {
  const merged: number[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    const takeA = j >= b.length || (i < a.length && a[i]! <= b[j]!);
    if (once && takeA && a[i] === b[j]) j++;
    merged.push(takeA ? a[i++]! : b[j++]!);
  }
  return merged;
}

function entry(maps: Map<number, number>[], index: number): Map<number, number> {
  let map = maps[index];
  if (map === undefined) {
    map = new Map();
    maps[index] = map;
  }
  return map;
}
