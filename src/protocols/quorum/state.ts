import { type Effect, type Json, type MemberId, majority, type Self, type View } from '../../core/index.ts';
import type { Age, Lives, Message, Register, Release } from './messages.ts';
import type { Times } from './settings.ts';

export type Timer =
  | 'election'
  | 'promise'
  | 'heartbeat'
  | 'quorum'
  | 'commit'
  | 'publish'
  | 'transfer'
  | 'recall'
  | `lease/${number}`;
export type Out = Effect<Message, Timer>[];

/** What the leader knows of another member. */
export interface Peer {
  /** The newest round that it answered. */
  round: number;
  /** How many rounds it answered in a row: counted for those whom this leader would rather see in its place. */
  streak: number;
  age: Age;
  priority: number;
}

/** The round of a term in which a candidate asks for votes. */
export const VOTES = 1;

/** To help nobody but `to` while the timer `promise` runs. Null: after a restart, whoever it was. */
export interface Promised {
  readonly to: MemberId | null;
  readonly term: number;
  readonly round: number;
}

export interface State {
  readonly id: MemberId;
  priority: number;

  /** Saved together, before anything that depends on them leaves. */
  term: number;
  votedFor: MemberId | null;
  /** The accepted register; its membership counts as soon as it is accepted. */
  register: Register;
  /** The newest register that is known to be committed: what is shown. */
  committed: Register;
  /** The start at which this member last had to recall what it had lost. */
  life: number;
  lives: Lives;

  role: 'blank' | 'follower' | 'pre-candidate' | 'candidate' | 'leader';
  leader: MemberId | null;
  /** The leader is known only from another member's word, and that word is fresh. */
  hearsay: boolean;
  promise: Promised | null;
  /** Whose pre-vote was refused only because of the promise: it is granted as soon as the promise ends. */
  asked: MemberId | null;

  /** Counts what a candidate and then leader asks in this term: the votes are round 1. Each round has its lease timer. */
  round: number;
  /** Rounds whose lease timer runs, oldest first. */
  openRounds: number[];
  /** The round whose lease this leadership stands on, or null when it may not act. */
  leaseRound: number | null;
  /** By voter: the life in which it voted for this member. */
  votes: Readonly<Record<string, number>>;
  /** Of others, kept by a leader. */
  peers: Record<string, Peer>;
  /** The timer `publish` runs: whoever lacks the register is sent it again when it ends. */
  sending: boolean;
  /** The command that waits for the register to be committed. */
  publishing: number | null;
  /** A change of members that waits until this term has committed something. */
  change: { readonly command: number; readonly members: readonly MemberId[] } | null;
  transfer: { readonly to: MemberId; readonly command: number | null } | null;
  /** Answers to this life's recall, by member. */
  recalled: Readonly<
    Record<string, { readonly term: number; readonly register: Register; readonly committed: number }>
  >;
}

export function initialState({ id, members, settings }: Self): State {
  const register: Register = { term: 0, version: 0, members, value: null };
  return {
    id,
    priority: settings.priority as number,
    term: 0,
    votedFor: null,
    register,
    committed: register,
    life: 0,
    lives: {},
    role: 'blank',
    leader: null,
    hearsay: false,
    promise: null,
    asked: null,
    round: 0,
    openRounds: [],
    leaseRound: null,
    votes: {},
    peers: {},
    sending: false,
    publishing: null,
    change: null,
    transfer: null,
    recalled: {},
  };
}

export interface Saved {
  readonly term: number;
  readonly votedFor: MemberId | null;
  readonly register: Register;
  readonly committed: Register;
  readonly life: number;
  readonly lives: Lives;
}

export function save({ term, votedFor, register, committed, life, lives }: State, out: Out): void {
  const record: Saved = { term, votedFor, register, committed, life, lives };
  out.push({ type: 'save', record: record as unknown as Json });
}

/** A lease that has ended is named by a timer that is never set. */
const NO_LEASE = 'lease/none';

export function report(s: State, out: Out): void {
  const role: View['role'] =
    s.role === 'leader'
      ? 'leader'
      : s.role === 'blank' || !isMember(s, s.id)
        ? 'none'
        : s.role === 'follower'
          ? 'follower'
          : 'candidate';
  const lease = s.role !== 'leader' ? null : s.leaseRound === null ? NO_LEASE : leaseTimer(s.leaseRound);
  const { version, value } = s.committed;
  out.push({
    type: 'report',
    view: { role, leader: s.leader, term: s.term, lease, version, value, members: s.register.members },
  });
}

export function leaseTimer(round: number): `lease/${number}` {
  return `lease/${round}`;
}

export function isMember(s: State, id: MemberId): boolean {
  return s.register.members.includes(id);
}

export function peerOf(s: State, id: MemberId): Peer {
  s.peers[id] ??= { round: 0, streak: 0, age: { term: 0, version: 0 }, priority: 0 };
  return s.peers[id];
}

export function others(s: State): MemberId[] {
  return s.register.members.filter((member) => member !== s.id);
}

export function isMajority(s: State, count: number): boolean {
  return count >= majority(s.register.members.length);
}

export function ageOf({ term, version }: Register): Age {
  return { term, version };
}

export function isOlder(a: Age, b: Age): boolean {
  return a.term < b.term || (a.term === b.term && a.version < b.version);
}

export function sameAge(a: Age, b: Age): boolean {
  return a.term === b.term && a.version === b.version;
}

export function sendToOthers(s: State, message: Message, out: Out): void {
  for (const to of others(s)) out.push({ type: 'send', to, message });
}

/** Does a promise stand in the way of helping this member? */
export function isPromisedAgainst(s: State, candidate: MemberId, release: Release | null): boolean {
  const { promise } = s;
  if (promise === null || promise.to === candidate) return false;
  return (
    release === null || promise.to === null || release.term !== promise.term || release.round < promise.round
  );
}

/** Has it promised the same member something that this round came before? */
export function isPromisedLater({ promise }: State, to: MemberId, { term, round }: Release): boolean {
  return promise !== null && promise.to === to && promise.term === term && promise.round >= round;
}

export function promiseTo(s: State, promise: Promised, times: Times, out: Out): void {
  s.promise = promise;
  out.push({ type: 'set-timer', timer: 'promise', delayMs: times.promiseMs });
}

export function breakPromise(s: State, out: Out): void {
  if (s.promise === null) return;
  s.promise = null;
  out.push({ type: 'cancel-timer', timer: 'promise' });
}
