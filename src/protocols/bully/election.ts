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
import { send, superiors, type Turn } from './state.ts';

/**
 * "If P has the largest id, it sends RESULT to everybody at once; otherwise it sends ELECT to all processes with an
 * id larger than its own" (seed 003). `except` has just resigned.
 */
export function startElection(turn: Turn, except: MemberId | null = null): void {
  const { s } = turn;
  becomeCandidate(turn);
  const asked = superiors(turn).filter((each) => each !== except);
  if (asked.length === 0) return win(turn);
  s.phase = 'electing';
  for (const to of asked) ask(turn, to, { type: 'election', epoch: s.epoch });
}

/** "If a process that began an election receives no answer after a time T, it proclaims itself leader" (seed 001) */
export function onElectionOverdue(turn: Turn): void {
  const { s } = turn;
  if (s.phase === 'electing' && !isAsking(s, 'election')) win(turn);
}

function win(turn: Turn): void {
  if (turn.rules.quorum) startProposal(turn);
  else becomeLeader(turn);
}

/**
 * "If P receives ELECT from a process with a smaller id than its own, it answers OK and starts the election process
 * again" (seed 003). One that is under way serves for all who ask, and a leader has nothing to start (seed 000:
 * `if (!isLeader())`): it says again that it leads.
 */
export function onElection(turn: Turn, from: MemberId): void {
  const { s, rules } = turn;
  if (s.aside || !outranks(s.id, from, rules.prefer)) return;
  send(turn, from, { type: 'ok', epoch: s.epoch });
  if (s.role === 'leader') return sendLeadership(turn, from);
  if (!isElecting(turn)) startElection(turn);
}

/**
 * "If P receives OK from a process with a larger id, it stops sending and waits for RESULT (if it does not come
 * within some time, it starts the election process again)" (seed 003)
 */
export function onOk(turn: Turn, from: MemberId): void {
  const { s, rules } = turn;
  if (s.phase !== 'electing' || !outranks(from, s.id, rules.prefer)) return;
  forget(turn, 'election');
  s.phase = 'awaiting';
  waitForLeader(turn, patienceMs(turn));
}

/** Without quorum. A leader of lower rank is not accepted but bullied, and so two leaders that meet become one. */
export function onCoordinator(turn: Turn, from: MemberId): void {
  const { s, rules } = turn;
  if (s.aside || outranks(from, s.id, rules.prefer)) becomeFollower(turn, from);
  else bully(turn);
}

export function bully(turn: Turn): void {
  if (turn.s.role === 'leader') announce(turn);
  else if (!isElecting(turn)) startElection(turn);
}

/** The leader says itself that it is gone, and it will not answer: those who remain choose at once. */
export function onResign(turn: Turn, from: MemberId): void {
  if (turn.s.leader === from) startElection(turn, from);
}

/**
 * It would win again at once, so it stands aside: it answers no election, bullies nobody and follows whoever wins.
 * That ends when its successor is gone or none comes, when it restarts, or when it is asked to campaign.
 */
export function resign(turn: Turn): void {
  const { s } = turn;
  becomeCandidate(turn);
  s.aside = true;
  for (const to of s.others) send(turn, to, { type: 'resign', epoch: s.epoch });
  waitForLeader(turn, 2 * patienceMs(turn));
}

function isElecting({ s }: Turn): boolean {
  return s.phase === 'electing' || s.phase === 'awaiting' || s.phase === 'proposing';
}
