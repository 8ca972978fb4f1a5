/**
 * Heartbeats, and what follows from hearing them or not: the leader, the voters that are still there, and when to
 * hold an election.
 *
 * Of two leaders that meet, the one of the older election follows the other; if both won elections of the same
 * number, in parts of the cluster that did not hear each other, they hold a new one.
 */
import { addId, compareIds, type MemberId } from '../../core/index.ts';
import { becomeFollower, becomeLeaderless, endElection, startElection } from './election.ts';
import { countDisputes, hasMajority, hearOfCount, hearOfElectors } from './electors.ts';
import { sendFarewells } from './farewell.ts';
import {
  askStatus,
  askUnknown,
  countMissed,
  differs,
  findVoter,
  hearFrom,
  knownVoters,
  removeVoter,
  sendReconcile,
  sendRegister,
  tryPlaces,
  urlIn,
} from './membership.ts';
import type { MessageOf, Out, Status } from './messages.ts';
import { type Rules, type State, save, sendHeartbeats, sendToAll } from './state.ts';

/** Every heartbeat interval: one timer drives registration, heartbeats and the counting of missed ones. */
export function onHeartbeatTimer(s: State, rules: Rules, out: Out): void {
  const { membership } = s;
  out.push({ type: 'set-timer', timer: 'heartbeat', delayMs: rules.heartbeatMs });
  // "the voter enters a lazy loop trying to register with another voter"
  if (!membership.registered) return sendRegister(membership, out);
  countMissed(membership, rules.missedHeartbeatTolerance, s.leader, out);
  countDisputes(s.electors);
  stepDownWithoutMajority(s, rules, out);
  sendFarewells(membership, out);
  tryPlaces(membership, rules.missedHeartbeatTolerance, out);
  sendHeartbeats(s, rules, out);
  if (s.leader === null ? s.ballot === null : isLeaderOffline(s, rules)) startHealthCheck(s, rules, out);
}

export function onHeartbeat(
  s: State,
  from: MemberId,
  m: MessageOf<'heartbeat'>,
  rules: Rules,
  out: Out,
): void {
  hearFrom(s.membership, from);
  considerLeader(s, from, m, rules, out);
  reconcileVoters(s, from, m, rules, out);
}

/** "If the list is different, then start a reconciliation of voters." */
function reconcileVoters(s: State, from: MemberId, m: Status, rules: Rules, out: Out): void {
  if (!differs(s.membership, m.knownVoters)) return;
  sendReconcile(s.membership, from, out);
  askUnknown(s.membership, from, m, rules.timeoutMs, out);
}

/**
 * What another voter says about the leader. A newer election counts, whichever voter reports it. For the election
 * that we know of, only the leader's own message counts.
 */
export function considerLeader(s: State, from: MemberId, status: Status, rules: Rules, out: Out): void {
  const { leader, term } = status;
  const url = leader === null ? null : urlIn(status.voters, leader);
  s.newest = Math.max(s.newest, status.election, term);
  if (s.electors.isFound) {
    hearOfCount(s.electors, from, rules.voters, status.voterCount, 4 * (rules.missedHeartbeatTolerance + 2));
    const heard = hearOfElectors(s.electors, s.id, rules.voters, status);
    if (heard === 'adopted') save(s, out);
    if (heard === 'another') return; // Its leader is that of another cluster.
  }
  if (term > s.term && leader !== null) {
    if (leader !== s.id) {
      // Where voters have addresses, one without an address could not be reached.
      if (s.membership.url === null || url !== null || findVoter(s.membership, leader) !== undefined)
        becomeFollower(s, leader, term, url, rules, out);
      return;
    }
    // We led then, but have lost the record of it, and with it the leadership.
    s.term = term;
    save(s, out);
    return becomeLeaderless(s, rules, out);
  }
  if (term !== s.term) return;
  if (leader === from) {
    if (s.leader === null) becomeFollower(s, from, term, url, rules, out);
    else if (s.leader === s.id) onRival(s, from, rules, out);
  } else if (s.leader === from) {
    becomeLeaderless(s, rules, out);
  }
}

/** One of the two starts the election, once reconciliation has made the other known to it. */
function onRival(s: State, rival: MemberId, rules: Rules, out: Out): void {
  if (compareIds(s.id, rival) > 0 || findVoter(s.membership, rival) === undefined) return;
  if (s.ballot === null) startElection(s, rules, out);
}

function isLeaderOffline(s: State, rules: Rules): boolean {
  if (s.leader === null || s.leader === s.id) return false;
  const voter = findVoter(s.membership, s.leader);
  return voter === undefined || voter.missed > rules.missedHeartbeatTolerance;
}

/**
 * "When a follower misses a heartbeat from the current leader, it first requests a health check from the other
 * voters, including the leader." One that knows no leader asks in the same way whether the others do.
 */
function startHealthCheck(s: State, rules: Rules, out: Out): void {
  if (s.vouchedFor !== null) return;
  s.vouchedFor = [];
  sendToAll(s, knownVoters(s.membership), askStatus(s.membership), out);
  out.push({ type: 'set-timer', timer: 'check', delayMs: rules.timeoutMs });
}

/** A voter that hears a leader vouches for it; the leader vouches for itself. */
export function countVouch(s: State, { leader, term, offline }: Status): void {
  if (s.vouchedFor === null || leader === null || leader === s.id) return;
  if (term >= s.term && !offline.includes(leader)) addId(s.vouchedFor, leader);
}

/**
 * "If the other voters agree that the leader has failed its health check, then the leader is removed from the voter
 * pool, and an election is started." Those that do not answer cannot object.
 */
export function onHealthChecked(s: State, rules: Rules, out: Out): void {
  const vouchedFor = s.vouchedFor ?? [];
  s.vouchedFor = null;
  if (s.leader !== null && isLeaderOffline(s, rules) && !vouchedFor.includes(s.leader)) {
    removeVoter(s.membership, s.leader);
    if (s.ballot?.voters.includes(s.leader)) endElection(s, out);
    becomeLeaderless(s, rules, out);
  }
  if (s.leader === null && s.ballot === null && vouchedFor.length === 0) startElection(s, rules, out);
}

/** With `quorum`, a leader that no longer hears a majority of the configured voters stops leading. */
export function stepDownWithoutMajority(s: State, rules: Rules, out: Out): void {
  if (!rules.quorum || s.leader !== s.id) return;
  if (!hasMajority(s.electors.ids, knownVoters(s.membership))) becomeLeaderless(s, rules, out);
}
