import type { MemberId } from '../../core/index.ts';
import { majority } from '../../core/index.ts';
import type { Message } from './messages.ts';
import { commitAccepted, completeRegister, onPeerAge } from './register.ts';
import { adoptTerm, becomeFollower, tellTerm, waitForElection } from './roles.ts';
import type { Times } from './settings.ts';
import {
  ageOf,
  isMember,
  isPromisedLater,
  leaseTimer,
  type Out,
  others,
  peerOf,
  promiseTo,
  report,
  type State,
  sameAge,
  sendToOthers,
} from './state.ts';

type Ask<T extends Message['type']> = Extract<Message, { type: T }>;

/** Its voters have promised, since it asked them, to help nobody else: it may act at once, on the lease of that round. */
export function becomeLeader(s: State, voters: readonly MemberId[], times: Times, out: Out): void {
  s.role = 'leader';
  s.leader = s.id;
  s.votes = {};
  s.peers = {};
  for (const id of others(s)) if (voters.includes(id)) peerOf(s, id).round = s.round;
  s.leaseRound = s.openRounds.includes(s.round) ? s.round : null;
  report(s, out);
  out.push({ type: 'cancel-timer', timer: 'election' });
  out.push({ type: 'set-timer', timer: 'quorum', delayMs: times.timeoutMs[1] });
  completeRegister(s, times, out);
  sendHeartbeats(s, times, out);
}

/** Each heartbeat is a round; the lease that its answers give is measured from this moment. */
export function sendHeartbeats(s: State, times: Times, out: Out): void {
  if (s.role !== 'leader' || s.transfer !== null) return;
  s.round += 1;
  s.openRounds = [...s.openRounds, s.round];
  out.push({ type: 'set-timer', timer: leaseTimer(s.round), delayMs: times.leaseMs });
  out.push({ type: 'set-timer', timer: 'heartbeat', delayMs: times.heartbeatMs });
  const { term, round, register, committed } = s;
  sendToOthers(
    s,
    { type: 'heartbeat', term, round, age: ageOf(register), committed: committed.version },
    out,
  );
  renewLease(s, times, out);
}

export function onHeartbeat(s: State, from: MemberId, m: Ask<'heartbeat'>, times: Times, out: Out): void {
  if (m.term < s.term) return tellTerm(s, from, out);
  if (m.term > s.term) adoptTerm(s, m.term, times, out);
  // What comes late renews no promise, or consent to an earlier round would end one that a newer round rests on.
  if (s.role !== 'leader' && !isPromisedLater(s, from, m)) {
    becomeFollower(s, from, times, out);
    promiseTo(s, { to: from, term: m.term, round: m.round }, times, out);
    waitForElection(s, times, out);
    if (m.committed === m.age.version && sameAge(m.age, s.register)) commitAccepted(s, out);
  }
  const { term, register, priority } = s;
  const answer: Message = { type: 'heartbeat/answer', term, round: m.round, age: ageOf(register), priority };
  out.push({ type: 'send', to: from, message: answer });
}

export function onHeartbeatAnswer(
  s: State,
  from: MemberId,
  m: Ask<'heartbeat/answer'>,
  times: Times,
  out: Out,
): void {
  if (!isMember(s, from) || s.role !== 'leader' || m.term !== s.term) return;
  const peer = peerOf(s, from);
  if (m.round <= peer.round) return; // It comes late, or again, and has no news.
  peer.streak = m.priority > s.priority && m.round === peer.round + 1 ? peer.streak + 1 : 0;
  peer.round = m.round;
  peer.priority = m.priority;
  onPeerAge(s, from, m.age, times, out);
  renewLease(s, times, out);
}

/** The newest round that a majority answered carries the lease, if its timer still runs. */
function renewLease(s: State, times: Times, out: Out): void {
  const { members } = s.register;
  const rounds = members
    .map((id) => (id === s.id ? s.round : (s.peers[id]?.round ?? 0)))
    .sort((a, b) => b - a);
  const round = rounds[majority(members.length) - 1]!;
  if (round <= (s.leaseRound ?? 0) || !s.openRounds.includes(round)) return;
  for (const older of s.openRounds)
    if (older < round) out.push({ type: 'cancel-timer', timer: leaseTimer(older) });
  s.openRounds = s.openRounds.filter((each) => each >= round);
  s.leaseRound = round;
  report(s, out);
  out.push({ type: 'set-timer', timer: 'quorum', delayMs: times.timeoutMs[1] });
}

/** The lease has run out. It may not act, but goes on asking: a majority that answers again renews it. */
export function onLeaseEnds(s: State, round: number, out: Out): void {
  s.openRounds = s.openRounds.filter((each) => each !== round);
  if (s.leaseRound !== round) return;
  s.leaseRound = null;
  report(s, out);
}

/** No majority has answered for a whole time-out: it leads nobody. */
export function onQuorumLost(s: State, times: Times, out: Out): void {
  if (s.role === 'leader') becomeFollower(s, null, times, out);
}

/** Answered one of the latest rounds: good enough to hand over to. */
export function isHealthy(s: State, id: MemberId): boolean {
  const peer = s.peers[id];
  return peer !== undefined && peer.round > 0 && peer.round >= s.round - 2;
}
