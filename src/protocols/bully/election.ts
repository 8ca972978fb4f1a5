/** The election itself: "every time, the candidate with the largest id among the living is chosen" (seed 003). */
import { type MemberId, outranks } from '../../core/index.ts';
import { startProposal } from './epochs.ts';
import { ask, forget, isAsking } from './flights.ts';
import {
  announce,
  becomeCandidate,
  becomeFollower,
  becomeLeader,
  patienceMs,
  sendLeadership,
  waitForLeader,
} from './roles.ts';
import type { Rules } from './settings.ts';
import { type Out, type State, send, superiors } from './state.ts';

/**
 * "If P has the largest id, it sends RESULT to everybody at once; otherwise it sends ELECT to all processes with an
 * id larger than its own" (seed 003).
 */
export function startElection(s: State, rules: Rules, out: Out): void {
  startElectionAmong(s, superiors(s, rules), rules, out);
}

function startElectionAmong(s: State, asked: readonly MemberId[], rules: Rules, out: Out): void {
  becomeCandidate(s, rules, out);
  if (asked.length === 0) return win(s, rules, out);
  s.phase = 'electing';
  for (const to of asked) ask(s, to, { type: 'election', epoch: s.epoch }, rules, out);
}

/** "If a process that began an election receives no answer after a time T, it proclaims itself leader" (seed 001) */
export function onElectionOverdue(s: State, rules: Rules, out: Out): void {
  if (s.phase === 'electing' && !isAsking(s, 'election')) win(s, rules, out);
}

function win(s: State, rules: Rules, out: Out): void {
  if (rules.quorum) startProposal(s, rules, out);
  else becomeLeader(s, rules, out);
}

/**
 * "If P receives ELECT from a process with a smaller id than its own, it answers OK and starts the election process
 * again" (seed 003). One that is under way serves for all who ask, and a leader has nothing to start (seed 000:
 * `if (!isLeader())`): it says again that it leads.
 */
export function onElection(s: State, from: MemberId, rules: Rules, out: Out): void {
  if (s.aside || !outranks(s.id, from, rules.prefer)) return;
  send(from, { type: 'ok', epoch: s.epoch }, out);
  if (s.role === 'leader') return sendLeadership(s, from, rules, out);
  if (!isElecting(s)) startElection(s, rules, out);
}

/**
 * "If P receives OK from a process with a larger id, it stops sending and waits for RESULT (if it does not come
 * within some time, it starts the election process again)" (seed 003)
 */
export function onOk(s: State, from: MemberId, rules: Rules, out: Out): void {
  if (s.phase !== 'electing' || !outranks(from, s.id, rules.prefer)) return;
  forget(s, ['election'], rules, out);
  s.phase = 'awaiting';
  waitForLeader(patienceMs(s, rules), out);
}

/** Without quorum. A leader of lower rank is not accepted but bullied, and so two leaders that meet become one. */
export function onCoordinator(s: State, from: MemberId, rules: Rules, out: Out): void {
  if (s.aside || outranks(from, s.id, rules.prefer)) becomeFollower(s, from, rules, out);
  else bully(s, rules, out);
}

export function bully(s: State, rules: Rules, out: Out): void {
  if (s.role === 'leader') announce(s, rules, out);
  else if (!isElecting(s)) startElection(s, rules, out);
}

/** The leader says itself that it resigns, and it will not answer: the remaining members elect at once. */
export function onResign(s: State, from: MemberId, rules: Rules, out: Out): void {
  if (s.leader !== from) return;
  const asked = superiors(s, rules).filter((each) => each !== from);
  startElectionAmong(s, asked, rules, out);
}

/**
 * It would win again at once, so it stands aside: it answers no election, bullies no member and follows the winner.
 * That ends when its successor is gone or none comes, when it restarts, or when it is told to campaign.
 */
export function resign(s: State, rules: Rules, out: Out): void {
  becomeCandidate(s, rules, out);
  s.aside = true;
  for (const to of s.others) send(to, { type: 'resign', epoch: s.epoch }, out);
  waitForLeader(2 * patienceMs(s, rules), out);
}

function isElecting(s: State): boolean {
  return s.phase === 'electing' || s.phase === 'awaiting' || s.phase === 'proposing';
}
