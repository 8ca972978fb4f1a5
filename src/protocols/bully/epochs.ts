/**
 * The cures for split brain: "to become leader takes the confirmation of more than half of the nodes" (seed 003).
 * Each winner asks in a new epoch, and each member stands behind one winner per epoch at most. It saves that
 * before it says so, so that no two winners of one epoch can both find a majority, not even across restarts.
 */
import { addId, type Json, type MemberId, outranks } from '../../core/index.ts';
import { ask, isAsking, land } from './flights.ts';
import type { Message } from './messages.ts';
import { apply } from './publishing.ts';
import {
  becomeCandidate,
  becomeFollower,
  becomeLeader,
  isMajority,
  sendLeadership,
  waitForLeader,
} from './roles.ts';
import { report, save, send, type Turn } from './state.ts';

/** The first thing done with every message. False if it is of the past and needs no more. */
export function checkEpoch(turn: Turn, from: MemberId, message: Message): boolean {
  const { s } = turn;
  if (message.epoch === s.epoch) return true;
  if (message.epoch > s.epoch) {
    adoptEpoch(turn, message.epoch, message.type === 'coordinator' ? from : null);
    return true;
  }
  if (QUESTIONS.includes(message.type)) {
    // A stale winner or leader learns what it missed; from a leader, it learns at once whom to join.
    if (s.role === 'leader') sendLeadership(turn, from);
    else send(turn, from, { type: 'newer-epoch', epoch: s.epoch });
  }
  return false;
}

const QUESTIONS: readonly Message['type'][] = [
  'heartbeat',
  'leader-gone',
  'election',
  'coordinator',
  'publish/send',
  'publish/commit',
  'publish/state',
];

/** A leadership ends with its epoch. That it ended is told in the old epoch: stopping waits for no disk. */
function adoptEpoch(turn: Turn, epoch: number, acknowledged: MemberId | null): void {
  const { s, rules } = turn;
  becomeCandidate(turn);
  s.epoch = epoch;
  s.acknowledged = acknowledged;
  s.acks = [];
  save(turn);
  report(turn);
  waitForLeader(turn, rules.retryMs);
}

/** Nobody that outranks this member has answered: it asks everybody to stand behind it. */
export function startProposal(turn: Turn): void {
  const { s } = turn;
  s.epoch += 1;
  s.acknowledged = s.id;
  s.phase = 'proposing';
  s.acks = [s.id];
  save(turn);
  report(turn);
  for (const to of s.others) ask(turn, to, { type: 'coordinator', epoch: s.epoch });
  leadWithMajority(turn);
}

/** At most one acknowledgement per epoch; the same one again if it was lost on the way. */
export function onProposal(turn: Turn, from: MemberId): void {
  const { s, rules } = turn;
  if (s.acknowledged !== null && s.acknowledged !== from) return;
  if (s.acknowledged === null) {
    s.acknowledged = from;
    save(turn);
  }
  const { epoch, version, value } = s;
  send(turn, from, { type: 'coordinator/ack', epoch, version, value });
  if (s.role !== 'candidate') return;
  becomeCandidate(turn); // Its own attempt, if it had begun one, makes way.
  waitForLeader(turn, rules.retryMs);
}

/** Among any majority is somebody who has applied whatever was published for certain: the leader carries it on. */
export function onAcknowledged(turn: Turn, from: MemberId, version: number, value: Json): void {
  const { s } = turn;
  apply(turn, version, value);
  land(turn, from, 'coordinator');
  if (s.acks.length === 0) return;
  addId(s.acks, from);
  leadWithMajority(turn);
}

/** An acknowledgement that comes late, from a slow disk perhaps, still counts for as long as its epoch lasts. */
export function leadWithMajority(turn: Turn): void {
  const { s, rules } = turn;
  if (isMajority(turn, s.acks)) return becomeLeader(turn);
  if (s.phase !== 'proposing' || isAsking(s, 'coordinator')) return;
  becomeCandidate(turn);
  s.aside = true; // Somebody of lower rank may be better connected.
  waitForLeader(turn, rules.retryMs);
}

/**
 * "If the leader, when it pings other nodes, finds another leader, it compares the version; if its own is smaller,
 * it demotes itself and joins the other." Epochs come first, and the older one has been left by now. Two leaders
 * of one epoch exist only where a disk was lost.
 */
export function onOtherLeader(turn: Turn, from: MemberId, version: number): void {
  const { s, rules } = turn;
  if (s.role === 'leader') {
    const older = s.version < version || (s.version === version && outranks(from, s.id, rules.prefer));
    if (!older) return sendLeadership(turn, from);
  }
  becomeFollower(turn, from);
}

/** "If the leader finds that it can connect to fewer than n/2 + 1 nodes, it demotes itself to candidate." */
export function demote(turn: Turn): void {
  becomeCandidate(turn);
  waitForLeader(turn, turn.rules.retryMs);
}
