/**
 * Is the leader there? Each member checks it, and a leader learns by checking which members it reaches.
 *
 * The cure for a leader that only seemed dead: "when starting an election, more than half of the nodes must hold that
 * node (N) is not alive; only then does the election start" (seed 003). A member that knows no leader, because it has
 * just started, asks in the same way; so a preferred id that comes back joins the leader it finds.
 */
import { addId, type MemberId, outranks } from '../../core/index.ts';
import { bully, startElection } from './election.ts';
import { demote, onOtherLeader } from './epochs.ts';
import { ask, isAsking, isFlying, land } from './flights.ts';
import type { MessageOf } from './messages.ts';
import { bringUpToDate } from './publishing.ts';
import {
  answerAskers,
  becomeCandidate,
  checkLeader,
  heartbeatOf,
  isMajority,
  sendLeadership,
  waitForLeader,
} from './roles.ts';
import type { Rules } from './settings.ts';
import { type Out, type State, send } from './state.ts';

export function onHeartbeat(
  s: State,
  from: MemberId,
  { leader, version }: MessageOf<'heartbeat'>,
  rules: Rules,
  out: Out,
): void {
  if (leader === from) {
    if (rules.quorum) {
      onOtherLeader(s, from, version, rules, out);
      // It lives, which is all that a check could show.
      land(s, from, 'heartbeat', rules, out);
      const nextMs = rules.heartbeatMs + rules.waitMs;
      if (s.role === 'follower') out.push({ type: 'set-timer', timer: 'check', delayMs: nextMs });
    } else if (!s.aside && outranks(s.id, from, rules.prefer)) {
      bully(s, rules, out);
    }
  }
  send(from, { ...heartbeatOf(s), type: 'alive' }, out);
  bringUpToDate(s, from, version, rules, out);
}

export function onAlive(
  s: State,
  from: MemberId,
  { leader, version }: MessageOf<'alive'>,
  rules: Rules,
  out: Out,
): void {
  land(s, from, 'heartbeat', rules, out);
  bringUpToDate(s, from, version, rules, out);
  if (s.role === 'leader') {
    addId(s.reached, from);
    return concludeCheck(s, rules, out);
  }
  if (s.leader !== from) return;
  if (leader !== from) return suspectLeader(s, rules, out); // It lives, but it leads no longer.
  s.missed = 0;
  answerAskers(s, false, out);
}

export function onHeartbeatOverdue(s: State, to: MemberId, rules: Rules, out: Out): void {
  if (s.role === 'leader') return concludeCheck(s, rules, out);
  if (s.leader !== to) return;
  if (s.missed >= rules.tolerance) return suspectLeader(s, rules, out);
  s.missed += 1;
  checkLeader(s, rules, out);
}

/** A leader counts the members it reaches; only with quorum does their number matter. */
function concludeCheck(s: State, rules: Rules, out: Out): void {
  if (!rules.quorum || isAsking(s, 'heartbeat') || isMajority(s, [s.id, ...s.reached])) return;
  if (s.missed >= rules.tolerance) return demote(s, rules, out);
  s.missed += 1;
  for (const to of s.others) if (!s.reached.includes(to)) ask(s, to, heartbeatOf(s), rules, out);
}

/** The leader is gone, as far as this member can tell. */
function suspectLeader(s: State, rules: Rules, out: Out): void {
  s.aside = false;
  startAgain(s, rules, out);
}

/** Without quorum one member's suspicion is enough: that is how a leader that was only slow is replaced. */
export function startAgain(s: State, rules: Rules, out: Out): void {
  if (!rules.quorum) return startElection(s, rules, out);
  if (s.phase === 'doubting') return;
  answerAskers(s, true, out);
  startDoubt(s, rules, out);
}

/** Evidence about the leader is a reason to check; proof counts as a failed check. */
export function onPeerGone(s: State, peer: MemberId, proof: boolean, rules: Rules, out: Out): void {
  if (s.role !== 'follower' || s.leader !== peer) return;
  if (proof) suspectLeader(s, rules, out);
  else if (!isFlying(s, 'heartbeat', peer)) checkLeader(s, rules, out);
}

export function startDoubt(s: State, rules: Rules, out: Out): void {
  s.phase = 'doubting';
  s.gone = [s.id];
  s.vouched = false;
  for (const to of s.others)
    if (to !== s.leader) ask(s, to, { type: 'leader-gone', epoch: s.epoch }, rules, out);
  concludeDoubt(s, rules, out);
}

/** A member that is asked checks the leader itself, and answers when it knows. */
export function onLeaderGone(s: State, from: MemberId, rules: Rules, out: Out): void {
  const { epoch } = s;
  if (s.role === 'leader') {
    send(from, { type: 'leader-gone/answer', epoch, gone: false }, out);
    return sendLeadership(s, from, rules, out);
  }
  if (s.leader === from) {
    // The sender is the leader itself, so it no longer leads.
    becomeCandidate(s, rules, out);
    waitForLeader(rules.retryMs, out);
  }
  if (s.leader === null || s.phase === 'doubting') {
    return send(from, { type: 'leader-gone/answer', epoch, gone: true }, out);
  }
  addId(s.askers, from);
  if (!isFlying(s, 'heartbeat', s.leader)) checkLeader(s, rules, out);
}

export function onLeaderGoneAnswer(
  s: State,
  from: MemberId,
  m: MessageOf<'leader-gone/answer'>,
  rules: Rules,
  out: Out,
): void {
  if (s.phase !== 'doubting') return;
  land(s, from, 'leader-gone', rules, out);
  if (m.gone) addId(s.gone, from);
  else s.vouched = true;
  concludeDoubt(s, rules, out);
}

export function concludeDoubt(s: State, rules: Rules, out: Out): void {
  if (s.phase !== 'doubting') return;
  if (isMajority(s, s.gone)) return startElection(s, rules, out);
  if (isAsking(s, 'leader-gone')) return;
  if (s.leader !== null && s.vouched) {
    // The others still hear it, so it leads, and the fault is between it and us.
    s.phase = 'idle';
    s.missed = 0;
    out.push({ type: 'set-timer', timer: 'check', delayMs: rules.heartbeatMs });
    return;
  }
  becomeCandidate(s, rules, out);
  waitForLeader(rules.retryMs, out);
}
