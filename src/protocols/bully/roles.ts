/** The three roles and what goes with entering each of them. */
import { type MemberId, majority } from '../../core/index.ts';
import { ask, forget, forgetAll, isAsking } from './flights.ts';
import type { Request } from './messages.ts';
import { abandonPublishing } from './publishing.ts';
import { report, type State, send, superiors, type Turn } from './state.ts';

/** No leader is known. */
export function becomeCandidate(turn: Turn): void {
  const { s, out } = turn;
  const before = s.role;
  s.role = 'candidate';
  s.leader = null;
  if (before !== 'candidate') report(turn);
  forgetAll(turn);
  abandonPublishing(turn);
  leaveElection(turn);
  out.push({ type: 'cancel-timer', timer: 'check' });
  answerAskers(turn, true);
}

/** "If P receives the RESULT message, it takes the sender for the leader" (seed 003) */
export function becomeFollower(turn: Turn, leader: MemberId): void {
  const { s, out, rules } = turn;
  leaveElection(turn);
  answerAskers(turn, false);
  if (s.role === 'follower' && s.leader === leader) return;
  s.role = 'follower';
  s.leader = leader;
  s.acks = [];
  report(turn);
  forgetAll(turn);
  abandonPublishing(turn);
  out.push({ type: 'set-timer', timer: 'check', delayMs: rules.heartbeatMs });
}

/**
 * "sends a 'coordinator' message to all processes of the system, to say that it is the leader" (seed 001). With
 * quorum, that message has asked for leave before; now the first heartbeat tells everybody that it was given.
 */
export function becomeLeader(turn: Turn): void {
  const { s, out, rules } = turn;
  leaveElection(turn);
  s.role = 'leader';
  s.leader = s.id;
  s.aside = false;
  s.acks = [];
  report(turn);
  if (rules.quorum) return startCheck(turn);
  announce(turn);
  out.push({ type: 'set-timer', timer: 'check', delayMs: rules.heartbeatMs });
}

export function announce(turn: Turn): void {
  for (const to of turn.s.others) sendLeadership(turn, to);
}

/** Tells one member who leads. */
export function sendLeadership(turn: Turn, to: MemberId): void {
  const { s, rules } = turn;
  if (rules.quorum) ask(turn, to, heartbeatOf(s));
  else send(turn, to, { type: 'coordinator', epoch: s.epoch });
}

/**
 * "All the other instances send a heartbeat message to the leader periodically to check its health" (seed 000).
 * A leader looks for other leaders: with quorum everywhere, for it must also know whom it reaches; else among
 * those that outrank it.
 */
export function startCheck(turn: Turn): void {
  const { s, out, rules } = turn;
  out.push({ type: 'set-timer', timer: 'check', delayMs: rules.heartbeatMs });
  if (isAsking(s, 'heartbeat')) return; // Few sends at once can make a check longer than its interval.
  s.missed = 0;
  s.reached = [];
  if (s.role === 'follower') return checkLeader(turn);
  for (const to of rules.quorum ? s.others : superiors(turn)) ask(turn, to, heartbeatOf(s));
}

export function checkLeader(turn: Turn): void {
  ask(turn, turn.s.leader!, heartbeatOf(turn.s));
}

export function heartbeatOf({ epoch, leader, version }: State): Extract<Request, { type: 'heartbeat' }> {
  return { type: 'heartbeat', epoch, leader, version };
}

/** Should no leader come of it by then, `again` begins anew. */
export function waitForLeader({ out }: Turn, delayMs: number | readonly [number, number]): void {
  out.push({ type: 'set-timer', timer: 'again', delayMs });
}

/**
 * How long the answer to an election takes, at most: whoever said `ok` was asked just now, asks its own superiors
 * (in several goes if its sends are limited), waits T for them, and then tells.
 */
export function patienceMs({ s, rules }: Turn): number {
  return rules.waitMs * (1 + Math.max(1, Math.ceil(s.others.length / rules.maxInFlight)));
}

/** Tells those who asked whether the leader is gone. */
export function answerAskers(turn: Turn, gone: boolean): void {
  const { askers, epoch } = turn.s;
  turn.s.askers = [];
  for (const to of askers) send(turn, to, { type: 'leader-gone/answer', epoch, gone });
}

/** More than half of all members. */
export function isMajority({ s }: Turn, members: readonly MemberId[]): boolean {
  return members.length >= majority(s.others.length + 1);
}

function leaveElection(turn: Turn): void {
  const { s, out } = turn;
  s.phase = 'idle';
  s.gone = [];
  forget(turn, 'leader-gone', 'election', 'coordinator');
  out.push({ type: 'cancel-timer', timer: 'again' });
}
