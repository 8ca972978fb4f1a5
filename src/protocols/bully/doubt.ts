/**
 * The cure for a leader that only seemed dead: "when starting an election, more than half of the nodes must hold that
 * node (N) is not alive; only then does the election start" (seed 003). A member that knows no leader, because it has
 * just started, asks in the same way; so a preferred id that comes back joins the leader it finds.
 */
import { addId, type MemberId } from '../../core/index.ts';
import { startElection } from './election.ts';
import { ask, isAsking, isFlying, land } from './flights.ts';
import { becomeCandidate, checkLeader, isMajority, sendLeadership, waitForLeader } from './roles.ts';
import { send, type Turn } from './state.ts';

export function startDoubt(turn: Turn): void {
  const { s } = turn;
  s.phase = 'doubting';
  s.gone = [s.id];
  s.vouched = false;
  for (const to of s.others) if (to !== s.leader) ask(turn, to, { type: 'leader-gone', epoch: s.epoch });
  concludeDoubt(turn);
}

/** Whoever is asked does not guess: it checks the leader itself, and answers when it knows. */
export function onLeaderGone(turn: Turn, from: MemberId): void {
  const { s } = turn;
  const { epoch } = s;
  if (s.role === 'leader') {
    send(turn, from, { type: 'leader-gone/answer', epoch, gone: false });
    return sendLeadership(turn, from);
  }
  if (s.leader === from) {
    // The leader itself asks for one: it leads no longer.
    becomeCandidate(turn);
    waitForLeader(turn, turn.rules.retryMs);
  }
  if (s.leader === null || s.phase === 'doubting') {
    return send(turn, from, { type: 'leader-gone/answer', epoch, gone: true });
  }
  addId(s.askers, from);
  if (!isFlying(s, 'heartbeat', s.leader)) checkLeader(turn);
}

export function onLeaderGoneAnswer(turn: Turn, from: MemberId, gone: boolean): void {
  const { s } = turn;
  if (s.phase !== 'doubting') return;
  land(turn, from, 'leader-gone');
  if (gone) addId(s.gone, from);
  else s.vouched = true;
  concludeDoubt(turn);
}

export function concludeDoubt(turn: Turn): void {
  const { s, out, rules } = turn;
  if (s.phase !== 'doubting') return;
  if (isMajority(turn, s.gone)) return startElection(turn);
  if (isAsking(s, 'leader-gone')) return;
  if (s.leader !== null && s.vouched) {
    // The others still hear it, so it leads, and the fault lies between it and us.
    s.phase = 'idle';
    s.missed = 0;
    out.push({ type: 'set-timer', timer: 'check', delayMs: rules.heartbeatMs });
    return;
  }
  becomeCandidate(turn);
  waitForLeader(turn, rules.retryMs);
}
