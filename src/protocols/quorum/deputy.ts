/**
 * Deputies: the successor of a leader is elected before it is needed.
 *
 * The leader of term t names a deputy and a later term for it, `next`. The deputy asks the leader, and as many other members
 * as a majority needs, for two things at once: a vote in `next`, which is saved, and a promise to help no candidate other
 * than this deputy for `promiseMs`. They go on supporting the leader in t. The deputy asks anew with every heartbeat, and
 * counts the lease of each round from when it asked, as a leader does. It leads in `next`, without asking again, when
 *   (a) the leader has handed over to it, or its process is proven dead, and
 *   (b) the lease of a round still runs that the leader and, with it and the deputy, a majority of the seats answered.
 *
 * Why no other may act then. Let X win another term later than t: a majority voted for it, so at least one member G both
 * voted for X and answered the round on which the deputy acts. If G had voted for X first, it would be in a later term than t
 * and would not have answered. So it voted for X when its promise to the deputy had ended, which is after the lease of that
 * round. And X cannot win `next` itself: G's vote in it is on its disk. The leader of t is dead, or has stopped acting.
 *
 * Why the leader must have answered: it knows until when its deputy may act, and for so long it changes no members (after
 * two changes, majorities need not meet) and commits no register that the deputy lacks. With three members, the leader and the deputy are a majority, so no other member is asked.
 *
 * What is committed rests on none of this, since clocks may be wrong: a deputy that leads publishes only after a majority has
 * answered in its own term (`confirm` in register.ts).
 *
 * Why a register that changes the members names the terms of deputies: X cannot win `next` if a member G votes in both, and after
 * two changes there may be none. The leader waits before it changes the members, so by then no deputy may act; but S1 does not
 * rest on clocks. Example: the machine of the deputy 2 of 1 sleeps. 1 adds 4 and 5, and dies; 3, 4 and 5 elect 3. 2 wakes, hears that 1 is
 * dead, and leads in a term that 3 must not have, or a fenced store could not tell the two apart.
 *
 * Why another deputy gets another term: a vote in a term is given once. A deputy that starts again is another one.
 * Why a round is used only once in a process: an answer that is late would else count for a later request.
 *
 * Example: 1 leads term 4, 2 is its deputy for term 5. 1 is killed; the kernel tells 2. 2 saves term 5 and acts. 3 may not
 * know that 1 is dead, and has promised 1 to help no other candidate; 2's first heartbeats say that the process of 1 is
 * dead, as a request for votes after a resignation says that the leader consents.
 */
import { compareIds, type MemberId } from '../../core/index.ts';
import { grantWhatWasAsked } from './election.ts';
import { sendTransfer } from './handover.ts';
import { isHealthy, startLeading } from './leading.ts';
import { isToChange } from './membership.ts';
import type { After, Ask, Deputy, Release } from './messages.ts';
import { commitWithQuorum } from './register.ts';
import { dropStandby, enterTerm, mayLead } from './roles.ts';
import { isSeated, roundOfSeats } from './seats.ts';
import type { Times } from './settings.ts';
import {
  ageOf,
  breakPromise,
  isMember,
  isOlder,
  leaseTimer,
  type Out,
  origin,
  others,
  type State,
  sameAge,
  save,
  send,
  sendToAll,
  VOTES,
} from './state.ts';
import { isHeirOther, type Standby } from './succession.ts';
import { longEnough, nextAskMs } from './timing.ts';

/** With two members, a deputy could act but never renew its lease. */
const FEWEST_MEMBERS = 3;

/** The leader keeps its deputy as long as that one answers; else it names another, for a later term. */
export function nameDeputy(s: State, times: Times, out: Out): void {
  if (!s.deputies) return;
  const id = mayName(s, times) ? bestDeputy(s) : undefined;
  if (id === undefined) {
    if (s.deputy !== null) recallDeputy(s, out);
    return;
  }
  const isSame = s.deputy?.id === id;
  if (!isSame && !sameAge(s.register, s.committed)) return;
  if (!isSame) s.named = Math.max(s.named, s.term, s.advance?.term ?? 0, s.register.taken ?? 0) + 1;
  s.deputy = { id, term: s.named, voters: askedBesides(s, id) };
}

function mayName(s: State, times: Times): boolean {
  if (s.register.members.length < FEWEST_MEMBERS || s.leaseRound === null) return false;
  return isHealthy(s, s.id) && !isToChange(s, times);
}

/** The one with the highest priority; of these the present one, or else the first after the leader. */
function bestDeputy(s: State): MemberId | undefined {
  const ids = others(s);
  const after = ids.findIndex((id) => compareIds(id, s.id) > 0);
  const inTurn = after < 0 ? ids : [...ids.slice(after), ...ids.slice(0, after)];
  let best: MemberId | undefined;
  for (const id of inTurn) {
    if (!isAble(s, id)) continue;
    const gain = best === undefined ? 1 : s.peers[id]!.priority - s.peers[best]!.priority;
    if (gain > 0 || (gain === 0 && id === s.deputy?.id)) best = id;
  }
  return best;
}

function isAble(s: State, id: MemberId): boolean {
  const peer = s.peers[id];
  return peer?.deputies === true && peer.priority > 0 && isHealthy(s, id);
}

/** The leader and its deputy are a majority of three. */
function askedBesides(s: State, deputy: MemberId): readonly MemberId[] {
  if (s.register.members.length === FEWEST_MEMBERS) return [];
  return others(s).filter((id) => id !== deputy && s.peers[id]?.deputies === true && isHealthy(s, id));
}

/** What a heartbeat says of the successor, and of the leader before. */
export function successionOf({ deputy, succeeds, round }: State): {
  readonly deputy?: Deputy;
  readonly after?: After;
} {
  const isNew = succeeds !== null && (round <= succeeds.until || !succeeds.isConfirmed);
  return {
    ...(deputy === null ? {} : { deputy }),
    ...(isNew ? { after: { life: succeeds.life, release: succeeds.release } } : {}),
  };
}

/** The leader needs its deputy to be none, for example before the members change. */
export function recallDeputy(s: State, out: Out): void {
  const { deputy, heir } = s;
  s.deputy = null;
  if (deputy === null && s.transfer === null && s.role === 'leader') return; // It was told already.
  // A deputy that started again, and took over since, may still be bound to its own earlier process: that one ends by itself.
  if (heir !== null && heir.to !== s.id)
    send(heir.to!, { type: 'deputy/end', term: s.term, next: heir.term, by: origin(s) }, out);
}

/** A follower that its leader has named asks for support with every heartbeat, if it has the newest register. */
export function standBy(s: State, from: MemberId, m: Ask<'heartbeat'>, times: Times, out: Out): void {
  s.deputy = m.deputy ?? null;
  if (!s.deputies || m.deputy === undefined || m.deputy.id !== s.id || !isEligible(s))
    return dropStandby(s, out);
  if (!sameAge(m.age, s.register)) return;
  const { term: next, voters } = m.deputy;
  const { life } = m.by;
  if (!isStandbyOf(s.standby, from, life, next)) {
    dropStandby(s, out);
    if (!voteInAdvance(s, s.id, s.life, next, out)) return sendEnded(s, [from], s.advance!.term, out);
    s.standby = { leader: from, life, term: s.term, next, round: 0, open: [], answered: {} };
  }
  const standby = s.standby!;
  s.standbyRound += 1;
  standby.round = s.standbyRound;
  standby.open = [...standby.open, standby.round];
  const promiseMs = nextAskMs(s, times, out);
  out.push({ type: 'set-timer', timer: leaseTimer(-standby.round), delayMs: times.leaseMs });
  const { term, round } = standby;
  const age = ageOf(s.register);
  const asked = [from, ...voters.filter((id) => id !== from && id !== s.id && isMember(s, id))];
  sendToAll(asked, { type: 'deputy/ask', term, of: life, next, round, age, promiseMs, by: origin(s) }, out);
}

function isEligible(s: State): boolean {
  return mayLead(s) && s.told === null && isSeated(s.register, s.id, s.disk);
}

function isStandbyOf(standby: Standby | null, leader: MemberId, life: string, next: number): boolean {
  return standby !== null && standby.leader === leader && standby.life === life && standby.next === next;
}

/** One vote per term, also in advance, and never again in a term up to that one. */
function voteInAdvance(s: State, id: MemberId, life: string, next: number, out: Out): boolean {
  const { advance } = s;
  if (advance === null || advance.term < next) {
    s.advance = { term: next, id, life };
    save(s, out);
    return true;
  }
  return advance.term === next && advance.id === id && advance.life === life;
}

/** The leader and the members that follow it vote in advance, and promise. */
export function onDeputyAsk(s: State, from: MemberId, m: Ask<'deputy/ask'>, out: Out): void {
  const { life } = m.by;
  if (!s.deputies || m.term !== s.term || !isMember(s, from) || isHeirOther(s, from, life)) return;
  if (s.role === 'leader' ? !isNamed(s, from, m) : !isFollowing(s, from, m)) return;
  if (s.heir !== null && s.heir.round >= m.round) return; // Late or duplicate.
  if (!voteInAdvance(s, from, life, m.next, out)) {
    if (s.role === 'leader') s.deputy = null; // It has started again: it is named anew, for a later term.
    return;
  }
  const ms = longEnough(s, m.promiseMs, out);
  s.heir = { to: from, life, term: m.next, round: m.round, ms };
  if (ms > s.promiseMs) {
    s.promiseMs = ms;
    save(s, out);
  }
  out.push({ type: 'set-timer', timer: 'heir', delayMs: ms });
  const { term, next, round } = m;
  send(from, { type: 'deputy/answer', to: life, term, next, round, by: origin(s) }, out);
}

function isNamed(s: State, from: MemberId, m: Ask<'deputy/ask'>): boolean {
  if (s.deputy === null || s.deputy.id !== from || s.deputy.term !== m.next) return false;
  if (m.of !== s.life || s.transfer !== null || s.change !== null) return false;
  return sameAge(s.register, s.committed) && sameAge(m.age, s.register);
}

/** Its leader has named that deputy: a member that names itself gets no promise. */
function isFollowing(s: State, from: MemberId, m: Ask<'deputy/ask'>): boolean {
  const { role, leader, promise, term, register, deputy } = s;
  if (role !== 'follower' || leader === null || promise === null) return false;
  if (deputy?.id !== from || deputy.term !== m.next) return false;
  return promise.to === leader && promise.life === m.of && promise.term === term && !isOlder(m.age, register);
}

export function onDeputyAnswer(s: State, from: MemberId, m: Ask<'deputy/answer'>): void {
  const { standby } = s;
  if (m.to !== s.life || standby === null || m.next !== standby.next || m.term !== standby.term) return;
  if (!isSeated(s.register, from, m.by.disk) || m.round > standby.round) return;
  if (m.round > (standby.answered[from] ?? 0)) standby.answered = { ...standby.answered, [from]: m.round };
}

/** The newest round on whose lease it may act; 0 if there is none. */
function roundToActOn(s: State, { leader, round, open, answered }: Standby): number {
  const ofMajority = roundOfSeats(s.register, ({ id, disk }) =>
    id !== s.id ? (answered[id] ?? 0) : disk === s.disk ? round : 0,
  );
  const newest = Math.min(ofMajority, answered[leader] ?? 0);
  return open.includes(newest) ? newest : 0;
}

/** May it lead at once, now that this process of its leader is dead, or has handed over to it? */
export function mayTakeOver(s: State, leader: MemberId, life: string): boolean {
  const { standby, role } = s;
  if (standby === null || standby.leader !== leader || standby.life !== life) return false;
  if (standby.term !== s.term || (role !== 'follower' && role !== 'pre-candidate')) return false;
  return isEligible(s) && roundToActOn(s, standby) > 0;
}

/**
 * The new term is saved before it acts in it. Then it leads as after any election, with rounds of its own; until one of them
 * is answered it acts on the lease of the round of the deputy, which is told apart by its sign.
 */
export function takeOver(s: State, release: Release | null, times: Times, out: Out): void {
  const standby = s.standby!;
  const { life, next } = standby;
  const round = roundToActOn(s, standby);
  for (const other of standby.open)
    if (other !== round) out.push({ type: 'cancel-timer', timer: leaseTimer(-other) });
  breakPromise(s, out);
  enterTerm(s, next);
  save(s, out);
  Object.assign(s, {
    role: 'leader',
    leader: s.id,
    hearsay: false,
    asked: null,
    probes: null,
    votes: {},
    consent: null,
    standby: null,
    deputy: null,
    yields: false,
    round: VOTES,
    openRounds: [-round],
    leaseRound: -round,
    leaseAge: ageOf(s.register),
    quorumRound: 0,
    succeeds: {
      life,
      release,
      until: VOTES + 1 + Math.ceil(times.promiseMs / times.heartbeatMs),
      isConfirmed: false,
    },
  } satisfies Partial<State>);
  startLeading(s, times, out);
}

/** Is the sender the deputy of the leader to which this member is bound, and is that promise void? */
export function isSucceeded({ promise }: State, { after }: Ask<'heartbeat'>): boolean {
  if (after === undefined || promise === null || promise.life !== after.life) return false;
  const { release } = after;
  return release === null || (release.term === promise.term && release.round >= promise.round);
}

/** No deputy can act any more on what this member promised: what waited for that goes on. */
export function onHeirEnds(s: State, out: Out): void {
  s.heir = null;
  out.push({ type: 'cancel-timer', timer: 'heir' });
  if (s.role !== 'leader') return grantWhatWasAsked(s, out);
  commitWithQuorum(s, out);
  sendTransfer(s, out);
}

/** The leader asks it to be no deputy: it gives up what it was promised, and says so to all that may have promised. */
export function onDeputyEnd(s: State, from: MemberId, m: Ask<'deputy/end'>, out: Out): void {
  if (s.role === 'leader' || s.leader !== from || m.term !== s.term) return;
  dropStandby(s, out);
  sendEnded(s, others(s), m.next, out);
}

function sendEnded(s: State, to: readonly MemberId[], next: number, out: Out): void {
  const { term, standbyRound: round } = s;
  sendToAll(to, { type: 'deputy/ended', term, next, round, by: origin(s) }, out);
}

export function onDeputyEnded(s: State, from: MemberId, m: Ask<'deputy/ended'>, out: Out): void {
  const { heir, deputy } = s;
  // It cannot vote for itself: it has started again, or has voted in a later term. It is named anew, for a term after that.
  if (s.role === 'leader' && m.term === s.term && deputy?.id === from && deputy.term <= m.next) {
    s.named = Math.max(s.named, m.next);
    s.deputy = null;
  }
  if (heir === null || heir.to !== from || heir.life !== m.by.life || heir.term !== m.next) return;
  if (heir.round <= m.round) onHeirEnds(s, out);
}
