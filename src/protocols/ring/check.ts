/** The check of the leader, by whoever holds the duty. */
import type { MemberId } from '../../core/index.ts';
import { placesAhead } from '../pass-on.ts';
import { dropDuty, keepDuty, waitForDuty } from './duty.ts';
import { startElection } from './election.ts';
import type { Check, Invoke } from './messages.ts';
import { follow, following, type Turn } from './state.ts';

/** "After receiving the message, the instance will send a heartbeat to the leader to check its health." */
export function onHeartbeatInvoke(turn: Turn, from: MemberId, message: Invoke): void {
  const { s } = turn;
  follow(turn, message);
  const here = message.step + placesAhead(s.ring, from, s.id);
  if (here <= s.step) return; // A duty that came further has been here: this one ends.
  s.step = here;
  startCheck(turn);
}

/** A duty that was lost, or never was, begins here as if it had just come round. */
export function makeDuty(turn: Turn): void {
  turn.s.step += turn.s.ring.length;
  startCheck(turn);
}

function startCheck(turn: Turn): void {
  const { s } = turn;
  dropDuty(turn);
  waitForDuty(turn);
  if (s.leader === null) return startElection(turn);
  if (s.leader === s.id) return keepDuty(turn);
  s.duty = { asked: s.leader, missed: 0 };
  sendHeartbeat(turn, s.leader);
}

function sendHeartbeat({ s, out, rules }: Turn, to: MemberId): void {
  out.push({ type: 'send', to, message: { type: 'heartbeat', ...following(s), step: s.step } });
  out.push({ type: 'set-timer', timer: 'answer', delayMs: rules.answerMs });
}

/** Whoever is asked lives. If it was replaced, or has forgotten that it leads, one of the two learns of it now. */
export function onHeartbeat(turn: Turn, from: MemberId, message: Check): void {
  const { s, out } = turn;
  if (!s.ring.includes(from)) return;
  follow(turn, message);
  out.push({ type: 'send', to: from, message: { type: 'alive', ...following(s), step: message.step } });
}

export function onAlive(turn: Turn, from: MemberId, message: Check): void {
  const { s } = turn;
  if (!s.ring.includes(from)) return;
  follow(turn, message);
  if (s.duty?.asked === from && message.step === s.step) keepDuty(turn);
}

/** "If not, it will start the election process." */
export function onNoAnswer(turn: Turn): void {
  const { s, rules } = turn;
  const { duty } = s;
  if (duty === null || duty.asked === null) return;
  if (duty.asked !== s.leader) return startCheck(turn); // It was told of another leader: that one is asked.
  if (duty.missed >= rules.tolerance) return startElection(turn);
  duty.missed += 1;
  sendHeartbeat(turn, duty.asked);
}
