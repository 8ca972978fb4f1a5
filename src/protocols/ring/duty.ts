/** The heartbeat duty: whoever has it looks after the leader, keeps it for an interval and passes it on. */
import { handOn, skipMs } from '../pass-on.ts';
import { following, type Turn } from './state.ts';

/**
 * Until when the duty should have come by. In a lap, each member answers and has it checked and kept, or is silent and
 * is skipped.
 */
export function waitForDuty({ s, out, rules }: Turn): void {
  const lapMs = s.ring.length * (rules.heartbeatMs + skipMs(rules) + rules.answerMs);
  const [least, most] = rules.timeoutMs;
  out.push({ type: 'set-timer', timer: 'timeout', delayMs: [lapMs + least, lapMs + most] });
}

/** "Leader is alive. Start next heartbeat in 5 second." */
export function keepDuty({ s, out, rules }: Turn): void {
  s.duty = { asked: null, missed: 0 };
  out.push({ type: 'cancel-timer', timer: 'answer' });
  out.push({ type: 'set-timer', timer: 'heartbeat', delayMs: rules.heartbeatMs });
}

/** "If it is alive, it will inform the next instance to do the heartbeat." */
export function passDuty(turn: Turn): void {
  if (turn.s.duty === null) return;
  dropDuty(turn);
  sendHeartbeatInvoke(turn);
}

/** "Leader update done. Start heartbeat.": as if the duty had come round and had been done here. */
export function startDuty(turn: Turn): void {
  dropDuty(turn);
  waitForDuty(turn);
  turn.s.step += turn.s.ring.length;
  sendHeartbeatInvoke(turn);
}

function sendHeartbeatInvoke(turn: Turn): void {
  handOn(turn, { type: 'heartbeat-invoke', ...following(turn.s), step: turn.s.step });
}

export function dropDuty({ s, out }: Turn): void {
  if (s.duty === null) return;
  s.duty = null;
  out.push({ type: 'cancel-timer', timer: 'answer' }, { type: 'cancel-timer', timer: 'heartbeat' });
}
