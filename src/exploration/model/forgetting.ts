import { Learned, type Lessons } from './lessons.ts';
import type { Model } from './model.ts';
import { isIdle, type Outcomes } from './outcomes.ts';

/** Terms are packed into one integer, four bits each; with more members than this, nothing is dropped. */
const MOST_MEMBERS = 7;
const NEWEST_TERM = 15;

/**
 * Drops from a state what can never matter again, so that states which differ only in that become equal: messages of
 * a term that their receiver has left, and the history of terms that all members have left. If a member may still
 * lose its disk it may start again with the first term, so everything is kept. Nothing is assumed. For every dropped
 * message and every later state of its receiver it is checked that the message has no effect; if one has, the
 * exploration starts again without dropping that type. And if a member ever goes back to an older term, it starts
 * again without dropping anything.
 */
export class Forgetting {
  readonly #model: Model;
  readonly #outcomes: Outcomes;
  readonly #lessons: Lessons;
  readonly #n: number;
  readonly #isOff: boolean;
  /** For each list of messages, by the terms of the members, what is left of it. */
  readonly #left: Map<number, number>[] = [];
  /** By member: the messages to it that were dropped, and the states it was seen in. */
  readonly #dropped: Set<number>[];
  readonly #seen: Set<number>[];

  constructor(model: Model, lessons: Lessons) {
    const n = model.cluster.ids.length;
    this.#model = model;
    this.#outcomes = model.outcomes;
    this.#lessons = lessons;
    this.#n = n;
    this.#isOff = lessons.memory !== null || n > MOST_MEMBERS;
    this.#dropped = Array.from({ length: n }, () => new Set());
    this.#seen = Array.from({ length: n }, () => new Set());
  }

  /** Changes the messages and the history of a state in place. */
  forget(state: Int32Array): void {
    if (this.#isOff || this.#model.mayLoseDisk(state)) return;
    let terms = 0;
    let oldest = NEWEST_TERM;
    for (let i = 0; i < this.#n; i++) {
      const local = state[i]!;
      if (!this.#seen[i]!.has(local)) this.#see(i, local);
      const { lastTerm } = this.#outcomes.facts(local);
      if (lastTerm > NEWEST_TERM) return;
      terms |= lastTerm << (4 * i);
      oldest = Math.min(oldest, lastTerm);
    }
    const { net, past, newest, histories, tokens } = this.#model;
    state[net] = this.#leave(state[net]!, terms);
    state[past] = histories.since(state[past]!, oldest);
    state[newest] = tokens.since(state[newest]!, oldest);
  }

  #leave(list: number, terms: number): number {
    let known = this.#left[list];
    if (known === undefined) {
      known = new Map();
      this.#left[list] = known;
    }
    let left = known.get(terms);
    if (left === undefined) {
      const { lists } = this.#model.inFlight;
      left = lists.id(lists.value(list).filter((message) => !this.#drop(message, terms)));
      known.set(terms, left);
    }
    return left;
  }

  /** Is this message too old to matter to its receiver? */
  #drop(message: number, terms: number): boolean {
    const receiver = this.#outcomes.receiver(message);
    if (receiver < 0) return true;
    const term = this.#outcomes.termOf(message);
    if (term >= ((terms >> (4 * receiver)) & NEWEST_TERM)) return false;
    if (this.#lessons.lastingTypes.includes(this.#outcomes.typeOf(message))) return false;
    if (!this.#dropped[receiver]!.has(message)) {
      this.#dropped[receiver]!.add(message);
      for (const local of this.#seen[receiver]!) this.#check(local, message);
    }
    return true;
  }

  #see(i: number, local: number): void {
    this.#seen[i]!.add(local);
    for (const message of this.#dropped[i]!) this.#check(local, message);
  }

  #check(local: number, message: number): void {
    const { alive, lastTerm } = this.#outcomes.facts(local);
    if (!alive || this.#outcomes.termOf(message) >= lastTerm) return;
    const all = this.#outcomes.of(local, message);
    if (all.every((outcome) => isIdle(local, outcome))) return;
    const lastingTypes = [...this.#lessons.lastingTypes, this.#outcomes.typeOf(message)].sort();
    throw new Learned({ ...this.#lessons, lastingTypes });
  }
}
