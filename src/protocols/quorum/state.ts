import type { Effect, Json, MemberId, Self, View } from '../../core/index.ts';
import type { Change } from './membership.ts';
import type { Age, Message, Origin, Register, Release, Seat } from './messages.ts';
import { isSeated, newRegister, type Supporters, seatOf } from './seats.ts';
import { type Before, inAdvance, initialSuccession, isHeirOther, type Succession } from './succession.ts';

export type Timer =
  | 'election'
  | 'promise'
  | 'heartbeat'
  | 'quorum'
  | 'commit'
  | 'publish'
  | 'transfer'
  | 'shorten'
  | 'heir'
  | 'earlier'
  | `lease/${number}`;
export type Out = Effect<Message, Timer>[];

/** What the leader knows of another member: of the disk that has its seat, or of one that has none. */
export interface Peer {
  readonly disk: string;
  /** The newest round that it answered. */
  round: number;
  /** How many rounds it answered in a row: counted for members that are preferred to this leader. */
  streak: number;
  age: Age;
  priority: number;
  /** It can be a deputy, and support one. */
  deputies: boolean;
}

/** The round of a term in which a candidate asks for votes. */
export const VOTES = 1;

/**
 * Its vote in its term. A later process of the same name gets no vote in that term: on a new disk it could not know
 * whether the earlier process has won.
 */
export interface Vote {
  readonly id: MemberId;
  readonly life: string;
}

/**
 * The promise to help no candidate other than `to` while the timer `promise` runs. Null: after a restart, any
 * candidate.
 */
export interface Promised {
  readonly to: MemberId | null;
  /**
   * The process to which it was made: proof of its death ends the promise; the death of another process of that name
   * does not.
   */
  readonly life: string | null;
  readonly term: number;
  readonly round: number;
  /** How long it lasts. */
  readonly ms: number;
}

export interface State extends Succession {
  readonly id: MemberId;
  /** In an election that is one of many (`Self`): for `givesWay`, and the last term in which it has let another pass. */
  readonly turn?: number;
  passed?: number;
  priority: number;
  /** Names this process. */
  life: string;

  /** Saved together, before anything that depends on them leaves. */
  disk: string;
  /** How often this disk was started. */
  start: number;
  term: number;
  votedFor: Vote | null;
  /** The accepted register; its membership counts as soon as it is accepted. */
  register: Register;
  /** The newest register that is known to be committed: the one that is shown. */
  committed: Register;
  /**
   * The longest promise that may still bind after a restart: an earlier process may have given longer ones. It is never
   * longer than on the disk.
   */
  promiseMs: number;
  /** By name: the latest known start, and its process, of the disk that has the seat. Only for disks that were restarted. */
  seen: Readonly<Record<string, Origin>>;

  role: 'follower' | 'pre-candidate' | 'candidate' | 'leader';
  leader: MemberId | null;
  /** The leader is known only from another member, and that information is fresh. */
  hearsay: boolean;
  promise: Promised | null;
  /** For how long an earlier process of this disk may have promised; null if that is over (see `longEnough`). */
  earlier: { readonly ms: number; readonly isEnding: boolean } | null;
  /**
   * The candidate (and its life) whose pre-vote was refused only because of the promise: it is granted as soon as the
   * promise ends.
   */
  asked: Vote | null;
  /** Members that say that this disk is a copy, each with the start that it was told of; null if none does. */
  told: Readonly<Record<string, number>> | null;
  /** Members that have answered this process since, and so do not say that. */
  vouching: Supporters;
  /** How often this process has taken a later start than members were told. */
  raised: number;
  /** Members that answered the probe of a preferred member; null while none is in progress. */
  probes: Supporters | null;

  /**
   * The newest term for which it asked for votes, as long as that is newer than its own; else 0. It becomes its own
   * term, and is saved, only when it wins.
   */
  seeking: number;
  /** Terms up to this one may have been used by processes that saved nothing: a first election starts above it. */
  spent: number;
  /**
   * Counts the requests of a candidate and then leader in this term: the votes are round 1. Each round has its lease
   * timer.
   */
  round: number;
  /** The promise on which the leases of its latest requests are counted, and the one that it asks for: not shorter. */
  countsMs: number;
  asksMs: number;
  /** Rounds whose lease timer runs, oldest first. */
  openRounds: number[];
  /** The round whose lease bounds this leadership, or null when it may not act. */
  leaseRound: number | null;
  /**
   * The register whose seats gave the latest lease: until it is the present one, the members do not change again.
   * Null as long as this leadership has had none.
   */
  leaseAge: Age | null;
  /** Until there is a lease, the newest round that enough names answered: it lets the leader continue. */
  quorumRound: number;
  votes: Supporters;
  /** The consent of the leader with which it asks for votes, while it does. */
  consent: Release | null;
  /** By name, kept by a leader: the disks that have seats. */
  peers: Record<string, Peer>;
  /**
   * By name, kept by a leader: disks without a seat that answer under the name of a member, or of one that is to be
   * added.
   */
  newcomers: Record<string, Peer>;
  /** The timer `publish` runs: members that lack the register are sent it again when it ends. */
  sending: boolean;
  /** The command that waits for the register to be committed. */
  publishing: number | null;
  change: Change | null;
  /** The member that was asked to take over, and the command that asked for that. */
  transfer: { readonly to: MemberId; readonly command: number | null } | null;
  /**
   * It has transferred the leadership to another member, and no leader was heard since: it does not compete with its
   * successor.
   */
  yields: boolean;
}

/** An empty disk: all configured members, and no seat filled. Its elections are decided by names. */
export function initialState({ id, members, settings, turn }: Self): State {
  const register = firstRegister(members.map((each) => ({ id: each, disk: null })));
  return {
    id,
    ...(turn === undefined ? {} : { turn }),
    priority: settings.priority as number,
    ...initialSuccession(settings.deputies === true),
    life: '',
    disk: '',
    start: 0,
    term: 0,
    votedFor: null,
    register,
    committed: register,
    promiseMs: 0,
    seen: {},
    role: 'follower',
    leader: null,
    hearsay: false,
    promise: null,
    earlier: null,
    asked: null,
    told: null,
    vouching: {},
    raised: 0,
    probes: null,
    seeking: 0,
    spent: 0,
    round: 0,
    countsMs: 0,
    asksMs: 0,
    openRounds: [],
    leaseRound: null,
    leaseAge: null,
    quorumRound: 0,
    votes: {},
    consent: null,
    peers: {},
    newcomers: {},
    sending: false,
    publishing: null,
    change: null,
    transfer: null,
    yields: false,
  };
}

export function firstRegister(members: readonly Seat[]): Register {
  return newRegister({ term: 0, version: 0, members, founding: null, value: null });
}

export const NEVER: Age = { term: 0, version: 0 };

/**
 * What is on the disk. `disk` is null in a record that was created from outside: it is then named at the next start.
 */
export interface Saved {
  readonly disk: string | null;
  readonly start: number;
  readonly term: number;
  readonly votedFor: Vote | null;
  readonly register: Register;
  readonly committed: Register;
  readonly promiseMs: number;
  readonly seen: Readonly<Record<string, Origin>>;
  readonly before?: Before;
}

export function save(s: State, out: Out): void {
  const { disk, start, term, votedFor, register, committed, promiseMs, seen, advance } = s;
  const known: Saved = { disk, start, term, votedFor, register, committed, promiseMs, seen };
  const saved: Saved = advance === null ? known : { ...known, ...inAdvance(advance, known) };
  out.push({ type: 'save', record: saved as unknown as Json });
}

export function send(to: MemberId, message: Message, out: Out): void {
  out.push({ type: 'send', to, message });
}

export function sendToOthers(s: State, message: Message, out: Out): void {
  sendToAll(others(s), message, out);
}

/** All get the same message object, which is encoded only once. */
export function sendToAll(all: readonly MemberId[], message: Message, out: Out): void {
  for (const to of all) out.push({ type: 'send', to, message });
}

/** Every message names its disk, start and process. */
export function origin({ disk, start, life }: State): Origin {
  return { disk, start, life };
}

/** A lease that has ended is named by a timer that is never set. */
const NO_LEASE = 'lease/none';

export function report(s: State, out: Out): void {
  const lease = s.role !== 'leader' ? null : s.leaseRound === null ? NO_LEASE : leaseTimer(s.leaseRound);
  const { version, value } = s.committed;
  const members = s.register.members.map(({ id }) => id);
  out.push({
    type: 'report',
    view: { role: shownRole(s), leader: s.leader, term: s.term, lease, version, value, members },
  });
}

/** A member whose disk has no seat takes no part yet, or no longer. */
function shownRole({ role, committed, id, disk }: State): View['role'] {
  if (role === 'leader') return 'leader';
  if (!isSeated(committed, id, disk)) return 'none';
  return role === 'follower' ? 'follower' : 'candidate';
}

export function leaseTimer(round: number): `lease/${number}` {
  return `lease/${round}`;
}

/** Is it one of the members, whatever its disk? */
export function isMember(s: State, id: MemberId): boolean {
  return seatOf(s.register, id) !== undefined;
}

export function others(s: State): MemberId[] {
  const ids: MemberId[] = [];
  for (const { id } of s.register.members) if (id !== s.id) ids.push(id);
  return ids;
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

/**
 * Two leaders of one term: a disk and its copy have voted for one each. Neither supports the other, so that only the
 * one that the rest of the members answers goes on.
 */
export function isRivalOf({ role, term }: State, other: number): boolean {
  return role === 'leader' && term === other;
}

/** Does a promise prevent helping this process of this member? The consent of a leader ends no promise to its deputy. */
export function isPromisedAgainst(
  s: State,
  candidate: MemberId,
  life: string,
  release: Release | null,
): boolean {
  const { promise } = s;
  if (isHeirOther(s, candidate, life)) return true;
  if (promise === null || (promise.to === candidate && promise.life === life)) return false;
  return (
    release === null || promise.to === null || release.term !== promise.term || release.round < promise.round
  );
}

/** Does a promise to another process, given since the start, still stand? */
export function isBoundToOther({ promise }: State, id: MemberId, life: string): boolean {
  return promise !== null && promise.to !== null && (promise.to !== id || promise.life !== life);
}

/** Has it promised the same member a later round than this one? */
export function isPromisedLater({ promise }: State, to: MemberId, { term, round }: Release): boolean {
  return promise !== null && promise.to === to && promise.term === term && promise.round >= round;
}

/** A promise that is longer than what the disk knows is saved before it is given: a restart has to wait for it. */
export function promiseTo(s: State, promise: Promised, out: Out): void {
  s.promise = promise;
  if (promise.ms > s.promiseMs) {
    s.promiseMs = promise.ms;
    save(s, out);
  }
  out.push({ type: 'set-timer', timer: 'promise', delayMs: promise.ms });
}

export function breakPromise(s: State, out: Out): void {
  if (s.promise === null) return;
  s.promise = null;
  out.push({ type: 'cancel-timer', timer: 'promise' });
}
