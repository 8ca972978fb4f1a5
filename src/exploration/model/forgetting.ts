import { Learned, type Lessons } from './lessons.ts';
import { Memo } from './memo.ts';
import type { Model } from './model.ts';
import { isIdle, type Outcome, type Outcomes } from './outcomes.ts';

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
  /** By a list of messages and the terms of the members: what is left of the list. */
  readonly #left = new Memo();
  /** By member: the messages to it that were dropped, and the local states it was seen in. */
  readonly #dropped: Set<number>[];
  readonly #seen: number[][];
  /** By local state that was seen: its last term. */
  readonly #lastTerms: number[] = [];
  /** The last terms of the members of the state that was read last, packed, and the oldest of them. */
  #terms = 0;
  #oldest = 0;
  /** Was everything dropped from the state that was prepared, and which last terms has it? */
  #isPrepared = false;
  #prepared = 0;

  constructor(model: Model, lessons: Lessons) {
    const n = model.cluster.ids.length;
    this.#model = model;
    this.#outcomes = model.outcomes;
    this.#lessons = lessons;
    this.#n = n;
    this.#isOff = lessons.memory !== null || n > MOST_MEMBERS;
    this.#dropped = Array.from({ length: n }, () => new Set());
    this.#seen = Array.from({ length: n }, () => []);
  }

  /** Changes the messages and the history of a state in place. */
  forget(state: Int32Array): void {
    if (this.#isOff || this.#model.mayLoseDisk(state) || !this.#readTerms(state)) return;
    const { net, past, newest, histories, tokens } = this.#model;
    state[net] = this.#leave(state[net]!, this.#terms);
    state[past] = histories.since(state[past]!, this.#oldest);
    state[newest] = tokens.since(state[newest]!, this.#oldest);
  }

  /** What can happen in this state is asked for next. From this state, too, everything was dropped that can be. */
  prepare(state: Int32Array): void {
    this.#isPrepared = !this.#isOff && this.#model.bounds.amnesia === 0 && this.#readTerms(state);
    this.#prepared = this.#terms;
  }

  /**
   * The same as `forget`, for a state to which this outcome for member i has led from the one that was prepared. As long
   * as the member stays in its term, only what the outcome adds can be dropped.
   */
  forgetAfter(state: Int32Array, i: number, { local, sends, marks }: Outcome): void {
    if (!this.#isPrepared || marks !== 0) return this.forget(state);
    const lastTerm = this.#lastTerms[local] ?? this.#see(i, local);
    const isSameTerm = ((this.#prepared >> (4 * i)) & NEWEST_TERM) === lastTerm;
    if (!isSameTerm || (sends !== 0 && this.#leave(sends, this.#prepared) !== sends)) this.forget(state);
  }

  /** False if a term is too new to be packed. */
  #readTerms(state: Int32Array): boolean {
    this.#terms = 0;
    this.#oldest = NEWEST_TERM;
    for (let i = 0; i < this.#n; i++) {
      const lastTerm = this.#lastTerms[state[i]!] ?? this.#see(i, state[i]!);
      if (lastTerm > NEWEST_TERM) return false;
      this.#terms |= lastTerm << (4 * i);
      if (lastTerm < this.#oldest) this.#oldest = lastTerm;
    }
    return true;
  }

  #leave(list: number, terms: number): number {
    let left = this.#left.get(list, terms);
    if (left < 0) {
      const { lists } = this.#model.inFlight;
      left = lists.id(lists.value(list).filter((message) => !this.#drop(message, terms)));
      this.#left.set(left, list, terms);
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

  #see(i: number, local: number): number {
    const { lastTerm } = this.#outcomes.facts(local);
    this.#lastTerms[local] = lastTerm;
    this.#seen[i]!.push(local);
    for (const message of this.#dropped[i]!) this.#check(local, message);
    return lastTerm;
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
