/**
 * Changes of the membership, all by the leader and all as ordinary publications: an operator adds or removes a member; and by
 * itself the leader vacates the seat of a disk that is silent while another answers under its name, and fills a vacant seat
 * whose name answers.
 *
 * Why a seat never goes from one disk to another in one step: {1, d2} and {e2, 3} are majorities of {1, d2, 3} and of
 * {1, e2, 3}, and share no disk. With the seat vacant in between, a majority has no disk under that name, so it shares
 * another name, and with it a disk, with every majority before and after.
 *
 * Why three members become two, and two become three, by way of a vacant seat: where names decide, two names of {1, 2} and
 * a majority of {1, 2, 3} share one name only, and that one may have lost its disk. Between larger memberships they share two.
 *
 * Why a change waits for the lease: after two changes a majority of the members need not meet the one that promised. So the
 * next begins only when a majority of the present seats has renewed the lease, or there is none.
 */
import { compareIds, type MemberId, majority } from '../../core/index.ts';
import { isRefusedNext } from './bounds.ts';
import { recallDeputy } from './deputy.ts';
import { isHealthy } from './leading.ts';
import type { Seat } from './messages.ts';
import { renewRegister, startPublication } from './register.ts';
import { namesNeeded, seatOf, withDisk } from './seats.ts';
import type { Times } from './settings.ts';
import { type Out, type State, sameAge } from './state.ts';
import { isUnconfirmed } from './succession.ts';

/** A change of members that an operator requested and that was not sent yet. */
export interface Change {
  readonly command: number;
  readonly kind: 'add' | 'remove';
  readonly member: MemberId;
  /** Where a member that is added is reached; omitted if it is configured. */
  readonly url?: string;
  /** It is removed even if too few others answer. */
  readonly force?: true;
}

/** The leader makes the next requested change, once the earlier one is done. */
export function advanceMembership(s: State, times: Times, out: Out): void {
  const { register, change } = s;
  if (s.role !== 'leader' || s.transfer !== null || s.publishing !== null || isUnconfirmed(s)) return;
  const requested = change === null ? null : accepted(s, changed(s, change));
  const members = requested ?? accepted(s, reseated(s, times));
  if (members === null) return;
  if (register.term !== s.term) return renewRegister(s, times, out);
  if (!sameAge(register, s.committed)) return;
  if (s.leaseRound !== null && s.leaseAge !== null && !sameAge(s.leaseAge, register)) return;
  // A deputy counts on these members.
  if (s.heir !== null) return recallDeputy(s, out);
  const next = { value: register.value, members };
  if (change === null || requested === null || isFirstStep(members, change))
    return startPublication(s, next, null, times, out);
  s.change = null;
  const reason = change.force ? null : lacksMajority(s, members);
  if (reason === null) return startPublication(s, next, change.command, times, out);
  out.push({ type: 'cancel-timer', timer: 'commit' });
  out.push({
    type: 'answer',
    command: change.command,
    outcome: { status: 'failed', reason, effect: 'definite' },
  });
}

/** Are the members to change? */
export function isToChange(s: State, times: Times): boolean {
  return s.change !== null || reseated(s, times) !== null;
}

/**
 * These members, if the others accept them after the present ones. Example: of {1, 2, 3, 4} the seat of 3 is vacant, and
 * 4 has lost its disk. With the seat of 4 vacant too, two disks of three would be left that decide, and 1 and 2 refuse
 * that. So 4 waits until the seat of 3 is filled.
 */
function accepted({ register }: State, members: readonly Seat[] | null): readonly Seat[] | null {
  return members === null || isRefusedNext(register, members) ? null : members;
}

/**
 * The members with the change that an operator requested, or with a first step to it; null as long as it cannot be
 * made.
 */
function changed({ register, newcomers }: State, { kind, member, url }: Change): readonly Seat[] | null {
  const { members } = register;
  const rest = members.filter(({ id }) => id !== member);
  if (kind === 'remove') {
    const isVacant = members.length !== 3 || seatOf(register, member)?.disk === null;
    return isVacant ? rest : members.map((seat) => (seat.id === member ? withDisk(seat, null) : seat));
  }
  const joiner = newcomers[member];
  if (joiner === undefined) return null;
  const disk = members.length === 2 ? null : joiner.disk;
  const seat: Seat = url === undefined ? { id: member, disk } : { id: member, disk, url };
  return [...rest, seat].sort((a, b) => compareIds(a.id, b.id));
}

/** The seat of a member that is to be removed was only vacated. */
function isFirstStep(members: readonly Seat[], { kind, member }: Change): boolean {
  return kind === 'remove' && members.some(({ id }) => id === member);
}

/**
 * The members with the vacant seats filled whose names answer; or, if there are none, with one seat vacated whose
 * disk is gone; null if there is nothing to do. One at a time, so that each membership keeps a majority of the disks
 * of the earlier one, as far as they are there: members refuse a register that leaves them fewer (see bounds.ts).
 */
function reseated(s: State, times: Times): readonly Seat[] | null {
  const { members } = s.register;
  if (!isDisputed(s)) return null;
  const filled = members.map((seat) => fill(s, seat));
  if (isFounding(s) && !isWorthFounding(s, filled, times)) return null;
  if (filled.some((seat, i) => seat !== members[i])) return filled;
  const gone = members.find((seat) => isToBeVacated(s, seat, times));
  return gone === undefined ? null : members.map((seat) => (seat === gone ? withDisk(gone, null) : seat));
}

/** Is a seat vacant, or another disk known under its name? Nearly never, and every step checks it. */
function isDisputed(s: State): boolean {
  for (const { id, disk } of s.register.members) {
    if (disk === null) return true;
    if (id === s.id ? disk !== s.disk : s.newcomers[id] !== undefined) return true;
  }
  return false;
}

function isFounding({ register }: State): boolean {
  return register.members.every(({ disk }) => disk === null);
}

/**
 * The seats that are filled first are those with which other elections start, so all members should have one. Members
 * that do not answer within a timeout are not waited for, as long as there are enough to elect by names.
 */
function isWorthFounding(s: State, members: readonly Seat[], { timeoutMs, heartbeatMs }: Times): boolean {
  const filled = members.filter(({ disk }) => disk !== null).length;
  if (filled === members.length) return true;
  return filled >= namesNeeded(members) && s.round > timeoutMs[1] / heartbeatMs;
}

function fill(s: State, seat: Seat): Seat {
  const present = presentDisk(s, seat.id);
  return seat.disk === null && present !== null ? withDisk(seat, present) : seat;
}

function isToBeVacated(s: State, { id, disk }: Seat, times: Times): boolean {
  const present = presentDisk(s, id);
  return disk !== null && present !== null && present !== disk && (id === s.id || isSilent(s, id, times));
}

function presentDisk(s: State, id: MemberId): string | null {
  return id === s.id ? s.disk : freshNewcomer(s, id);
}

/** The disk without a seat that answers under this name now. */
export function freshNewcomer(s: State, id: MemberId): string | null {
  const newcomer = s.newcomers[id];
  return newcomer !== undefined && newcomer.round >= s.round - 2 ? newcomer.disk : null;
}

/** The disk that has the seat has not answered for the longest timeout. */
function isSilent(s: State, id: MemberId, { timeoutMs, heartbeatMs }: Times): boolean {
  return s.round - (s.peers[id]?.round ?? 0) > timeoutMs[1] / heartbeatMs;
}

/** Why the cluster could not continue with these members, or null if a majority of them answers. */
export function lacksMajority(s: State, members: readonly Seat[]): string | null {
  const healthy = members.filter(
    ({ id, disk }) => isHealthy(s, id) || (disk !== null && freshNewcomer(s, id) === disk),
  );
  const needed = majority(members.length);
  if (healthy.length >= needed) return null;
  return `of the ${members.length} members that there would be, ${healthy.length} answer and ${needed} are needed`;
}
