/**
 * The cures for split brain: "to become leader takes the confirmation of more than half of the nodes" (seed 003).
 * Each winner asks in a new epoch, and each member acknowledges at most one winner per epoch. It saves that before it
 * answers, so that no two winners of one epoch can both find a majority, not even across restarts.
 */
import { addId, type MemberId, outranks } from '../../core/index.ts';
import { ask, isAsking, land } from './flights.ts';
import type { Message, MessageOf } from './messages.ts';
import { apply } from './publishing.ts';
import {
  becomeCandidate,
  becomeFollower,
  becomeLeader,
  isMajority,
  sendLeadership,
  waitForLeader,
} from './roles.ts';
import type { Rules } from './settings.ts';
import { type Out, report, type State, save, send } from './state.ts';

/** The first check of every message. False if it is outdated and needs nothing more. */
export function checkEpoch(s: State, from: MemberId, m: Message, rules: Rules, out: Out): boolean {
  if (m.epoch === s.epoch) return true;
  if (m.epoch > s.epoch) {
    adoptEpoch(s, m.epoch, m.type === 'coordinator' ? from : null, rules, out);
    return true;
  }
  if (QUESTIONS.includes(m.type)) {
    // A stale winner or leader learns what it missed; from a leader, it learns at once which leader to follow.
    if (s.role === 'leader') sendLeadership(s, from, rules, out);
    else send(from, { type: 'newer-epoch', epoch: s.epoch }, out);
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

/** A leadership ends with its epoch. The end is reported in the old epoch: stopping waits for no disk. */
function adoptEpoch(s: State, epoch: number, acknowledged: MemberId | null, rules: Rules, out: Out): void {
  becomeCandidate(s, rules, out);
  s.epoch = epoch;
  s.acknowledged = acknowledged;
  s.acks = [];
  save(s, out);
  report(s, rules, out);
  waitForLeader(rules.retryMs, out);
}

/** No member that outranks this one has answered: it asks all members to acknowledge it. */
export function startProposal(s: State, rules: Rules, out: Out): void {
  s.epoch += 1;
  s.acknowledged = s.id;
  s.phase = 'proposing';
  s.acks = [s.id];
  save(s, out);
  report(s, rules, out);
  for (const to of s.others) ask(s, to, { type: 'coordinator', epoch: s.epoch }, rules, out);
  leadWithMajority(s, rules, out);
}

/** At most one acknowledgement per epoch; the same one again if it was lost. */
export function onProposal(s: State, from: MemberId, rules: Rules, out: Out): void {
  if (s.acknowledged !== null && s.acknowledged !== from) return;
  if (s.acknowledged === null) {
    s.acknowledged = from;
    save(s, out);
  }
  const { epoch, version, value } = s;
  send(from, { type: 'coordinator/ack', epoch, version, value }, out);
  if (s.role !== 'candidate') return;
  becomeCandidate(s, rules, out); // Its own attempt, if any, ends.
  waitForLeader(rules.retryMs, out);
}

/**
 * Any majority has a member that has applied every value that was certainly published: the leader continues from it.
 */
export function onCoordinatorAck(
  s: State,
  from: MemberId,
  m: MessageOf<'coordinator/ack'>,
  rules: Rules,
  out: Out,
): void {
  apply(s, m.version, m.value, rules, out);
  land(s, from, 'coordinator', rules, out);
  if (s.acks.length === 0) return;
  addId(s.acks, from);
  leadWithMajority(s, rules, out);
}

/** A late acknowledgement, perhaps from a slow disk, still counts for as long as its epoch lasts. */
export function leadWithMajority(s: State, rules: Rules, out: Out): void {
  if (isMajority(s, s.acks)) return becomeLeader(s, rules, out);
  if (s.phase !== 'proposing' || isAsking(s, 'coordinator')) return;
  becomeCandidate(s, rules, out);
  s.aside = true; // A member of lower rank may be better connected.
  waitForLeader(rules.retryMs, out);
}

/**
 * "If the leader, when it pings other nodes, finds another leader, it compares the version; if its own is smaller,
 * it demotes itself and joins the other." Epochs come first, and the older one has been left by now. Two leaders
 * of one epoch exist only where a disk was lost.
 */
export function onOtherLeader(s: State, from: MemberId, version: number, rules: Rules, out: Out): void {
  if (s.role === 'leader') {
    const older = s.version < version || (s.version === version && outranks(from, s.id, rules.prefer));
    if (!older) return sendLeadership(s, from, rules, out);
  }
  becomeFollower(s, from, rules, out);
}

/** "If the leader finds that it can connect to fewer than n/2 + 1 nodes, it demotes itself to candidate." */
export function demote(s: State, rules: Rules, out: Out): void {
  becomeCandidate(s, rules, out);
  waitForLeader(rules.retryMs, out);
}
