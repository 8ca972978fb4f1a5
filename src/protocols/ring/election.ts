/** The election: a list of the living goes round, then the leader that was picked from it. */
import { preferredId } from '../../core/index.ts';
import { handOn } from '../pass-on.ts';
import { dropDuty, startDuty, waitForDuty } from './duty.ts';
import type { Announcement, Election } from './messages.ts';
import { follow, following, type Turn } from './state.ts';

/** "It will send an election message to the next live instance in the ring, containing its own ID." */
export function startElection(turn: Turn): void {
  const { s } = turn;
  dropDuty(turn);
  handOn(turn, { type: 'election', ids: [s.id], round: s.round + 1 });
}

/**
 * "If the local ID is contained in the ID list, the instance will select the instance with the smallest ID to be the
 * new leader, and send the leader message. If not, it will add its local ID to the list and send the message to
 * the next instance in the ring."
 */
export function onElection(turn: Turn, { ids, round }: Election): void {
  const { s, rules } = turn;
  // It was decided already, or another was since: the outcome goes on in its place.
  if (round <= s.round) return handOn(turn, { type: 'leader', ...following(s) });
  dropDuty(turn);
  waitForDuty(turn);
  if (!ids.includes(s.id)) return handOn(turn, { type: 'election', ids: [...ids, s.id], round });
  const candidates = ids.filter((id) => s.ring.includes(id));
  handOn(turn, { type: 'leader', leader: preferredId(candidates, rules.prefer), round });
}

/**
 * "The instance will set the leader ID to be the new one and send the message to the next instance until all live
 * instances in the ring are informed." Where it is known, it has been all round.
 */
export function onLeader(turn: Turn, { leader, round }: Announcement): void {
  const { s } = turn;
  if (follow(turn, { leader, round })) {
    dropDuty(turn);
    waitForDuty(turn);
    handOn(turn, { type: 'leader', leader, round });
  } else if (leader === s.leader && round === s.round) {
    startDuty(turn);
  }
}
