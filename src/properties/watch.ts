import { addId, canonicalText, type Json, type MemberId } from '../core/index.ts';
import type { Finding, HistoryProperty, Process } from './property.ts';
import {
  type Acting,
  growingTerms,
  growingTokens,
  majorityBehindWins,
  type Naming,
  oneActing,
  oneName,
  oneValue,
  oneVote,
  oneWinner,
  type Showing,
  type TermReport,
  type TokenUse,
  type Vote,
  type Win,
} from './safety.ts';

type Tell = (finding: Finding) => void;

/**
 * Watches the safety properties as one history unfolds: keeps the observation of each subject that the next is judged
 * by, and reports each finding once. It sees what members report and which votes travel, never their state. The
 * second process of a member is watched under its own name, as if it were another member; but the votes of both are
 * the votes of one voter.
 */
export class Watch {
  readonly #tell: Tell;
  readonly #told = new Set<string>();
  /** By term. */
  readonly #wins = new Map<number, Win>();
  readonly #namings = new Map<number, Naming>();
  /** By version. */
  readonly #showings = new Map<number, Showing>();
  /** The value that was shown last, and its text: most members show the same, again and again. */
  #value: Json = null;
  #text: string = canonicalText(null);
  /** By voter and term. */
  readonly #votes = new Map<string, Vote>();
  /** By process. */
  readonly #terms = new Map<MemberId, TermReport>();
  #newest: TokenUse | null = null;
  /** By candidate and term, the voters whose votes have reached it. */
  readonly #counted = new Map<string, MemberId[]>();

  constructor(tell: Tell) {
    this.#tell = tell;
  }

  /** A member reports what it believes. */
  believed(by: MemberId, leader: MemberId | null, term: number): void {
    this.#observe(growingTerms, this.#terms, by, { by, term });
    if (leader !== null) this.#observe(oneName, this.#namings, term, { by, leader, term });
  }

  /** A member shows a published value. */
  showed(by: MemberId, version: number, value: Json): void {
    if (value !== this.#value) {
      this.#value = value;
      this.#text = canonicalText(value);
    }
    this.#observe(oneValue, this.#showings, version, { by, version, text: this.#text });
  }

  /** A vote leaves its voter. */
  voted(voter: MemberId, candidate: MemberId, term: number): void {
    this.#observe(oneVote, this.#votes, `${voter} ${term}`, { voter, candidate, term });
  }

  /** A vote reaches its candidate; each voter counts once. */
  counted(voter: MemberId, candidate: MemberId, term: number): void {
    const key = `${candidate} ${term}`;
    const votes = this.#counted.get(key);
    if (votes === undefined) this.#counted.set(key, [voter]);
    else addId(votes, voter);
  }

  /**
   * A process claims the leadership of a term. `voters`: those of the membership in force, if the protocol has votes.
   */
  won({ name, id, life }: Process, term: number, voters: readonly MemberId[] | null): void {
    const win = { who: { name, id, life }, term };
    this.#observe(oneWinner, this.#wins, term, win);
    if (voters === null) return;
    this.voted(id, id, term);
    const helpers = this.#counted.get(`${name} ${term}`) ?? [];
    this.#note(majorityBehindWins.judge({ who: win.who, term, voters, helpers }));
  }

  /** A process may act, with its term as the token; `all` are the processes that may act now. */
  acts({ name, id, life }: Process, term: number | null, all: readonly Process[]): void {
    const who = { name, id, life };
    const acting: Acting = { who, term };
    for (const each of all) this.#note(oneActing.judge({ who: each, term: null }, acting));
    if (term === null) return;
    const use = { who, term };
    if (this.#newest !== null) this.#note(growingTokens.judge(this.#newest, use));
    this.#newest = this.#newest === null ? use : growingTokens.kept(this.#newest, use);
  }

  #observe<K, O>(property: HistoryProperty<O>, known: Map<K, O>, subject: K, later: O): void {
    const earlier = known.get(subject);
    if (earlier === undefined) {
      known.set(subject, later);
      return;
    }
    this.#note(property.judge(earlier, later));
    const kept = property.kept(earlier, later);
    if (kept !== earlier) known.set(subject, kept);
  }

  #note(finding: Finding | null): void {
    if (finding === null || this.#told.has(finding.key)) return;
    this.#told.add(finding.key);
    this.#tell(finding);
  }
}
