import { compareIds, type MemberId } from '../../core/index.ts';
import { isSucceeded, nameDeputy, standBy, successionOf } from './deputy.ts';
import type { Ask, Message } from './messages.ts';
import { commitAccepted, completeRegister, confirm, onPeerAge } from './register.ts';
import { adoptTerm, becomeFollower, settleTransfer, tellTerm, waitForElection } from './roles.ts';
import { hasMajorityOfSeats, isSeated, roundOfNames, roundOfSeats, seatOf } from './seats.ts';
import type { Times } from './settings.ts';
import {
  ageOf,
  isBoundToOther,
  isMember,
  isOlder,
  isPromisedLater,
  isRivalOf,
  leaseTimer,
  NEVER,
  type Out,
  origin,
  others,
  type Peer,
  promiseTo,
  report,
  type State,
  sameAge,
  send,
  sendToAll,
  VOTES,
} from './state.ts';
import { isHeirOther, isUnconfirmed } from './succession.ts';
import { longEnough, nextAskMs } from './timing.ts';

/**
 * Its voters have promised, since it asked them, to help no other candidate: if they are a majority of the seats it
 * may act at once, on the lease of that round. If only their names made it the leader, it may act once the seats are
 * filled and answer.
 */
export function becomeLeader(s: State, times: Times, out: Out): void {
  s.role = 'leader';
  s.leader = s.id;
  for (const id of others(s)) {
    const disk = s.votes[id];
    if (disk !== undefined) peerOf(s, id, disk).round = VOTES;
  }
  const isLeased = s.openRounds.includes(VOTES) && hasMajorityOfSeats(s.register, s.votes);
  s.leaseRound = isLeased ? VOTES : null;
  s.leaseAge = isLeased ? ageOf(s.register) : null;
  s.votes = {};
  s.consent = null;
  s.deputy = null; // It knew the one of the leader before.
  startLeading(s, times, out);
}

export function startLeading(s: State, times: Times, out: Out): void {
  report(s, out);
  settleTransfer(s, out); // Of an earlier leadership: this one would send no heartbeats before it ended.
  out.push({ type: 'cancel-timer', timer: 'election' });
  out.push({ type: 'set-timer', timer: 'quorum', delayMs: times.timeoutMs[1] });
  completeRegister(s, times, out);
  sendHeartbeats(s, times, out);
}

/** What the leader knows of a disk that answers under this name, whether it has the seat or not. */
export function peerOf(s: State, id: MemberId, disk: string): Peer {
  const all = isSeated(s.register, id, disk) ? s.peers : s.newcomers;
  const found = all[id];
  if (found?.disk === disk) return found;
  const made: Peer = { disk, round: 0, streak: 0, age: NEVER, priority: 0, deputies: false };
  all[id] = made;
  return made;
}

/** Each heartbeat is a round; the lease that its answers give is measured from this moment. */
export function sendHeartbeats(s: State, times: Times, out: Out): void {
  if (s.role !== 'leader' || s.transfer !== null) return;
  s.round += 1;
  s.openRounds = [...s.openRounds, s.round];
  const promiseMs = nextAskMs(s, times, out);
  out.push({ type: 'set-timer', timer: leaseTimer(s.round), delayMs: times.leaseMs });
  out.push({ type: 'set-timer', timer: 'heartbeat', delayMs: times.heartbeatMs });
  nameDeputy(s, times, out);
  const { term, round, register } = s;
  const [age, committed] = [ageOf(register), ageOf(s.committed)];
  const heartbeat: Ask<'heartbeat'> = {
    type: 'heartbeat',
    term,
    round,
    age,
    committed,
    promiseMs,
    by: origin(s),
  };
  const isPlain = s.deputy === null && s.succeeds === null;
  sendToAll(heard(s), isPlain ? heartbeat : { ...heartbeat, ...successionOf(s) }, out);
  renewLease(s, times, out);
}

/** All members, and one that is to be added: its answer names the disk that gets the seat. */
function heard(s: State): MemberId[] {
  const ids = others(s);
  const joiner = s.change?.kind === 'add' ? s.change.member : null;
  return joiner === null || joiner === s.id || isMember(s, joiner) ? ids : [...ids, joiner].sort(compareIds);
}

/** The same for one member: every answer is checked, so no list is created for it. */
function heardFrom(s: State, id: MemberId): boolean {
  return id !== s.id && (isMember(s, id) || (s.change?.kind === 'add' && s.change.member === id));
}

/**
 * Heartbeats are rounds at equal intervals, the first of them right after the votes. A member that missed the first
 * may still report that it saw the election.
 */
export function ledMs(message: Message, { heartbeatMs, unaskedMs }: Times): number | null | undefined {
  if (message.type === 'pre-vote/answer') return message.leader === null ? undefined : null;
  if (message.type !== 'heartbeat') return undefined;
  const rounds = message.round - VOTES - 1;
  if (rounds < 2) return 0;
  // After a change of the timing, its earlier rounds had other intervals.
  return (message.promiseMs ?? unaskedMs) === unaskedMs ? rounds * heartbeatMs : null;
}

/**
 * Has the leader consented to a successor since it sent this? A heartbeat that its consent has overtaken must not end
 * the candidacy.
 */
function isReleased({ consent }: State, { term, round }: Ask<'heartbeat'>): boolean {
  return consent !== null && consent.term === term && round <= consent.round;
}

export function onHeartbeat(s: State, from: MemberId, m: Ask<'heartbeat'>, times: Times, out: Out): void {
  if (m.term < s.term) return tellTerm(s, from, out);
  if (isRivalOf(s, m.term)) return;
  // A leader of a later term does not need the support of a member that is still bound to an earlier one. A lying
  // sender does.
  if (s.role !== 'leader' && isBoundToOther(s, from, m.by.life) && !isSucceeded(s, m)) return;
  if (s.role !== 'leader' && m.term > s.term && isHeirOther(s, from, m.by.life)) return;
  if (isReleased(s, m)) return;
  if (m.term > s.term) adoptTerm(s, m.term, times, out);
  // A late heartbeat renews no promise; otherwise consent to an earlier round would end a promise that a newer round
  // depends on.
  if (!isPromisedLater(s, from, m)) {
    becomeFollower(s, from, times, out);
    const ms = longEnough(s, m.promiseMs ?? times.unaskedMs, out);
    promiseTo(s, { to: from, life: m.by.life, term: m.term, round: m.round, ms }, out);
    waitForElection(s, times, out);
    if (sameAge(m.committed, s.register)) commitAccepted(s, out);
    answerHeartbeat(s, from, m, out);
    // A leader that was a deputy may lack what was accepted since it was promised support: no member votes for it now.
    if (m.after !== undefined && isOlder(m.age, s.register))
      send(from, { type: 'publish/copy', register: s.register, by: origin(s) }, out);
    standBy(s, from, m, times, out);
  } else answerHeartbeat(s, from, m, out);
}

function answerHeartbeat(s: State, from: MemberId, m: Ask<'heartbeat'>, out: Out): void {
  const { term, register, priority } = s;
  const answer: Ask<'heartbeat/answer'> = {
    type: 'heartbeat/answer',
    to: m.by.life,
    term,
    round: m.round,
    age: ageOf(register),
    priority,
    by: origin(s),
  };
  send(from, s.deputies ? { ...answer, deputies: true } : answer, out);
}

export function onHeartbeatAnswer(
  s: State,
  from: MemberId,
  m: Ask<'heartbeat/answer'>,
  times: Times,
  out: Out,
): void {
  if (m.to !== s.life || s.role !== 'leader' || m.term !== s.term || !heardFrom(s, from)) return;
  const peer = peerOf(s, from, m.by.disk);
  if (m.round <= peer.round || m.round > s.round) return; // Late or duplicate.
  peer.streak = m.priority > s.priority && m.round === peer.round + 1 ? peer.streak + 1 : 0;
  peer.round = m.round;
  peer.priority = m.priority;
  peer.deputies = m.deputies === true;
  onPeerAge(s, from, m.by.disk, m.age, times, out);
  renewLease(s, times, out);
  if (isUnconfirmed(s)) confirm(s, times, out);
}

/**
 * The newest round that a majority of the seats answered carries the lease, if its timer still runs. If names decide,
 * the round that enough of them answered carries none, but lets the leader continue while it fills the seats.
 */
export function renewLease(s: State, times: Times, out: Out): void {
  const round = roundOfSeats(s.register, ({ id, disk }) =>
    id !== s.id ? (s.peers[id]?.round ?? 0) : disk === s.disk ? s.round : 0,
  );
  if (round > (s.leaseRound ?? 0) && s.openRounds.includes(round) && isFounded(s)) {
    for (const older of s.openRounds)
      if (older < round) out.push({ type: 'cancel-timer', timer: leaseTimer(older) });
    s.openRounds = s.openRounds.filter((each) => each >= round);
    s.leaseRound = round;
    s.quorumRound = 0;
    s.leaseAge = ageOf(s.register);
    report(s, out);
    out.push({ type: 'set-timer', timer: 'quorum', delayMs: times.timeoutMs[1] });
    return;
  }
  if (s.leaseAge !== null) return;
  const named = roundOfNames(s.register, ({ id }) =>
    id === s.id ? s.round : Math.max(s.peers[id]?.round ?? 0, s.newcomers[id]?.round ?? 0),
  );
  if (named <= s.quorumRound) return;
  s.quorumRound = named;
  out.push({ type: 'set-timer', timer: 'quorum', delayMs: times.timeoutMs[1] });
}

/**
 * A majority holds the first seats. A leader that acted before that, and died, would leave members behind that know
 * of no seats: they could elect none without it.
 */
function isFounded({ committed }: State): boolean {
  return committed.members.some(({ disk }) => disk !== null);
}

/** The lease has expired. The leader may not act, but keeps asking: a majority that answers again renews it. */
export function onLeaseEnds(s: State, round: number, out: Out): void {
  if (s.standby !== null) s.standby.open = s.standby.open.filter((each) => each !== -round);
  s.openRounds = s.openRounds.filter((each) => each !== round);
  if (s.leaseRound !== round) return;
  s.leaseRound = null;
  report(s, out);
}

/** No majority has answered for a full timeout: it stops leading. */
export function onQuorumLost(s: State, times: Times, out: Out): void {
  if (s.role === 'leader') becomeFollower(s, null, times, out);
}

/** The disk that has its seat answered one of the latest rounds: it can be counted on, also as a successor. */
export function isHealthy(s: State, id: MemberId): boolean {
  if (id === s.id) return seatOf(s.register, id)?.disk === s.disk;
  const round = s.peers[id]?.round ?? 0;
  return round > 0 && round >= s.round - 2;
}
