/** The three roles and what goes with entering each of them. */
import { type MemberId, majority } from '../../core/index.ts';
import { ask, forget, forgetAll, isAsking } from './flights.ts';
import type { Request } from './messages.ts';
import { abandonPublishing } from './publishing.ts';
import type { Rules } from './settings.ts';
import { type Out, report, type State, send, superiors } from './state.ts';

/** No leader is known. */
export function becomeCandidate(s: State, rules: Rules, out: Out): void {
  const before = s.role;
  s.role = 'candidate';
  s.leader = null;
  if (before !== 'candidate') report(s, rules, out);
  forgetAll(s, out);
  abandonPublishing(s, out);
  leaveElection(s, rules, out);
  out.push({ type: 'cancel-timer', timer: 'check' });
  answerAskers(s, true, out);
}

/** "If P receives the RESULT message, it takes the sender for the leader" (seed 003) */
export function becomeFollower(s: State, leader: MemberId, rules: Rules, out: Out): void {
  leaveElection(s, rules, out);
  answerAskers(s, false, out);
  if (s.role === 'follower' && s.leader === leader) return;
  s.role = 'follower';
  s.leader = leader;
  s.acks = [];
  report(s, rules, out);
  forgetAll(s, out);
  abandonPublishing(s, out);
  out.push({ type: 'set-timer', timer: 'check', delayMs: rules.heartbeatMs });
}

/**
 * "sends a 'coordinator' message to all processes of the system, to say that it is the leader" (seed 001). With
 * quorum, that message has asked for leave before; now the first heartbeat tells all members that it was granted.
 */
export function becomeLeader(s: State, rules: Rules, out: Out): void {
  leaveElection(s, rules, out);
  s.role = 'leader';
  s.leader = s.id;
  s.aside = false;
  s.acks = [];
  report(s, rules, out);
  if (rules.quorum) return startCheck(s, rules, out);
  announce(s, rules, out);
  out.push({ type: 'set-timer', timer: 'check', delayMs: rules.heartbeatMs });
}

export function announce(s: State, rules: Rules, out: Out): void {
  for (const to of s.others) sendLeadership(s, to, rules, out);
}

/** Tells one member who leads. */
export function sendLeadership(s: State, to: MemberId, rules: Rules, out: Out): void {
  if (rules.quorum) ask(s, to, heartbeatOf(s), rules, out);
  else send(to, { type: 'coordinator', epoch: s.epoch }, out);
}

/**
 * "All the other instances send a heartbeat message to the leader periodically to check its health" (seed 000).
 * A leader looks for other leaders: with quorum everywhere, since it must also know which members it reaches; else among
 * those that outrank it.
 */
export function startCheck(s: State, rules: Rules, out: Out): void {
  out.push({ type: 'set-timer', timer: 'check', delayMs: rules.heartbeatMs });
  if (isAsking(s, 'heartbeat')) return; // With limited sends, a check can take longer than its interval.
  s.missed = 0;
  s.reached = [];
  if (s.role === 'follower') return checkLeader(s, rules, out);
  for (const to of rules.quorum ? s.others : superiors(s, rules)) ask(s, to, heartbeatOf(s), rules, out);
}

export function checkLeader(s: State, rules: Rules, out: Out): void {
  ask(s, s.leader!, heartbeatOf(s), rules, out);
}

export function heartbeatOf({ epoch, leader, version }: State): Extract<Request, { type: 'heartbeat' }> {
  return { type: 'heartbeat', epoch, leader, version };
}

/** If there is no leader by then, `again` starts another attempt. */
export function waitForLeader(delayMs: number | readonly [number, number], out: Out): void {
  out.push({ type: 'set-timer', timer: 'again', delayMs });
}

/**
 * The longest time until an election is decided: a member that said `ok` was asked just now, asks its own superiors
 * (in several batches if its sends are limited), waits T for them, and then announces.
 */
export function patienceMs(s: State, rules: Rules): number {
  return rules.waitMs * (1 + Math.max(1, Math.ceil(s.others.length / rules.maxInFlight)));
}

/** Answers the members that asked whether the leader is gone. */
export function answerAskers(s: State, gone: boolean, out: Out): void {
  const { askers, epoch } = s;
  s.askers = [];
  for (const to of askers) send(to, { type: 'leader-gone/answer', epoch, gone }, out);
}

/** More than half of all members. */
export function isMajority(s: State, members: readonly MemberId[]): boolean {
  return members.length >= majority(s.others.length + 1);
}

function leaveElection(s: State, rules: Rules, out: Out): void {
  s.phase = 'idle';
  s.gone = [];
  forget(s, ['leader-gone', 'election', 'coordinator'], rules, out);
  out.push({ type: 'cancel-timer', timer: 'again' });
}
