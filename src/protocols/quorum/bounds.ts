/**
 * Which messages no honest member can have sent to this one, whatever the network did to them. Such a message is
 * forged, or comes from a faulty member. It has no effect and is not answered. Ignoring a message is always safe: the
 * network may lose any.
 *
 * Example: only the leader makes the registers of its term. An answer that names a newer one of that term is forged;
 * a leader that published again to supersede it would get the same answer, and so on without end.
 *
 * The bounds cannot expose a member that lies within them: a member that claims to lead a later term is believed.
 */
import { assertNever, type Json, type MemberId, majority } from '../../core/index.ts';
import type { Age, Ask, Deputy, Message, Origin, Register, Seat } from './messages.ts';
import type { QuorumConfig } from './settings.ts';
import { isOlder, type State } from './state.ts';
import { LONGEST_PROMISE_MS, refuseTiming } from './timing.ts';

/**
 * No cluster ever has this many terms, versions or starts; a host knows the time and allows fewer (`claim`). A
 * message with a larger number would exhaust them.
 *
 * Why this is not a bound on how far ahead of its own term a member may be led: a lying sender could lead one member
 * ahead step by step, until the others, which were led less far, would never believe it again.
 */
const MOST = 281_474_976_710_656;

/** No leadership lasts for this many heartbeats: at one every 5 ms that takes a century and a half. */
const MOST_ROUNDS = 1_099_511_627_776;

/** 64 KiB: a register is for an address or a small plan, not for data. */
export const LARGEST_VALUE: number = 64 * 1024;

/** Why no honest member can have sent this, or null. */
export function objection(s: State, m: Message, config: QuorumConfig): string | null {
  switch (m.type) {
    case 'heartbeat':
      return (
        aboutNumbers(m.by, m.term, m.age.version) ??
        aboutAge(m.age, m.term) ??
        aboutHeartbeat(m) ??
        aboutPromise(s, m)
      );
    case 'heartbeat/answer':
    case 'publish/answer':
      return aboutNumbers(m.by, m.term, m.age.version) ?? aboutAge(m.age, m.term) ?? aboutAnswer(s, m);
    case 'vote':
      return (
        aboutNumbers(m.by, m.term, m.age.version) ??
        aboutAge(m.age, m.term) ??
        aboutVote(m) ??
        aboutPromise(s, m)
      );
    case 'pre-vote':
      return aboutNumbers(m.by, m.term, m.age.version) ?? aboutAge(m.age, m.term);
    case 'publish/commit':
      return aboutNumbers(m.by, m.term, m.age.version) ?? aboutAge(m.age, m.term) ?? aboutCommit(m);
    case 'publish/send':
      return (
        aboutNumbers(m.by, Math.max(m.term, latestIn(m.register)), m.register.version) ??
        aboutRegister(s, m.register, config) ??
        aboutAge(m.register, m.term)
      );
    case 'publish/copy':
      return (
        aboutNumbers(m.by, latestIn(m.register), m.register.version) ?? aboutRegister(s, m.register, config)
      );
    case 'transfer':
    case 'resign':
      return aboutNumbers(m.by, m.term, 0) ?? aboutRound(m.round);
    case 'copy':
      return aboutNumbers(m.by, m.start, 0);
    case 'deputy/ask':
      return (
        aboutNumbers(m.by, m.next, m.age.version) ??
        aboutAge(m.age, m.term) ??
        aboutNext(m) ??
        aboutRound(m.round) ??
        aboutPromise(s, m)
      );
    case 'deputy/answer':
    case 'deputy/end':
    case 'deputy/ended':
      return aboutNumbers(m.by, m.next, 0) ?? aboutNext(m);
    case 'term':
    case 'pre-vote/answer':
    case 'vote/answer':
    case 'transfer/ask':
    case 'transfer/ready':
    case 'probe':
    case 'probe/answer':
      return aboutNumbers(m.by, m.term, 0);
    default:
      return assertNever(m);
  }
}

/** The members that a register would add to those of this member, without saying where they are. */
export function introducedBy(s: State, m: Message): readonly MemberId[] {
  if (!('register' in m)) return [];
  const known = (id: MemberId): boolean =>
    [s.register, s.committed].some(({ members }) => members.some((seat) => seat.id === id));
  const added = m.register.members.filter(({ id, url }) => url === undefined && !known(id));
  return added.map(({ id }) => id);
}

export function changesMembers({ register }: State, m: Message): boolean {
  if (!('register' in m) || !register.members.some(isFilled)) return false;
  return JSON.stringify(m.register.members) !== JSON.stringify(register.members);
}

/** The fields that messages of several types share. */
interface Parts {
  readonly term?: number;
  readonly next?: number;
  readonly deputy?: Deputy;
  readonly age?: Age;
  readonly register?: Register;
}

/** The largest number in a message that its receiver might adopt. */
export function claimOf(m: Message): number {
  const told = m.type === 'copy' ? m.start : 0; // Its receiver may take a later start than that.
  return Math.max(termOf(m as Parts), versionOf(m as Parts), m.by.start, told);
}

function termOf({ term = 0, next = 0, deputy, register }: Parts): number {
  return Math.max(term, next, deputy?.term ?? 0, register === undefined ? 0 : latestIn(register));
}

function latestIn({ term, taken = 0 }: Register): number {
  return Math.max(term, taken);
}

function versionOf({ age, register }: Parts): number {
  return register !== undefined ? register.version : age !== undefined ? age.version : 0;
}

function aboutNumbers({ start }: Origin, term: number, version: number): string | null {
  if (start < 1) return 'its disk was never started';
  const claim = Math.max(start, term, version);
  return claim > MOST ? `${claim} is more terms, versions or starts than there can be` : null;
}

/** A member that accepts a register also adopts its term, so none is of a later term than the member that holds it. */
function aboutAge(age: Age, term: number): string | null {
  return age.term > term ? `a register of term ${age.term} in term ${term}` : null;
}

function aboutRegister({ id, committed }: State, register: Register, config: QuorumConfig): string | null {
  if (isTooLarge(register.value)) return `a value of more than ${LARGEST_VALUE} characters`;
  const wrong = register.timing === undefined ? null : refuseTiming(config, register.timing);
  if (wrong !== null) return `${wrong.path}: ${wrong.reason}`;
  // Every leader after a commit has what was committed. Before the first commit, members may be configured
  // differently, or have new disks.
  if (committed.version === 0 || isOlder(register, committed) || !committed.members.some(isFilled))
    return null;
  // Else a register of version 0 would end all bounds below, once it was committed.
  if (register.version < committed.version)
    return `version ${register.version} after version ${committed.version} was committed`;
  const isRefounded = JSON.stringify(register.founding) !== JSON.stringify(committed.founding);
  if (committed.founding !== null && isRefounded) return 'a cluster that others founded';
  if (!committed.members.some((seat) => seat.id === id))
    return aboutReturn(committed.members, register.members);
  return aboutMembers(committed.members, register.members, register.version - committed.version);
}

/**
 * A member that was removed does not hear of later changes. If it is added again, more members may have joined than
 * it ever knew, so those that it knew need not be able to decide alone. But a majority of them must still be there:
 * otherwise one message of a lying sender would make it a majority with that sender, beside the real leader.
 */
function aboutReturn(before: readonly Seat[], after: readonly Seat[]): string | null {
  const kept = before.filter(({ id }) => after.some((seat) => seat.id === id)).length;
  const needed = majority(before.length);
  return kept >= needed ? null : tooFew(kept, needed);
}

/**
 * A version adds or removes at most one member, and a leader vacates no seat of a majority that answers it. So the
 * members that this one knows must be able to decide alone in the new membership; otherwise one message could leave
 * the cluster without a majority for ever, or make a member a majority of its own. Across several versions only names
 * are compared: disks may have been lost and replaced one after the other.
 *
 * Several honest changes while a member is away can lead further. That member takes no part until its data folder is
 * moved away: with an empty one it gets a seat like any other new disk.
 */
function aboutMembers(before: readonly Seat[], after: readonly Seat[], versions: number): string | null {
  const seatIn = (seats: readonly Seat[], { id }: Seat): Seat | undefined =>
    seats.find((seat) => seat.id === id);
  const stay = before.filter((seat) => seatIn(after, seat) !== undefined);
  const changes = before.length + after.length - 2 * stay.length;
  if (changes > Math.max(0, versions)) return `${changes} members come and go in ${versions} versions`;
  if (!after.some(isFilled)) return 'members that have lost all their disks';
  const isNext = versions === 1;
  const kept = isNext
    ? stay.filter((seat) => isFilled(seat) && seatIn(after, seat)?.disk === seat.disk).length
    : stay.length;
  const decide = Math.max(majority(before.length), majority(after.length)) - (isNext ? changes : 0);
  // Of two members both decide, and yet one may lose its disk: then one is left.
  const needed = before.length === 2 && after.length === 2 ? 1 : decide;
  if (kept >= Math.max(1, needed)) return null;
  return tooFew(kept, needed);
}

/** Would the other members refuse these as the next ones? */
export function isRefusedNext({ members }: Register, next: readonly Seat[]): boolean {
  return members.some(isFilled) && aboutMembers(members, next, 1) !== null;
}

function tooFew(kept: number, needed: number): string {
  return `of the members that this one knows, ${kept} are left and ${needed} are needed; if the others were replaced while it was away, start it with an empty data folder`;
}

function isFilled({ disk }: Seat): boolean {
  return disk !== null;
}

export function isTooLarge(value: Json): boolean {
  return JSON.stringify(value).length > LARGEST_VALUE;
}

/** A candidate asks for a term after its own, in which a leader may have consented. */
function aboutVote({ term, age, release }: Ask<'vote'>): string | null {
  if (age.term === term) return `a register of the term ${term} that is asked for`;
  if (release === null) return null;
  if (release.term >= term) return 'consent of a leader that is not yet elected';
  return aboutRound(release.round);
}

function aboutHeartbeat({ term, age, committed, round, deputy, after }: Ask<'heartbeat'>): string | null {
  if (deputy !== undefined && deputy.term <= term) return `a deputy for term ${deputy.term} in term ${term}`;
  if (after !== undefined && after.release !== null && after.release.term >= term)
    return 'consent of a leader that is not yet elected';
  if (isOlder(age, committed)) return 'a register that is committed before it is accepted';
  return aboutRound(round);
}

function aboutNext({ term, next }: { readonly term: number; readonly next: number }): string | null {
  return next > term ? null : `a deputy for term ${next} in term ${term}`;
}

/** A member that was led to promise for years would help no candidate, also after a restart. */
function aboutPromise(
  { asksMs }: State,
  { promiseMs = 0 }: Ask<'vote' | 'heartbeat' | 'deputy/ask'>,
): string | null {
  return promiseMs > Math.max(asksMs, LONGEST_PROMISE_MS) ? `a promise of ${promiseMs} ms` : null;
}

function aboutAnswer(s: State, m: Ask<'heartbeat/answer' | 'publish/answer'>): string | null {
  const isOwn = s.role === 'leader' && m.to === s.life && m.term === s.term;
  return isOwn && m.age.term === s.term && m.age.version > s.register.version
    ? `version ${m.age.version} of term ${s.term}, which its leader has not made`
    : null;
}

function aboutCommit({ age, term }: Ask<'publish/commit'>): string | null {
  return age.term === term ? null : 'a register of another term than its leader';
}

function aboutRound(round: number): string | null {
  return round < 1 || round > MOST_ROUNDS ? `round ${round}` : null;
}
