/** Checking the leader's health, and what a leader learns by looking after the others. */
import { addId, type MemberId, outranks } from '../../core/index.ts';
import { startDoubt } from './doubt.ts';
import { bully, startElection } from './election.ts';
import { demote, onOtherLeader } from './epochs.ts';
import { ask, isAsking, isFlying, land } from './flights.ts';
import { bringUpToDate } from './publishing.ts';
import { answerAskers, checkLeader, heartbeatOf, isMajority } from './roles.ts';
import { send, type Turn } from './state.ts';

type Health = { readonly leader: MemberId | null; readonly version: number };

export function onHeartbeat(turn: Turn, from: MemberId, { leader, version }: Health): void {
  const { s, out, rules } = turn;
  if (leader === from) {
    if (rules.quorum) {
      onOtherLeader(turn, from, version);
      // It lives, which is all that a check could show.
      land(turn, from, 'heartbeat');
      const nextMs = rules.heartbeatMs + rules.waitMs;
      if (s.role === 'follower') out.push({ type: 'set-timer', timer: 'check', delayMs: nextMs });
    } else if (!s.aside && outranks(s.id, from, rules.prefer)) {
      bully(turn);
    }
  }
  send(turn, from, { ...heartbeatOf(s), type: 'alive' });
  bringUpToDate(turn, from, version);
}

export function onAlive(turn: Turn, from: MemberId, { leader, version }: Health): void {
  const { s } = turn;
  land(turn, from, 'heartbeat');
  bringUpToDate(turn, from, version);
  if (s.role === 'leader') {
    addId(s.reached, from);
    return concludeCheck(turn);
  }
  if (s.leader !== from) return;
  if (leader !== from) return suspectLeader(turn); // It lives, but it leads no longer.
  s.missed = 0;
  answerAskers(turn, false);
}

export function onHeartbeatOverdue(turn: Turn, to: MemberId): void {
  const { s, rules } = turn;
  if (s.role === 'leader') return concludeCheck(turn);
  if (s.leader !== to) return;
  if (s.missed >= rules.tolerance) return suspectLeader(turn);
  s.missed += 1;
  checkLeader(turn);
}

/** A leader counts whom it reaches; without quorum it does not ask how many those are. */
function concludeCheck(turn: Turn): void {
  const { s, rules } = turn;
  if (!rules.quorum || isAsking(s, 'heartbeat') || isMajority(turn, [s.id, ...s.reached])) return;
  if (s.missed >= rules.tolerance) return demote(turn);
  s.missed += 1;
  for (const to of s.others) if (!s.reached.includes(to)) ask(turn, to, heartbeatOf(s));
}

/** The leader is gone, as far as this member can tell. */
function suspectLeader(turn: Turn): void {
  turn.s.aside = false;
  startAgain(turn);
}

/** Without quorum one member's word is enough: that is how a leader that was only slow loses its place. */
export function startAgain(turn: Turn): void {
  const { s, rules } = turn;
  if (!rules.quorum) return startElection(turn);
  if (s.phase === 'doubting') return;
  answerAskers(turn, true);
  startDoubt(turn);
}

/** What the host says about the leader is a reason to look; proof stands for a check that failed. */
export function onPeerGone(turn: Turn, peer: MemberId, proof: boolean): void {
  const { s } = turn;
  if (s.role !== 'follower' || s.leader !== peer) return;
  if (proof) suspectLeader(turn);
  else if (!isFlying(s, 'heartbeat', peer)) checkLeader(turn);
}
