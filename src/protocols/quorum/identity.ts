/**
 * Which disk this member runs on, and which disks other members run on. A disk gets its identity with its first
 * record and carries it in every record; a member that finds no record is on a new disk, whatever its name was
 * before.
 *
 * A disk that is copied, or set back to an older state, keeps its identity. It is recognised by its starts: each
 * process saves the next number before it sends anything, and the others remember the latest number that they heard,
 * and its process.
 */
import {
  type Input,
  type Json,
  type MemberId,
  majority,
  type Recovered,
  type Recovering,
  type SeatedDisk,
} from '../../core/index.ts';
import type { Ask, Message, Register, Seat } from './messages.ts';
import { becomeFollower, waitForElection } from './roles.ts';
import { hasMajorityOfSeats, isSeated, seatOf, withDisk, withSupporter } from './seats.ts';
import type { Times } from './settings.ts';
import {
  firstRegister,
  isMember,
  type Out,
  origin,
  report,
  type Saved,
  type State,
  save,
  send,
  sendToOthers,
} from './state.ts';

/**
 * This process keeps every promise of an earlier process of this disk: it helps no candidate for as long as a promise
 * lasts, or lasted when the record was saved, if that was longer.
 */
export function onStart(
  s: State,
  { saved, life, spent = 0 }: Extract<Input, { type: 'start' }>,
  timesIn: (s: State) => Times,
  out: Out,
): void {
  s.life = life;
  s.spent = spent;
  if (saved !== null) Object.assign(s, carriedOver(saved));
  const times = timesIn(s);
  s.countsMs = times.promiseMs;
  s.asksMs = times.promiseMs;
  s.start += 1;
  if (s.start === 1) s.disk ||= life;
  const promiseMs = Math.max(s.promiseMs, times.promiseMs);
  s.promiseMs = promiseMs;
  s.promise = { to: null, life: null, term: 0, round: 0, ms: promiseMs };
  if (s.start > 1) s.earlier = { ms: promiseMs, isEnding: false };
  out.push({ type: 'set-timer', timer: 'promise', delayMs: promiseMs });
  keepHeir(s, promiseMs, out);
  save(s, out);
  report(s, out);
  // Followers do not talk with each other, but all must hear of a later start, to recognise a copy of the disk by it.
  if (s.start > 1) sendToOthers(s, { type: 'probe', term: s.term, by: origin(s) }, out);
  waitForElection(s, times, out);
}

/**
 * A promise to a deputy outlives that to any leader. Example: 3 has promised the deputy 2 of the leader 1, starts again,
 * hears 1, and so is bound to 1 alone. 1 dies, and 3 knows it first: without this it could vote for another candidate
 * while 2 may act on what 3 promised before.
 */
function keepHeir(s: State, ms: number, out: Out): void {
  if (s.advance === null) return;
  const { id, life, term } = s.advance;
  s.heir = { to: id, life, term, round: 0, ms };
  out.push({ type: 'set-timer', timer: 'heir', delayMs: ms });
}

/** A record of versions before 0.2: members were names, so every seat is vacant until the first election. */
interface SavedByName {
  readonly term: number;
  readonly votedFor: MemberId | null;
  readonly register: RegisterOfNames;
  readonly committed: RegisterOfNames;
}
type RegisterOfNames = Omit<Register, 'members' | 'founding'> & { readonly members: readonly MemberId[] };

function carriedOver(saved: Json): Partial<State> {
  const record = saved as unknown as Saved | SavedByName;
  if ('disk' in record) {
    const { before, ...known } = record;
    const disk = record.disk ?? '';
    if (before === undefined) return { ...known, disk };
    return { ...known, disk, ...before, advance: { term: known.term, ...known.votedFor! } };
  }
  const { term, votedFor, register, committed } = record;
  // The record does not say which process got its vote, so it gives none in that term again.
  const vote = votedFor === null ? null : { id: votedFor, life: '' };
  return { term, votedFor: vote, register: seatless(register), committed: seatless(committed) };
}

function seatless(register: RegisterOfNames): Register {
  return {
    ...register,
    members: register.members.map((id) => ({ id, disk: null })),
    founding: null,
  };
}

/**
 * The record with which another election starts on the disk of this record, if it was never opened there: the members
 * that founded the cluster, whatever happened to them since, so that all start with the same. Null if that is not
 * known yet.
 */
export function inheritedFrom(id: MemberId, saved: Json): Json {
  const { disk, start, promiseMs, committed, seen } = saved as unknown as Saved;
  if (typeof disk !== 'string' || committed.founding === null) return null;
  const register: Register = {
    term: 0,
    version: 0,
    members: committed.founding,
    founding: null,
    value: null,
  };
  const isFounder = isSeated(register, id, disk);
  const first: Saved = {
    disk: isFounder ? disk : null,
    start: isFounder ? start - 1 : 0, // It counts the starts of the disk, not of the election.
    term: 0,
    votedFor: null,
    register,
    committed: register,
    promiseMs,
    seen, // A copy of a disk is known by its starts in every election.
  };
  return first as unknown as Json;
}

/**
 * The record of another election that was opened on the disk of the main election's record before, with all starts of
 * the disk counted. Example: 2 takes part in an election once, and its next five processes do not open it. 1 opens it
 * for the first time then, and knows from the main election that the disk of 2 has been started six times. If the
 * seventh process of 2 called itself the second, 1 would take it for a copy.
 */
export function resumedFrom(saved: Json, main: Json): Json {
  const [own, { disk, start }] = [saved as unknown as Saved, main as unknown as Saved];
  const before = start - 1; // Its own start is counted next.
  if (typeof disk !== 'string' || own.disk !== disk || own.start >= before) return saved;
  return { ...own, start: before } as unknown as Json;
}

/** What a member has voted in and accepted. A candidate saves the term that it asks for only when it has won. */
export function knownIn(saved: Json): ReturnType<Recovering['read']> {
  const { term, register, advance = null } = carriedOver(saved) as State;
  return {
    term: Math.max(term, advance?.term ?? 0, register.taken ?? 0),
    version: register.version,
    members: register.members.map(({ id }) => id),
  };
}

/**
 * The record after `caucus recover`: this member is the only one, on a disk of a new name, so that the cluster has other
 * founders than every one before and no record of an earlier one fits it. What it had accepted counts as committed, as
 * for a new leader: the members that could tell are lost. The promise stands: the leader that it helped may still run.
 */
export function recoveredFrom(id: MemberId, saved: Json, { disk, term, version }: Recovered): Json {
  const { register, promiseMs = 0 } = carriedOver(saved) as Saved;
  const { value, timing } = register;
  const seats = [{ ...seatOf(register, id), id, disk }];
  const first: Register = { term, version, members: seats, founding: seats, value };
  const alone: Register = timing === undefined ? first : { ...first, timing };
  const recovered: Saved = {
    disk,
    start: 0,
    term,
    votedFor: null,
    register: alone,
    committed: alone,
    promiseMs,
    seen: {},
  };
  return recovered as unknown as Json;
}

/**
 * Is this the latest known process of the disk that has this member's seat? If not, it runs on a copy and is told so,
 * unless its message says the same of this one: two processes that each take the other for a copy would tell each
 * other without end. Disks without a seat do not count, and those in their first start cannot have an earlier one.
 */
export function isLatest(s: State, from: MemberId, m: Message, out: Out): boolean {
  const { by } = m;
  if (!isSeated(s.register, from, by.disk)) return true;
  const seen = s.seen[from];
  if (seen?.disk === by.disk) {
    if (seen.life === by.life) return true;
    if (by.start <= seen.start) {
      const { disk, start, life } = seen;
      if (m.type !== 'copy') send(from, { type: 'copy', disk, start, life, by: origin(s) }, out);
      return false;
    }
  }
  if (by.start === 1) return true;
  s.seen = { ...s.seen, [from]: by };
  save(s, out);
  return true;
}

/**
 * A member says that this process runs on a copy, or on a restored backup. It may be wrong, or lie. If so many say so
 * that there is no majority without them, the disk takes a new identity and needs a seat like any other new disk.
 * Until then the others are asked: a member that answers this process does not take it for a copy.
 */
export function onCopy(s: State, from: MemberId, m: Ask<'copy'>, times: Times, out: Out): void {
  if (!isMember(s, from) || m.disk !== s.disk || m.start < s.start || m.life === s.life) return;
  const isFirst = s.told === null;
  const told = { ...s.told, [from]: Math.max(m.start, s.told?.[from] ?? 0) };
  s.told = told;
  if (isFirst) sendToOthers(s, { type: 'probe', term: s.term, by: origin(s) }, out);
  const { members } = s.register;
  // A vacant seat says nothing for this disk. Example: of {1, 2, 3} the seat of 1 is vacant, and 2 takes 3 for a copy.
  const isFounded = members.some(({ disk }) => disk !== null);
  const isLost = ({ id, disk }: Seat): boolean => told[id] !== undefined || (isFounded && disk === null);
  const telling = members.filter(isLost).length;
  if (telling > members.length - majority(members.length)) takeNewDisk(s, times, out);
}

/**
 * Like an empty disk, it knows the names of members and no seats. What it remembered may be older than what members
 * allow for: they may have changed so often since the copy was made that it would refuse the present ones.
 */
function takeNewDisk(s: State, times: Times, out: Out): void {
  s.told = null;
  s.vouching = {};
  s.disk = newDisk(s);
  s.start = 1;
  s.register = firstRegister(s.register.members.map((seat) => withDisk(seat, null)));
  s.committed = s.register;
  save(s, out);
  becomeFollower(s, null, times, out);
  report(s, out);
  waitForElection(s, times, out);
}

/**
 * Some members say that this process runs on a copy, and a majority of the seats shows by answering it that it does
 * not: then the former were lied to. Example: 3 is down, and a stranger tells 1, under the id of 3, of a start that
 * never happened; 1 would ignore 3 for as many restarts as the stranger has claimed. So this process takes a later
 * number than they were told, and announces it.
 *
 * Each member can be lied to while this process is down, so it does this once for each. Two processes that run on one
 * disk at the same time, each with a majority that knows only it, would do it without end.
 */
export function onVouched(s: State, from: MemberId, disk: string, out: Out): void {
  if (s.told === null || s.raised >= s.register.members.length || !isMember(s, from)) return;
  s.vouching = withSupporter(s.register, { ...s.vouching, [s.id]: s.disk }, from, disk);
  if (!hasMajorityOfSeats(s.register, s.vouching)) return;
  s.start = Math.max(s.start, ...Object.values(s.told)) + 1;
  s.raised += 1;
  s.told = null;
  s.vouching = {};
  save(s, out);
  sendToOthers(s, { type: 'probe', term: s.term, by: origin(s) }, out);
}

/** A process that has already named a disk after itself numbers the next one. */
function newDisk({ disk, life }: State): string {
  if (!disk.startsWith(life)) return life;
  return `${life}.${1 + Number(disk.slice(life.length + 1))}`;
}

/** The committed seats: those of a register that was only accepted may still change. */
export function seatsIn({ committed }: Saved): readonly SeatedDisk[] {
  const { members, founding } = committed;
  return members.map(({ id, disk, url = null }) => {
    const founder = founding?.find((seat) => seat.id === id)?.disk ?? null;
    return { id, disk, founder, url };
  });
}
