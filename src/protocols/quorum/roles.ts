import { type MemberId, mix, textHash } from '../../core/index.ts';
import type { Ask } from './messages.ts';
import type { Times } from './settings.ts';
import { isMember, leaseTimer, type Out, origin, report, type State, save, send } from './state.ts';

/** A newer term: this member becomes a follower, whatever it was, and has not voted yet, unless in advance. */
export function adoptTerm(s: State, term: number, times: Times, out: Out): void {
  enterTerm(s, term);
  save(s, out);
  becomeFollower(s, null, times, out);
}

export function enterTerm(s: State, term: number): void {
  const { advance } = s;
  s.votedFor = advance !== null && advance.term === term ? { id: advance.id, life: advance.life } : null;
  if (advance !== null && advance.term <= term) s.advance = null;
  s.term = term;
  if (s.seeking <= term) s.seeking = 0;
}

/** Tells a member of an older term that there is a newer one. */
export function tellTerm(s: State, to: MemberId, out: Out): void {
  send(to, { type: 'term', term: s.term, by: origin(s) }, out);
}

export function onTerm(s: State, from: MemberId, { term }: Ask<'term'>, times: Times, out: Out): void {
  if (isMember(s, from) && term > s.term) adoptTerm(s, term, times, out);
}

/** Becomes a follower, whether it knows the leader or not. Leadership, candidacy and what depended on them end here. */
export function becomeFollower(s: State, leader: MemberId | null, times: Times, out: Out): void {
  const before = s.role;
  const news = before !== 'follower' || s.leader !== leader;
  if (s.leader !== leader) s.deputy = null;
  s.role = 'follower';
  s.leader = leader;
  s.hearsay = false;
  if (s.standby !== null && (s.standby.leader !== leader || s.standby.term !== s.term)) dropStandby(s, out);
  if (leader !== null) s.yields = false;
  s.votes = {};
  s.consent = null;
  if (news) s.probes = null;
  s.asked = null;
  s.round = 0;
  endLeases(s, out);
  if (before === 'leader') endLeadership(s, out);
  if (news) report(s, out);
  if (before === 'leader') waitForElection(s, times, out);
  settleTransfer(s, out);
}

/** No lease of this member is valid any more. */
export function endLeases(s: State, out: Out): void {
  for (const round of s.openRounds) out.push({ type: 'cancel-timer', timer: leaseTimer(round) });
  s.openRounds = [];
  s.leaseRound = null;
}

/** It is no deputy any more, or one whose support has to be asked for anew. */
export function dropStandby(s: State, out: Out): void {
  if (s.standby === null) return;
  for (const round of s.standby.open) out.push({ type: 'cancel-timer', timer: leaseTimer(-round) });
  s.standby = null;
}

function endLeadership(s: State, out: Out): void {
  s.deputy = null;
  s.named = 0;
  s.succeeds = null;
  const wasSent = s.waiting === null;
  s.waiting = null;
  s.peers = {};
  s.newcomers = {};
  s.quorumRound = 0;
  s.leaseAge = null;
  s.sending = false;
  for (const timer of ['heartbeat', 'quorum', 'commit', 'publish'] as const)
    out.push({ type: 'cancel-timer', timer });
  if (s.publishing !== null) {
    // Some members may have accepted it, and the next leader may complete it.
    const reason = 'lost the leadership before a majority had answered';
    out.push({
      type: 'answer',
      command: s.publishing,
      outcome: { status: 'failed', reason, effect: wasSent ? 'indefinite' : 'definite' },
    });
    s.publishing = null;
  }
  if (s.change !== null) {
    const reason = 'lost the leadership before the change was sent';
    out.push({
      type: 'answer',
      command: s.change.command,
      outcome: { status: 'failed', reason, effect: 'definite' },
    });
    s.change = null;
  }
}

/** The user who requested a transfer is answered once there is a leader again, which may be this member. */
export function settleTransfer(s: State, out: Out): void {
  if (s.transfer === null || s.leader === null) return;
  const { to, command } = s.transfer;
  s.transfer = null;
  out.push({ type: 'cancel-timer', timer: 'transfer' });
  if (command === null) return;
  if (s.leader === to) return void out.push({ type: 'answer', command, outcome: { status: 'done' } });
  const reason = `${s.leader} leads instead`;
  out.push({ type: 'answer', command, outcome: { status: 'failed', reason, effect: 'definite' } });
}

/**
 * Members time out one after the other: each waits the least timeout and then for its own slot, so that split votes
 * are rare. Slots rotate with the term, the leader that fell silent has none, and the place within the slot is drawn
 * each time.
 */
export function waitForElection(s: State, times: Times, out: Out): void {
  const [leastMs, mostMs] = times.timeoutMs;
  // A member that lacks the newest times waits for a leader that has longer ones.
  waitForSlot(s, s.leader, Math.max(leastMs, s.promise?.ms ?? 0), mostMs - leastMs, out);
}

/**
 * The leader is known to be gone: the same slots, without waiting for silence before the first. A slot has to be
 * longer than an election takes, or the second member asks while the first is winning; so more than five members
 * share a longer range.
 */
export function hurryToElection(s: State, gone: MemberId | null, times: Times, out: Out): void {
  const rangeMs = times.hurryMs * Math.max(1, s.register.members.length / 5);
  const deputyMs = s.deputy === null ? 0 : rangeMs / s.register.members.length; // The deputy comes first.
  waitForSlot(s, gone, deputyMs, rangeMs, out);
}

/** It has just resigned: the others come first, with twice the delay. */
export function holdBack(s: State, times: Times, out: Out): void {
  const [leastMs, mostMs] = times.timeoutMs;
  waitForSlot(s, s.leader, 2 * mostMs, mostMs - leastMs, out);
}

/** Waits for this member's slot of a range that begins after `afterMs`. */
function waitForSlot(s: State, gone: MemberId | null, afterMs: number, rangeMs: number, out: Out): void {
  const slotMs = rangeMs / Math.max(1, s.register.members.length);
  const begin = afterMs + slotOf(s, gone) * slotMs;
  out.push({ type: 'set-timer', timer: 'election', delayMs: [begin, begin + slotMs / 2] });
}

/** Its place among the members that may follow the one that is gone: the leader, if there is one. */
export function slotOf(s: State, gone: MemberId | null = s.leader): number {
  // Counted without a list: every heartbeat asks.
  let candidates = 0;
  let place = -1;
  let earlier = 0;
  for (const { id } of s.register.members) {
    if (id === gone) continue;
    if (id === s.id) place = candidates;
    else if (givesWay(s, id, s.term)) earlier += 1;
    candidates += 1;
  }
  if (place < 0) return candidates;
  return s.turn === undefined ? (place + s.term) % candidates : earlier;
}

/**
 * Does this member help the other instead of asking for itself? Only in an election that is one of many. When a process
 * dies that led hundreds of them, the others are busy for longer than a slot: the second member asks before it reads the
 * request of the first. Without this rule both are candidates in one term, and wait for a timeout. `term`: the one in
 * which both have lost their leader.
 */
export function givesWay(s: State, to: MemberId, term: number): boolean {
  const { turn } = s;
  return turn !== undefined && isMember(s, to) && rankOf(to, turn, term) < rankOf(s.id, turn, term);
}

/** The members of an election that is one of many come in an order of its own in every term (a rendezvous hash). */
function rankOf(id: MemberId, turn: number, term: number): number {
  return mix(Math.imul(textHash(String(id)), 0x9e3779b1) + mix(turn + term)) >>> 0;
}

/** Is it the first that should follow the leader that is gone? */
export function isFirst(s: State, gone: MemberId | null = s.leader): boolean {
  return s.deputy === null ? slotOf(s, gone) === 0 : s.deputy.id === s.id;
}

/** May it ever lead? A priority of 0, or not being a member, says no. */
export function mayLead(s: State): boolean {
  return s.priority > 0 && isMember(s, s.id);
}
