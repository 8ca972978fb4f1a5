/**
 * The electors: the voters whose majority counts with `quorum`.
 *
 * A majority needs a number. Where voters have addresses and find each other, a voter does not know how many there are
 * until it is told (option `voters`) or has a list of them all; until then it certifies no leader.
 *
 * Told the number only, the electors are founded: the first election is held among exactly that many voters, and its
 * winner leads only with the certificates of all of them. A voter saves the set before it sends its certificate, and
 * certifies another set only once it is certain that the first was not founded: in its result each voter names the set
 * that it has certified, and a voter of the first set that names another one has not certified it. So of two sets that
 * share a voter only one can be founded. Afterwards the majority of these voters is enough, for ever: voters that come
 * later draw and may win, but their certificates do not count. Example: four voters were told `voters: 3`. `a` and `b`
 * have certified {a b c}, `c` and `d` have certified {b c d}. In the next election among {a b c}, `c` hears that `b` of
 * {b c d} has certified another set, so it certifies {a b c} too, and these three are founded.
 *
 * The set is remembered on disk. It changes only by a restart with another number or another list: then a voter
 * certifies for the old set no more, and its first certificate for a new one releases the old one. The new set needs
 * the certificates of all its voters, among them a majority of the old set that has released it. So the old set cannot
 * certify a leader any more, and the numbers of the new set's elections are higher than all of the old one. Example:
 * of five voters with `voters: 5`, one after the other is started again with `voters: 6`. When three of them have been,
 * the old five have no majority left; when a sixth voter has joined the five, the first election of the six is held.
 * Started again with `voters: 5` before that, they are the old five again; after a certificate for the six, those five
 * have to be founded anew, by all of them.
 *
 * Voters that were told different numbers found nothing while they hear each other: two sets of one cluster would
 * each have a leader.
 *
 * A certificate names the set it is given for, and counts for that set only.
 */
import { idSet, type Json, type MemberId, majority, type Self } from '../../core/index.ts';

type Ids = readonly MemberId[];

export interface Electors {
  /** False where ids are addresses and the configured voters are all: then nothing has to be founded. */
  readonly isFound: boolean;
  /** The configuration lists all voters. */
  readonly listed: Ids | null;
  /** The set that this voter certifies for; null while it has certified for none. Sorted. */
  ids: Ids | null;
  /** A leader of this set was certified, or the set was configured as a list. */
  isFounded: boolean;
  /** The election in which all of them have certified a leader; 0 if the set was configured as a list. */
  since: number;
  /** The election in which this voter certified for the set for the first time. */
  at: number;
  /** Only the configuration names this set: no certificate was given for it yet, so nothing has to be remembered. */
  isListed: boolean;
  /** It was started with another number or list, and certifies for this set no more. */
  isLeft: boolean;
  /** Sets that this voter has certified for, and left for another number or list. */
  released: readonly Ids[];
  /** Voters that were told another number, and for how many heartbeats that is remembered. */
  disputes: readonly { readonly voter: MemberId; readonly beats: number }[];
}

/** The set that a voter has certified for, as its results and certificates say it. */
export interface Bond {
  readonly voter: MemberId;
  readonly electors: Ids;
  readonly releases: readonly Ids[];
}

/** `voters`: how many there are, or 0 if that was not told. */
export function createElectors({ members, addresses }: Self, quorum: boolean, voters: number): Electors {
  const none = { since: 0, at: 0, isLeft: false, released: [], disputes: [] };
  const isFound = addresses !== undefined && quorum;
  if (!isFound) return { isFound, listed: null, ids: members, isFounded: true, isListed: false, ...none };
  // A list of this voter alone is no list: it says nothing about the others.
  const isAll = members.length > 1 && (voters === 0 ? !addresses.isPartial : voters === members.length);
  const listed = isAll ? members : null;
  return { isFound, listed, ids: listed, isFounded: isAll, isListed: isAll, ...none };
}

/** For the record on disk; nothing if nothing was found out. */
export function savedElectors(e: Electors): { electors?: Json } {
  const { isFound, isListed, isFounded, since, at, released } = e;
  const ids = isListed ? null : e.ids;
  return isFound && (ids !== null || released.length > 0)
    ? { electors: { ids, isFounded, since, at, released } as Json }
    : {};
}

type SavedElectors = Pick<Electors, 'ids' | 'isFounded' | 'released'> &
  Partial<Pick<Electors, 'since' | 'at'>>;

/** What was remembered wins over the configuration, unless that has changed: then the old set is left. */
export function rememberElectors(e: Electors, self: MemberId, voters: number, saved: Json | undefined): void {
  if (!e.isFound || saved === undefined || saved === null) return;
  const { ids, isFounded, since = 0, at = 0, released } = saved as unknown as SavedElectors;
  e.released = released;
  if (ids === null) return;
  const isSame = e.listed === null ? voters === 0 || ids.length === voters : isSameSet(e.listed, ids);
  const isLate = !ids.includes(self);
  // A voter that came later has certified for no set. It joins a set of the number that it is told now; without a
  // number it keeps the set of the others, whatever list it was started with.
  if (isLate && !isSame && voters > 0) return;
  e.isListed = false;
  e.ids = ids;
  e.isFounded = isFounded;
  e.since = since;
  e.at = at;
  e.isLeft = !isSame && !isLate;
}

/** Does this voter certify leaders by a majority of a set that was founded? */
export function isInForce({ isFounded, isLeft }: Electors): boolean {
  return isFounded && !isLeft;
}

/** How many voters there are, as far as this voter knows, or null. */
export function countOf({ isFound, listed, ids }: Electors, voters: number): number | null {
  if (!isFound) return null;
  return voters > 0 ? voters : ((listed ?? ids)?.length ?? null);
}

/** The voters of an election that this voter may start, or null if no leader could be certified in it. */
export function ballotAmong(e: Electors, self: MemberId, voters: number, known: Ids): Ids | null {
  if (isInForce(e)) return hasMajority(e.ids, known) ? known : null;
  if (e.disputes.length > 0) return null;
  if (e.listed !== null) return areAllIn(e.listed, known) ? known : null;
  if (voters === 0 || known.length < voters) return null;
  // All voters choose the same ones, if more are there than were told, and if none has certified yet.
  const founders = e.ids !== null && !e.isLeft && areAllIn(e.ids, known) ? e.ids : known.slice(0, voters);
  return founders.includes(self) ? founders : null;
}

/** Do these voters contain a majority of the electors? */
export function hasMajority(ids: Ids | null, voters: Ids): boolean {
  if (ids === null) return false;
  return ids.filter((id) => voters.includes(id)).length >= majority(ids.length);
}

/** What a result says of the set that its sender has certified for. Nothing, if it has certified for none. */
export function bondOf({ isFound, ids, isListed, released }: Electors, voter: MemberId): Bond | null {
  if (!isFound || ids === null || isListed) return null;
  return { voter, electors: [...ids], releases: released };
}

/**
 * This voter certifies the result of this election; `told` is what the results said. Its first certificate for a set
 * has to be saved before it is sent: then true is returned.
 */
export function certifyFor(
  e: Electors,
  self: MemberId,
  voters: number,
  { election, voters: ballot }: { readonly election: number; readonly voters: Ids },
  told: readonly (Bond | null)[],
): boolean {
  if (!e.isFound) return false;
  if (isInForce(e)) {
    const isFirst = e.isListed;
    e.isListed = false;
    return isFirst;
  }
  const set = e.listed ?? (ballot.length === voters ? ballot : null);
  if (set === null || e.disputes.length > 0 || !set.includes(self)) return false;
  if (e.ids !== null && !e.isLeft && (isSameSet(e.ids, set) || !isUnfounded(e.ids, self, ballot, told)))
    return false;
  if (e.ids !== null && e.isLeft) e.released = withSet(e.released, e.ids);
  e.ids = [...set];
  e.isFounded = false;
  e.at = election;
  e.isLeft = false;
  return true;
}

/** Has another voter of the set taken part, which has not certified for it? */
function isUnfounded(ids: Ids, self: MemberId, ballot: Ids, told: readonly (Bond | null)[]): boolean {
  const others = ballot.filter((voter) => voter !== self && ids.includes(voter));
  return others.some((voter) => {
    const bond = told.find((each) => each?.voter === voter) ?? null;
    return bond === null || !(isSameSet(bond.electors, ids) || hasSet(bond.releases, ids));
  });
}

/** The certificate of this voter; null if it would count for no set. */
export function certificateOf(e: Electors, voter: MemberId): Bond | null {
  if (e.isLeft || (!e.isFounded && e.disputes.length > 0)) return null;
  return bondOf(e, voter);
}

/** Do these certificates make a leader? */
export function isCertified(e: Electors, bonds: readonly Bond[]): boolean {
  return isCertifiedByMajority(e, bonds) || isCertifiedByAll(e, bonds);
}

/** Of a set that was founded, a majority is enough, without the voters that have released it since. */
function isCertifiedByMajority({ ids, isFounded }: Electors, bonds: readonly Bond[]): boolean {
  if (ids === null || !isFounded) return false;
  const lasting = bondsFor(ids, bonds).filter(({ releases }) => !hasSet(releases, ids));
  return hasMajority(ids, votersOf(lasting));
}

/** All voters of a set found it, if no set that one of them has left can have a leader. */
function isCertifiedByAll({ ids }: Electors, bonds: readonly Bond[]): boolean {
  if (ids === null) return false;
  const given = bondsFor(ids, bonds);
  if (!areAllIn(ids, votersOf(given))) return false;
  const left = given.flatMap(({ releases }) => releases).filter((set) => !isSameSet(set, ids));
  return left.every((set) => isReleased(set, given));
}

function bondsFor(ids: Ids, bonds: readonly Bond[]): readonly Bond[] {
  return bonds.filter(({ voter, electors }) => ids.includes(voter) && isSameSet(electors, ids));
}

function votersOf(bonds: readonly Bond[]): Ids {
  return bonds.map(({ voter }) => voter);
}

/**
 * A majority of the set has left it; or one of its voters has never certified for it, or has since been in a set that
 * was founded: then it was never founded, or is no longer in force.
 */
function isReleased(set: Ids, founders: readonly Bond[]): boolean {
  const inSet = founders.filter(({ voter }) => set.includes(voter));
  const by = inSet.filter(({ releases }) => hasSet(releases, set));
  return by.length < inSet.length || by.length >= majority(set.length);
}

/** This voter leads by these certificates: if not by those of a majority, then its set was founded by them. */
export function foundIfNew(e: Electors, election: number, bonds: readonly Bond[]): void {
  if (e.isFound && !isCertifiedByMajority(e, bonds)) becomeFounded(e, election);
}

function becomeFounded(e: Electors, since: number): void {
  e.isFounded = true;
  e.since = since;
  e.released = [];
}

/**
 * Another voter names the set that is in force with it, and the election that founded it. `adopted` has to be saved; a
 * voter of `another` cluster is not followed.
 */
export function hearOfElectors(
  e: Electors,
  self: MemberId,
  voters: number,
  { configured: named, since = e.at }: Named,
): 'same' | 'adopted' | 'another' {
  if (named === undefined) return 'same';
  const ids = idSet(named);
  // A set of which this voter is a part, but which it never certified, is that of a process that lost its disk.
  const isLate = !ids.includes(self);
  if (!e.isFound) {
    if (isLate) e.ids = ids;
    return 'same';
  }
  if (e.ids !== null && isSameSet(e.ids, ids)) {
    if (e.isLeft) return 'another';
    // It was founded before this voter left it and came back: then it has to be founded anew.
    if (since < e.at || (e.isFounded && since <= e.since)) return 'same';
    becomeFounded(e, since);
    return 'adopted';
  }
  if (hasSet(e.released, ids) || (voters > 0 && ids.length !== voters)) return 'another';
  if (isInForce(e) && !(e.isListed && isLate)) return 'another';
  // It may have certified another set of the same number, whose leader has not been heard of.
  if (e.ids?.includes(self) && !e.isListed) e.released = withSet(e.released, e.ids);
  e.ids = ids;
  e.isFounded = true;
  e.since = since;
  e.isListed = false;
  e.isLeft = false;
  return 'adopted';
}

interface Named {
  readonly configured?: Ids;
  readonly since?: number;
}

/** Another voter says how many voters there are. */
export function hearOfCount(
  e: Electors,
  from: MemberId,
  voters: number,
  count: number | undefined,
  beats: number,
): void {
  if (!e.isFound) return;
  const own = countOf(e, voters);
  const others = e.disputes.filter(({ voter }) => voter !== from);
  const differs = own !== null && count !== undefined && count !== own;
  e.disputes = differs ? [...others, { voter: from, beats }] : others;
}

/** One heartbeat interval has passed: what a voter said that is silent since is forgotten after a while. */
export function countDisputes(e: Electors): void {
  e.disputes = e.disputes
    .map(({ voter, beats }) => ({ voter, beats: beats - 1 }))
    .filter(({ beats }) => beats > 0);
}

function areAllIn(ids: Ids, voters: Ids): boolean {
  return ids.every((id) => voters.includes(id));
}

function isSameSet(a: Ids, b: Ids): boolean {
  return a.length === b.length && areAllIn(a, b);
}

function hasSet(sets: readonly Ids[], set: Ids): boolean {
  return sets.some((each) => isSameSet(each, set));
}

function withSet(sets: readonly Ids[], set: Ids): readonly Ids[] {
  return hasSet(sets, set) ? sets : [...sets, set];
}
