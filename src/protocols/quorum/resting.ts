/**
 * An election at rest: its leader and its followers agree on all there is, so that a heartbeat would do no more than
 * renew the promises and, with the answers, the lease. Then requests for support between the processes do the same for
 * all elections at once (src/support), and `wake` leaves the state in which heartbeats would have left it. So nothing
 * of what is promised changes: a run with elections at rest is a run in which the heartbeats of these elections leave,
 * arrive and are lost together.
 */
import type {
  Json,
  Rested,
  RestOffer,
  RestRequest,
  ResumedTimer,
  Same,
  SentRound,
} from '../../core/index.ts';
import { isHealthy } from './leading.ts';
import { freshNewcomer } from './membership.ts';
import type { Register } from './messages.ts';
import { waitForElection } from './roles.ts';
import { isSeated, newRegister, roundOfSeats } from './seats.ts';
import type { Times } from './settings.ts';
import { leaseTimer, type Out, others, report, type State, sameAge, type Timer } from './state.ts';

/** What a follower must have: the same term and register, and the priority that the leader knows it by. */
function markOf({ term, register }: State, priority: number): string {
  return `${term} ${register.term} ${register.version} ${priority}`;
}

export function offerToRest(s: State, times: Times): RestOffer | null {
  if (s.role !== 'leader' || s.leaseRound === null || s.transfer !== null || s.change !== null) return null;
  if (s.deputy !== null || s.heir !== null || s.succeeds !== null) return null;
  if (s.publishing !== null || s.sending || !sameAge(s.register, s.committed)) return null;
  // Until every longer lease has run out, it counts on less than it asks for (see timing.ts).
  if (s.countsMs !== times.promiseMs || s.asksMs !== times.promiseMs) return null;
  // No timer runs while it rests: as a voter later on, it would promise as long as before its start for ever.
  if (s.earlier?.isEnding === true) return null;
  if (!isHealthy(s, s.id)) return null; // It is to give itself a seat first.
  if (!others(s).every((id) => isSatisfied(s, id) && freshNewcomer(s, id) === null)) return null;
  const answering = others(s).filter((id) => isHealthy(s, id));
  // An answer that is still on its way would find the election at rest, and wake it: with a round trip longer than the
  // interval of the heartbeats, again and again, and without the lease of that round.
  if (s.leaseRound !== s.round || answering.some((id) => s.peers[id]!.round !== s.round)) return null;
  const { heartbeatMs, promiseMs, leaseMs } = times;
  return {
    times: { heartbeatMs, promiseMs, leaseMs },
    marks: Object.fromEntries(others(s).map((id) => [id, markOf(s, s.peers[id]?.priority ?? 0)])),
    voters: s.register.members.map(({ id }) => id),
    answering,
    kind: s.register.members.map(({ id, disk }) => `${id} ${disk}`).join(),
    round: s.round,
    leaseRound: s.leaseRound,
    leaseTimer: leaseTimer(s.leaseRound),
  };
}

/** A member that does not answer needs nothing now; one that is preferred to the leader is to take over. */
function isSatisfied(s: State, id: string | number): boolean {
  const peer = s.peers[id];
  if (peer === undefined || !isHealthy(s, id)) return true;
  return sameAge(peer.age, s.register) && peer.priority <= s.priority;
}

export function acceptsRest(s: State, { leader, life, mark, promiseMs, round }: RestRequest): boolean {
  const { promise } = s;
  if (s.role !== 'follower' || s.leader !== leader || s.hearsay || promise === null) return false;
  if (promise.to !== leader || promise.life !== life || promise.term !== s.term) return false;
  if (promise.ms !== promiseMs || promise.round >= round || mark !== markOf(s, s.priority)) return false;
  if (!sameAge(s.register, s.committed) || !isSeated(s.register, s.id, s.disk)) return false;
  // It has led with longer leases: the timer until which it would ask for longer promises does not run while it rests.
  if (s.asksMs !== s.countsMs) return false;
  if (s.earlier?.isEnding === true) return false; // The same: no timer runs while it rests.
  // A probe that is not answered never ends; an answer wakes the election.
  return s.asked === null && s.told === null && s.heir === null && s.deputy === null;
}

/** As for heartbeats: see `renewLease`. */
export function carriedRound(s: State, round: number, answeredBy: (id: string | number) => number): number {
  return roundOfSeats(s.register, ({ id, disk }) =>
    id !== s.id ? answeredBy(id) : disk === s.disk ? round : 0,
  );
}

export function wakeFromRest(
  s: State,
  rested: Rested,
  times: Times,
  out: Out,
): readonly ResumedTimer<Timer>[] {
  return rested.as === 'leader' ? wakeLeader(s, rested, times, out) : wakeFollower(s, rested.heard, times);
}

function wakeLeader(
  s: State,
  { round, open, lease, renewedAtMs, answered }: Extract<Rested, { as: 'leader' }>,
  times: Times,
  out: Out,
): readonly ResumedTimer<Timer>[] {
  s.round = round;
  for (const [id, newest] of Object.entries(answered)) {
    const peer = s.peers[id];
    if (peer !== undefined && newest > peer.round) peer.round = newest;
  }
  const running = open.filter((each) => lease === null || each.round > lease.round);
  const leases = lease === null ? running : [lease, ...running];
  s.openRounds = leases.map((each) => each.round);
  s.leaseRound = lease?.round ?? null;
  report(s, out);
  const { leaseMs, timeoutMs } = times;
  const timers: ResumedTimer<Timer>[] = leases.map((each) => ({
    timer: leaseTimer(each.round),
    delayMs: leaseMs,
    sinceMs: each.sentAtMs,
  }));
  timers.push({ timer: 'quorum', delayMs: timeoutMs[1], sinceMs: renewedAtMs });
  timers.push({ timer: 'heartbeat', delayMs: 0, sinceMs: null });
  return timers;
}

function wakeFollower(s: State, heard: SentRound, times: Times): readonly ResumedTimer<Timer>[] {
  const promise = s.promise!;
  s.promise = { ...promise, round: heard.round };
  const drawn: Out = [];
  waitForElection(s, times, drawn);
  const timers: ResumedTimer<Timer>[] = [{ timer: 'promise', delayMs: promise.ms, sinceMs: heard.sentAtMs }];
  for (const each of drawn)
    if (each.type === 'set-timer')
      timers.push({ timer: each.timer, delayMs: each.delayMs, sinceMs: heard.sentAtMs });
  return timers;
}

/** What is equal in most elections of a member: names, members, votes, and sets of voters, which are empty. */
export function shareParts(s: State, same: Same): void {
  const { register, committed } = s;
  s.register = shared(register, same);
  s.committed = committed === register ? s.register : shared(committed, same);
  s.life = same(s.life);
  s.disk = same(s.disk);
  s.votedFor = same(s.votedFor as unknown as Json) as unknown as State['votedFor'];
  if (s.promise?.life != null) s.promise = { ...s.promise, life: same(s.promise.life) };
  s.seen = same(s.seen as unknown as Json) as unknown as State['seen'];
  s.votes = same(s.votes);
  s.vouching = same(s.vouching);
}

/** A published value may be long, and is rarely that of another election. */
function shared(register: Register, same: Same): Register {
  if (register.value === null) return same(register as unknown as Json) as unknown as Register;
  const members = same(register.members as unknown as Json) as unknown as Register['members'];
  const founding = same(register.founding as unknown as Json) as unknown as Register['founding'];
  return newRegister({ ...register, members, founding });
}
