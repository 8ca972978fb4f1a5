/**
 * Which answers count. A majority of seats decides: names together with the disks that hold their votes. If there is
 * no such majority (the first start of a cluster, or disks that were lost), one more than a majority of names
 * decides, whatever their disks.
 *
 * Why one more: of the names, one may have lost its disk and with it what it voted and accepted. Any two sets of
 * majority + 1 names share two names, and such a set and a majority of seats share two as well, so one of the two
 * remembers. Example with five members: {1, 2, 3} elected 1 in term 7; 3 loses its disk. {3, 4, 5} must not elect in
 * term 7, and does not: 3's new disk has no seat, and three names are not four.
 */
import { type MemberId, majority } from '../../core/index.ts';
import type { Register, Seat } from './messages.ts';

/** Names, each with the disk that it answered from. */
export type Supporters = Readonly<Record<string, string>>;

export function seatOf({ members }: Register, id: MemberId): Seat | undefined {
  for (const seat of members) if (seat.id === id) return seat;
  return undefined;
}

/**
 * Registers that differ in no optional field have one hidden shape: every step of every member reads them. A spread
 * makes another shape at each place in the code, and reading a field of many shapes takes several times as long.
 */
export function newRegister(all: Register): Register {
  const { term, version, members, founding, value, taken, paused, timing } = all;
  const register: { -readonly [K in keyof Register]: Register[K] } = {
    term,
    version,
    members,
    founding,
    value,
  };
  if (taken !== undefined) register.taken = taken;
  if (paused !== undefined) register.paused = paused;
  if (timing !== undefined) register.timing = timing;
  return register;
}

/** The same place with this disk in it. Not a spread: that makes an object of another hidden shape at each place in the code. */
export function withDisk({ id, url }: Seat, disk: string | null): Seat {
  return url === undefined ? { id, disk } : { id, disk, url };
}

/** Is this the disk that votes for this name? */
export function isSeated(register: Register, id: MemberId, disk: string): boolean {
  return seatOf(register, id)?.disk === disk;
}

/**
 * How many names decide if no majority of seats does. A single member decides by its name only as long as no disk has
 * its seat: if it lost its disk, no other member remembers what it knew. Example: 4 is the only member for a while,
 * then 8 and 9 join, and 4 loses its disk. A member that was removed long before sends 4 the register in which it is
 * alone; 4 must not lead by it beside 8 and 9.
 */
export function namesNeeded(members: readonly Seat[]): number {
  const most = members.length === 1 && members[0]!.disk !== null ? 2 : members.length;
  return Math.min(most, majority(members.length) + 1);
}

export function isQuorum(register: Register, supporters: Supporters): boolean {
  const { members } = register;
  const names = members.filter(({ id }) => supporters[id] !== undefined);
  return hasMajorityOfSeats(register, supporters) || names.length >= namesNeeded(members);
}

export function hasMajorityOfSeats({ members }: Register, supporters: Supporters): boolean {
  const seated = members.filter(({ id, disk }) => disk !== null && supporters[id] === disk);
  return seated.length >= majority(members.length);
}

/** Adds a supporter. If two disks answer under one name, the one that has the seat counts. */
export function withSupporter(
  register: Register,
  supporters: Supporters,
  id: MemberId,
  disk: string,
): Supporters {
  const before = supporters[id];
  if (before === disk || (before !== undefined && isSeated(register, id, before))) return supporters;
  return { ...supporters, [id]: disk };
}

/** The newest round that a majority of seats has answered, given the newest that each seat has. */
export function roundOfSeats({ members }: Register, roundOf: (seat: Seat) => number): number {
  return nth(members, roundOf, majority(members.length));
}

/** The same if names decide. */
export function roundOfNames({ members }: Register, roundOf: (seat: Seat) => number): number {
  return nth(members, roundOf, namesNeeded(members));
}

/** Used by one call at a time. Every answer to a heartbeat needs it, so it is not made anew. */
const largestFirst: number[] = [];

/** The nth largest. Insertion sort: for so few entries, a comparison callback would cost more than all the rest. */
function nth(members: readonly Seat[], roundOf: (seat: Seat) => number, n: number): number {
  const rounds = largestFirst;
  for (let i = 0; i < members.length; i++) {
    const round = roundOf(members[i]!);
    let at = i;
    for (; at > 0 && rounds[at - 1]! < round; at--) rounds[at] = rounds[at - 1]!;
    rounds[at] = round;
  }
  return n > members.length ? 0 : rounds[n - 1]!;
}
