/** What members keep of the successor of their leader: see deputy.ts, which has the rules. */
import type { MemberId } from '../../core/index.ts';
import type { Deputy, Release } from './messages.ts';
import type { Publication } from './register.ts';
import type { Promised, Vote } from './state.ts';

/** A vote for a deputy in a term that has not begun. */
export interface Advance extends Vote {
  readonly term: number;
}

/**
 * In the record of a member that has voted in advance, `term` and `votedFor` are those of that vote, and this is where it is in
 * fact. So a release that knows nothing of deputies does not vote again in that term.
 */
export interface Before {
  readonly term: number;
  readonly votedFor: Vote | null;
}

export function inAdvance({ term, id, life }: Advance, before: Before): Before & { readonly before: Before } {
  return { term, votedFor: { id, life }, before: { term: before.term, votedFor: before.votedFor } };
}

/** What a deputy knows of its own support. */
export interface Standby {
  readonly leader: MemberId;
  readonly life: string;
  /** The term of that leader. */
  readonly term: number;
  /** The term in which the deputy would lead. */
  readonly next: number;
  /** The newest round in which it asked. */
  round: number;
  /** Rounds whose lease timer runs, oldest first. The timer is named by the negative of the round. */
  open: number[];
  /** By name, the newest round that the disk which has the seat answered. */
  answered: Readonly<Record<string, number>>;
}

/** Why members that are bound to the leader before may support this one: it released them, or its process is proven dead. */
export interface Succeeded {
  readonly life: string;
  readonly release: Release | null;
  /** Later rounds do not say it: by then no member is bound to the leader before. */
  readonly until: number;
  /** A majority has answered in its own term, and what it found there is no newer than its register: see register.ts. */
  readonly isConfirmed: boolean;
}

/** The part of the state that is about deputies. */
export interface Succession {
  /** Does it take part in electing successors in advance? */
  readonly deputies: boolean;
  /** Its newest vote for a deputy, as long as that term has not begun. It is saved before it is given. */
  advance: Advance | null;
  /** The promise to help no candidate other than this deputy while the timer `heir` runs. */
  heir: Promised | null;
  /** The deputy: of a leader the one that it names, of a follower the one that its leader named last. */
  deputy: Deputy | null;
  /** A leader: the newest term for which it has named a deputy, or 0. */
  named: number;
  standby: Standby | null;
  /** The newest round in which this process asked as a deputy. No round is used twice. */
  standbyRound: number;
  /** A leader that was a deputy. */
  succeeds: Succeeded | null;
  /** What is published as soon as that leader is confirmed. */
  waiting: Publication | null;
}

export function initialSuccession(deputies: boolean): Succession {
  return {
    deputies,
    advance: null,
    heir: null,
    deputy: null,
    named: 0,
    standby: null,
    standbyRound: 0,
    succeeds: null,
    waiting: null,
  };
}

/** Does it lead on what it was promised before its term began, and has not heard a majority since? */
export function isUnconfirmed({ succeeds }: Succession): boolean {
  return succeeds !== null && !succeeds.isConfirmed;
}

/** Does a promise to a deputy other than this process stand? */
export function isHeirOther({ heir }: Succession, id: MemberId, life: string): boolean {
  return heir !== null && (heir.to !== id || heir.life !== life);
}
