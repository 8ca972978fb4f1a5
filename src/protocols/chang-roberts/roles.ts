/** The three roles, and how long each waits. */
import type { MemberId } from '../../core/index.ts';
import { skipMs } from '../pass-on.ts';
import { report, type Turn } from './state.ts';

/** It marks itself as participating; whatever leader it had is undefined now. */
export function becomeParticipant(turn: Turn): void {
  const { s, out, rules } = turn;
  s.participating = true;
  s.leader = null;
  report(turn);
  // An id and then its announcement go round, past any number of silent members.
  const resultMs = 2 * s.ring.length * skipMs(rules);
  const [least, most] = rules.timeoutMs;
  out.push({ type: 'cancel-timer', timer: 'heartbeat' });
  out.push({ type: 'set-timer', timer: 'timeout', delayMs: [resultMs + least, resultMs + most] });
}

/** "It changes its state to 'not participating', and records the new leader." */
export function becomeFollower(turn: Turn, leader: MemberId): void {
  const { s, out, rules } = turn;
  const news = s.participating || s.leader !== leader;
  s.participating = false;
  s.abstaining = false;
  s.leader = leader;
  if (news) report(turn);
  out.push({ type: 'cancel-timer', timer: 'heartbeat' });
  out.push({ type: 'set-timer', timer: 'timeout', delayMs: rules.timeoutMs });
}

/** "When a process recognises that it is the leader, it changes its state to 'not participating'." */
export function becomeLeader(turn: Turn): void {
  const { s, out, rules } = turn;
  s.participating = false;
  s.leader = s.id;
  report(turn);
  out.push({ type: 'cancel-timer', timer: 'timeout' });
  out.push({ type: 'set-timer', timer: 'heartbeat', delayMs: rules.heartbeatMs });
}

/** The seed lets a leader be "down" without saying how that shows: here, by silence. */
export function sendHeartbeats({ s, out, rules }: Turn): void {
  if (s.leader !== s.id) return;
  for (const to of s.ring) if (to !== s.id) out.push({ type: 'send', to, message: { type: 'heartbeat' } });
  out.push({ type: 'set-timer', timer: 'heartbeat', delayMs: rules.heartbeatMs });
}
