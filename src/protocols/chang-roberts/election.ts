/** The election: ids go round, the largest comes back to its member, and its announcement goes round. */
import { compareIds, type MemberId } from '../../core/index.ts';
import { handOn } from '../pass-on.ts';
import type { Body } from './messages.ts';
import { becomeFollower, becomeLeader, becomeParticipant } from './roles.ts';
import type { Turn } from './state.ts';

/**
 * "At the start of an election, the process p marks itself as participating, and sends a message in the direction of
 * the ring, indicating that it is the leader."
 */
export function startElection(turn: Turn): void {
  const { id, abstaining } = turn.s;
  becomeParticipant(turn);
  sendElection(turn, abstaining ? null : id);
}

function sendElection(turn: Turn, candidate: MemberId | null): void {
  send(turn, { type: 'election', candidate }, candidate);
}

/** No further than to the member whose id it bears: if that one is dead, nobody else would take it out of the ring. */
function send(turn: Turn, body: Body, owner: MemberId | null): void {
  if (owner === null) handOn(turn, body);
  else handOn(turn, body, `${body.type} ${owner}`, owner);
}

export function onElection(turn: Turn, candidate: MemberId | null): void {
  const { s } = turn;
  if (candidate !== null && !s.ring.includes(candidate)) return;
  if (s.abstaining) return onElectionAbstaining(turn, candidate);
  const order = candidate === null ? -1 : compareIds(candidate, s.id);
  // "If it is in the state 'not participating': it changes its state to participating; it compares the identifier of
  // the leader in the message with its own, replaces it if its own is larger, and forwards the message."
  if (!s.participating) {
    becomeParticipant(turn);
    return sendElection(turn, order < 0 ? s.id : candidate);
  }
  if (order < 0) return; // "If it is smaller than its own, it does not forward the message."
  if (order > 0) return sendElection(turn, candidate); // "If it is larger than its own, it forwards the message."
  becomeLeader(turn); // "If it is equal to its own, then it is the leader": "it sends a message 'leader elected'."
  send(turn, { type: 'elected', leader: s.id }, s.id);
}

/** Who stepped down lets the others pass. Its own id is from before that; null means that nobody else stands. */
function onElectionAbstaining(turn: Turn, candidate: MemberId | null): void {
  const { s } = turn;
  if (candidate === s.id) return;
  if (candidate !== null) return sendElection(turn, candidate);
  s.abstaining = false;
  startElection(turn);
}

/**
 * "When a process receives a message 'leader elected', it changes its state to 'not participating', and records the
 * new leader. If the identifier is not its own, it forwards the message."
 */
export function onElected(turn: Turn, leader: MemberId): void {
  const { s } = turn;
  if (leader === s.id || !s.ring.includes(leader)) return;
  becomeFollower(turn, leader);
  send(turn, { type: 'elected', leader }, leader);
}

/** As good as 'leader elected', from the leader itself. Of two leaders, the larger id stays. */
export function onHeartbeat(turn: Turn, from: MemberId): void {
  const { s } = turn;
  if (from === s.id || !s.ring.includes(from)) return;
  if (s.leader !== null && compareIds(from, s.leader) < 0) return;
  becomeFollower(turn, from);
}
