import {
  type Config,
  durationMs,
  flag,
  idSet,
  integer,
  type Lack,
  type MemberId,
  rangeMs,
  type Self,
  type Setting,
  setting,
  type View,
} from '../../core/index.ts';
import { type Bond, countOf, createElectors, type Electors, isInForce, savedElectors } from './electors.ts';
import {
  createMembership,
  expectedVoters,
  isHeard,
  knownVoters,
  listedVoters,
  type Membership,
  MOST_VOTERS,
  sendTo,
} from './membership.ts';
import type { DrawRole, Message, Out, Status } from './messages.ts';

export const timing: {
  readonly heartbeatMs: Setting<number>;
  readonly timeoutMs: Setting<readonly [number, number]>;
} = {
  heartbeatMs: setting(durationMs, 1000, 'every voter sends a heartbeat to every other this often'),
  timeoutMs: setting(
    rangeMs,
    [250, 500],
    'how long to wait for an answer or a vote, which takes a round trip and a save to disk; drawn anew each time',
  ),
};

export const options: {
  readonly missedHeartbeatTolerance: Setting<number>;
  readonly quorum: Setting<boolean>;
  readonly voters: Setting<number>;
} = {
  missedHeartbeatTolerance: setting(
    integer(0, 1000),
    3,
    'missed heartbeats allowed before a voter counts as offline; also how often a vote is asked for again',
  ),
  quorum: setting(flag, false, 'certify a leader only with a majority of the configured voters'),
  voters: setting(
    integer(0, MOST_VOTERS),
    0,
    'with quorum: how many voters there are; 0: as many as are listed. The first leader needs all of them, every later one a majority',
  ),
};

/** The settings, as the functions of this folder read them. */
export type Rules = Config<typeof timing, typeof options>['timing'] &
  Config<typeof timing, typeof options>['options'];

/** One election, as one voter sees it. */
export interface Ballot {
  readonly election: number;
  /** The voters that take part: those known to the voter that started it. */
  readonly voters: readonly MemberId[];
  /** The voters whose numbers are compared: all at first, after a tie only the tied ones. */
  contenders: MemberId[];
  round: number;
  casts: { readonly voter: MemberId; readonly round: number; readonly number: string }[];
  /** Our own version of the result. */
  winner: MemberId | null;
  /** The version of each voter, and the electors that it has certified for before. */
  results: { readonly voter: MemberId; readonly winner: MemberId; readonly bond: Bond | null }[];
  /** All versions had arrived and agreed. */
  certified: boolean;
  /** The voters that have certified our win; sorted. */
  certificates: MemberId[];
  /** Their certificates, where those name a set of electors. */
  bonds: Bond[];
  /** How often in a row we have waited for an answer and nothing new came. */
  tries: number;
}

export interface State {
  readonly id: MemberId;
  readonly membership: Membership;
  /** The voters whose majority counts with `quorum`. */
  readonly electors: Electors;
  leader: MemberId | null;
  /** The election that made the newest leader we know of. Saved. */
  term: number;
  /** The newest election we took part in: we never take part in it again, nor in an older one. Saved. */
  election: number;
  /** The newest election we have heard of, so that the next one is newer. */
  newest: number;
  ballot: Ballot | null;
  /** While the others are asked about the leader's health: the leaders that some voter hears; sorted. */
  vouchedFor: MemberId[] | null;
  /** It resigned and does not want to win again at once. */
  resigned: boolean;
}

export function createState(self: Self, { quorum, voters }: Rules): State {
  return {
    id: self.id,
    membership: createMembership(self),
    electors: createElectors(self, quorum, voters),
    leader: null,
    term: 0,
    election: 0,
    newest: 0,
    ballot: null,
    vouchedFor: null,
    resigned: false,
  };
}

/** A voter that is not registered, or was removed, takes no part. */
export function takesPart({ membership: { registered, removed } }: State): boolean {
  return registered && !removed;
}

export function roleOf(s: State): DrawRole {
  if (!takesPart(s)) return 'none';
  return s.leader === s.id ? 'leader' : 'follower';
}

export function statusOf(s: State, rules: Rules): Status {
  const { voters } = s.membership;
  const { isFound, isListed, ids, since } = s.electors;
  const count = countOf(s.electors, rules.voters);
  return {
    role: roleOf(s),
    leader: s.leader,
    term: s.term,
    election: s.newest,
    knownVoters: knownVoters(s.membership),
    offline: voters
      .filter((voter) => voter.missed >= rules.missedHeartbeatTolerance && !isHeard(voter))
      .map(({ id }) => id),
    ...listedVoters(s.membership),
    ...(isFound && isInForce(s.electors) && !isListed && ids !== null ? { configured: [...ids], since } : {}),
    ...(count === null ? {} : { voterCount: count }),
  };
}

export function send(s: State, to: MemberId, message: Message, out: Out): void {
  sendTo(s.membership, to, message, out);
}

export function sendToAll(s: State, voters: readonly MemberId[], message: Message, out: Out): void {
  for (const to of voters) if (to !== s.id) send(s, to, message, out);
}

/** "Each voter will periodically register their health with the other voters." */
export function sendHeartbeats(s: State, rules: Rules, out: Out): void {
  sendToAll(s, expectedVoters(s.membership), { type: 'heartbeat', ...statusOf(s, rules) }, out);
}

export function save({ election, term, electors }: State, out: Out): void {
  out.push({ type: 'save', record: { election, term, ...savedElectors(electors) } });
}

/** A voter that was removed is on no list, not even on its own. */
export function membersOf({ id, membership }: State): readonly MemberId[] {
  const known = knownVoters(membership);
  return membership.removed ? known.filter((each) => each !== id) : known;
}

/** What is missing before a leader can be elected. */
export function lackOf({ membership, electors }: State, { quorum, voters }: Rules): Lack | null {
  if (membership.removed) return null;
  if (quorum && electors.isFound && countOf(electors, voters) === null) return { type: 'voter-count' };
  if (!membership.registered) return { type: 'another-voter' };
  if (!quorum || isInForce(electors)) return null;
  const { disputes, listed, ids, isLeft } = electors;
  if (disputes.length > 0) return { type: 'same-count', disputes: idSet(disputes.map(({ voter }) => voter)) };
  const known = knownVoters(membership);
  const founders = listed ?? (isLeft ? null : ids);
  if (founders === null)
    return known.length < voters ? { type: 'voters', known: known.length, of: voters } : null;
  const missing = founders.filter((id) => !known.includes(id));
  return missing.length > 0 ? { type: 'founders', missing } : null;
}

export function viewOf(s: State, rules: Rules): View {
  const { leader, term, electors } = s;
  const lack = lackOf(s, rules);
  return {
    role: roleOf(s),
    leader,
    term,
    lease: null,
    version: 0,
    value: null,
    members: membersOf(s),
    electors: electors.ids,
    ...(lack === null ? {} : { lack }),
  };
}

export function report(s: State, rules: Rules, out: Out): void {
  out.push({ type: 'report', view: viewOf(s, rules) });
}
