import {
  type Config,
  durationMs,
  flag,
  integer,
  type MemberId,
  majority,
  rangeMs,
  type Self,
  type Setting,
  setting,
} from '../../core/index.ts';
import { createMembership, expectedVoters, isHeard, knownVoters, type Membership } from './membership.ts';
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
} = {
  missedHeartbeatTolerance: setting(
    integer(1, 1000),
    3,
    'missed heartbeats allowed before a voter counts as offline; also how often a vote is asked for again',
  ),
  quorum: setting(flag, false, 'certify a leader only with a majority of the configured voters'),
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
  /** The version of each voter. */
  results: { readonly voter: MemberId; readonly winner: MemberId }[];
  /** All versions had arrived and agreed. */
  certified: boolean;
  /** The voters that have certified our win; sorted. */
  certificates: MemberId[];
  /** How often in a row we have waited for an answer and nothing new came. */
  tries: number;
}

export interface State {
  readonly id: MemberId;
  readonly membership: Membership;
  /** The voters whose majority counts with `quorum`. */
  configured: readonly MemberId[];
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

export function createState(self: Self): State {
  return {
    id: self.id,
    membership: createMembership(self),
    configured: self.members,
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
  return {
    role: roleOf(s),
    leader: s.leader,
    term: s.term,
    election: s.newest,
    knownVoters: knownVoters(s.membership),
    offline: voters
      .filter((voter) => voter.missed >= rules.missedHeartbeatTolerance && !isHeard(voter))
      .map(({ id }) => id),
  };
}

/** Do these voters contain a majority of the configured ones? Voters that were added later do not count. */
export function hasMajority(s: State, voters: readonly MemberId[]): boolean {
  const count = s.configured.filter((id) => voters.includes(id)).length;
  return count >= majority(s.configured.length);
}

export function send(to: MemberId, message: Message, out: Out): void {
  out.push({ type: 'send', to, message });
}

export function sendToAll(s: State, voters: readonly MemberId[], message: Message, out: Out): void {
  for (const to of voters) if (to !== s.id) send(to, message, out);
}

/** "Each voter will periodically register their health with the other voters." */
export function sendHeartbeats(s: State, rules: Rules, out: Out): void {
  sendToAll(s, expectedVoters(s.membership), { type: 'heartbeat', ...statusOf(s, rules) }, out);
}

export function save({ election, term }: State, out: Out): void {
  out.push({ type: 'save', record: { election, term } });
}

export function report(s: State, out: Out): void {
  const { leader, term } = s;
  out.push({
    type: 'report',
    view: { role: roleOf(s), leader, term, lease: null, version: 0, value: null },
  });
}
