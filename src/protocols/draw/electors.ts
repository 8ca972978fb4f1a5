/**
 * The electors: the voters whose majority counts with `quorum`.
 *
 * A majority needs a number. Where voters have addresses and find each other, a voter does not know how many there are
 * until it is told (option `voters`) or has a list of them all; until then it certifies no leader.
 *
 * Told the number only, the electors are founded: the first election is held among exactly that many voters, and its
 * winner leads only with the certificates of all of them. Every voter saves the set before it sends its certificate
 * and never certifies another set, so of two sets that share a voter only one can be founded. Afterwards the majority
 * of these voters is enough, for ever: voters that come later draw and may win, but their certificates do not count.
 *
 * The set is remembered on disk. It changes only by a restart with another number or another list: then a voter
 * releases the old set and never certifies for it again, and the new set needs the certificates of all its voters,
 * among them a majority of the old set that has released it. So the old set cannot certify a leader any more, and the
 * numbers of the new set's elections are higher than all of the old one. Example: of five voters with `voters: 5`, one
 * after the other is started again with `voters: 6`. When three of them have been, the old five have no majority
 * left; when a sixth voter has joined the five, the first election of the six is held.
 *
 * A certificate names the set it is given for, and counts for that set only.
 */
import { idSet, type Json, type MemberId, majority, type Self } from '../../core/index.ts';

export interface Electors {
  /** False where ids are addresses and the configured voters are all: then nothing has to be founded. */
  readonly isFound: boolean;
  /** Null while the voters are unknown. Sorted. */
  ids: readonly MemberId[] | null;
  /** A leader of this set was certified, or the set was configured as a list. */
  isFounded: boolean;
  /** Only the configuration names this set: no certificate was given for it yet, so nothing has to be remembered. */
  isListed: boolean;
  /** Sets that this voter has certified for, or could have, and never will again. */
  released: readonly (readonly MemberId[])[];
}

/** What a certificate says besides the election and the winner. */
export interface Bond {
  readonly voter: MemberId;
  readonly electors: readonly MemberId[];
  readonly releases: readonly (readonly MemberId[])[];
}

/** `voters`: how many there are, or 0 if that was not told. */
export function createElectors({ members, addresses }: Self, quorum: boolean, voters: number): Electors {
  const isFound = addresses !== undefined && quorum;
  if (!isFound) return { isFound, ids: members, isFounded: true, isListed: false, released: [] };
  // A list of this voter alone is no list: it says nothing about the others.
  const isAll = members.length > 1 && (voters === 0 ? !addresses.isPartial : voters === members.length);
  return { isFound, ids: isAll ? members : null, isFounded: isAll, isListed: isAll, released: [] };
}

/** For the record on disk; nothing if nothing was found out. */
export function savedElectors(e: Electors): { electors?: Json } {
  const { isFound, isListed, isFounded, released } = e;
  const ids = isListed ? null : e.ids;
  return isFound && (ids !== null || released.length > 0)
    ? { electors: { ids, isFounded, released } as Json }
    : {};
}

/** What was remembered wins over the configuration, unless that has changed: then the old set is released. */
export function rememberElectors(e: Electors, self: MemberId, voters: number, saved: Json | undefined): void {
  if (!e.isFound || saved === undefined || saved === null) return;
  e.isListed = false;
  const { ids, isFounded, released } = saved as unknown as Pick<Electors, 'ids' | 'isFounded' | 'released'>;
  e.released = released;
  if (ids === null) {
    if (released.length > 0) e.isFounded = false;
    return;
  }
  const wanted = voters > 0 ? voters : (e.ids?.length ?? ids.length);
  const isSame = e.ids === null ? ids.length === wanted : isSameSet(e.ids, ids);
  // A voter that came later keeps the set of the others, whatever list it was started with.
  if (isSame || !ids.includes(self)) {
    e.ids = ids;
    e.isFounded = isFounded;
    return;
  }
  e.released = [...released, ids];
  e.isFounded = false;
}

/**
 * The voters of an election that this voter may start, or null if no leader could be certified in it.
 */
export function ballotAmong(
  { ids, isFounded }: Electors,
  self: MemberId,
  quorum: boolean,
  voters: number,
  known: readonly MemberId[],
): readonly MemberId[] | null {
  if (!quorum) return known;
  if (ids === null) {
    if (voters === 0 || known.length < voters) return null;
    // All voters choose the same ones, if more are there than were told.
    const founders = known.slice(0, voters);
    return founders.includes(self) ? founders : null;
  }
  const isEnough = isFounded ? hasMajority(ids, known) : ids.every((id) => known.includes(id));
  return isEnough ? known : null;
}

/** Do these voters contain a majority of the electors? */
export function hasMajority(ids: readonly MemberId[] | null, voters: readonly MemberId[]): boolean {
  if (ids === null) return false;
  return ids.filter((id) => voters.includes(id)).length >= majority(ids.length);
}

/**
 * The certificate of this voter in an election among these voters. The first one commits it to the set, which has to
 * be saved before the certificate leaves: `isNews`. Null if it knows no set: such a certificate never counts.
 */
export function bondOf(
  e: Electors,
  voter: MemberId,
  voters: number,
  ballot: readonly MemberId[],
): { readonly bond: Bond | null; readonly isNews: boolean } {
  const isFirst = e.ids === null && voters > 0 && ballot.length === voters;
  const isNews = isFirst || e.isListed;
  if (isFirst) e.ids = [...ballot];
  e.isListed = false;
  const bond = e.ids === null ? null : { voter, electors: [...e.ids], releases: e.released };
  return { bond, isNews };
}

/** Do these certificates make a leader? */
export function isCertified({ ids, isFounded }: Electors, bonds: readonly Bond[]): boolean {
  if (ids === null) return false;
  const given = bonds.filter(({ electors }) => isSameSet(electors, ids));
  const voters = given.map(({ voter }) => voter);
  if (isFounded) return hasMajority(ids, voters);
  if (!ids.every((id) => voters.includes(id))) return false;
  const founders = given.filter(({ voter }) => ids.includes(voter));
  return founders.every(({ releases }) => releases.every((old) => isReleased(old, founders)));
}

function isReleased(old: readonly MemberId[], founders: readonly Bond[]): boolean {
  const by = founders.filter(({ releases }) => releases.some((each) => isSameSet(each, old)));
  return hasMajority(
    old,
    by.map(({ voter }) => voter),
  );
}

/** A leader of this set was certified. True if that is news. */
export function becomeFounded(e: Electors): boolean {
  if (e.isFounded) return false;
  e.isFounded = true;
  e.released = [];
  return true;
}

/**
 * Another voter names the set that is in force with it. `adopted` has to be saved; a voter of `another` cluster is
 * not followed.
 */
export function hearOfElectors(
  e: Electors,
  self: MemberId,
  voters: number,
  named: readonly MemberId[] | undefined,
): 'same' | 'adopted' | 'another' {
  if (named === undefined) return 'same';
  const ids = idSet(named);
  // A set of which this voter is a part, but which it never certified, is that of a process that lost its disk.
  const isLate = !ids.includes(self);
  if (!e.isFound) {
    if (isLate) e.ids = ids;
    return 'same';
  }
  if (e.ids !== null && isSameSet(e.ids, ids)) return becomeFounded(e) ? 'adopted' : 'same';
  if (e.released.some((old) => isSameSet(old, ids))) return 'another';
  if (voters > 0 && ids.length !== voters) return 'another';
  if (e.isFounded && !(e.isListed && isLate)) return 'another';
  e.ids = ids;
  e.isFounded = true;
  e.isListed = false;
  e.released = [];
  return 'adopted';
}

function isSameSet(a: readonly MemberId[], b: readonly MemberId[]): boolean {
  return a.length === b.length && a.every((id) => b.includes(id));
}
