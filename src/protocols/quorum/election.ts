import type { MemberId } from '../../core/index.ts';
import { mayTakeOver, onHeirEnds, takeOver } from './deputy.ts';
import { becomeLeader } from './leading.ts';
import type { Ask, Release } from './messages.ts';
import {
  adoptTerm,
  becomeFollower,
  dropStandby,
  endLeases,
  enterTerm,
  givesWay,
  hurryToElection,
  isFirst,
  mayLead,
  tellTerm,
  waitForElection,
} from './roles.ts';
import { isQuorum, withSupporter } from './seats.ts';
import type { Times } from './settings.ts';
import {
  ageOf,
  breakPromise,
  isMember,
  isOlder,
  isPromisedAgainst,
  isPromisedLater,
  leaseTimer,
  type Out,
  origin,
  promiseTo,
  report,
  type State,
  save,
  send,
  sendToOthers,
  VOTES,
} from './state.ts';
import { nextAskMs } from './timing.ts';

/** The leader has been silent for a timeout. */
export function onElectionTimer(s: State, times: Times, out: Out): void {
  if (s.role === 'leader') return;
  s.yields = false;
  if (mayLead(s)) startPreVote(s, times, out);
  else forgetLeader(s, out);
  waitForElection(s, times, out);
}

/** A member that never leads does not ask either. Its program would see a leader that died for ever. */
function forgetLeader(s: State, out: Out): void {
  if (s.leader === null) return;
  s.leader = null;
  report(s, out);
}

/**
 * Asks whether it would win, without disturbing any member: no term changes. A member that is cut off, deaf or
 * removed never gets further than this.
 */
function startPreVote(s: State, times: Times, out: Out): void {
  if (s.hearsay) {
    s.hearsay = false; // What another member said holds until the next timeout.
  } else {
    endLeases(s, out);
    s.leader = null;
    s.consent = null;
    const news = s.role !== 'pre-candidate';
    s.role = 'pre-candidate';
    if (news) report(s, out);
  }
  s.votes = isPromisedAgainst(s, s.id, s.life, null) ? {} : { [s.id]: s.disk };
  sendToOthers(s, { type: 'pre-vote', term: s.term, age: ageOf(s.register), by: origin(s) }, out);
  startVoteWithQuorum(s, times, out);
}

export function onPreVote(
  s: State,
  from: MemberId,
  { by, term, age }: Ask<'pre-vote'>,
  times: Times,
  out: Out,
): void {
  // A leader votes for no other before it has stopped leading: its lease may lapse for a moment although a majority
  // hears it.
  const willing = s.role !== 'leader' && !isOlder(age, s.register);
  if (term < s.term) tellTerm(s, from, out);
  else if (willing && !isPromisedAgainst(s, from, by.life, null)) {
    grantPreVote(s, from, by.life, term, out);
    letPass(s, from, times, out);
  } else {
    if (willing) s.asked = { id: from, life: by.life };
    nameLeader(s, from, by.life, out);
  }
  // The member with the newest register may itself be unable to lead; then another can, once it has that register
  // too.
  if (isOlder(age, s.register))
    send(from, { type: 'publish/copy', register: s.register, by: origin(s) }, out);
}

/**
 * The other is about to be elected, so this member does not ask before the next timeout. Once in a term: the other may
 * reach too few members, and would keep this one from asking for ever.
 */
function letPass(s: State, other: MemberId, times: Times, out: Out): void {
  if (s.role === 'candidate' || s.leader !== null || s.passed === s.term) return;
  if (!givesWay(s, other, s.term)) return;
  s.passed = s.term;
  becomeFollower(s, null, times, out);
  waitForElection(s, times, out);
}

function grantPreVote(s: State, id: MemberId, to: string, term: number, out: Out): void {
  send(id, { type: 'pre-vote/answer', to, term, granted: true, leader: null, by: origin(s) }, out);
}

/** Only a leader that is heard directly is named; otherwise two members could keep a dead one alive between them. */
function nameLeader(s: State, id: MemberId, to: string, out: Out): void {
  const { term, role, leader, promise } = s;
  const isHeard = role === 'leader' || (promise !== null && promise.to === leader);
  if (isHeard && leader !== id)
    send(id, { type: 'pre-vote/answer', to, term, granted: false, leader, by: origin(s) }, out);
}

export function onPreVoteAnswer(
  s: State,
  from: MemberId,
  m: Ask<'pre-vote/answer'>,
  times: Times,
  out: Out,
): void {
  if (m.to !== s.life || !isMember(s, from) || m.term !== s.term) return;
  if (s.role === 'candidate' || s.role === 'leader') return;
  // A grant counts only for a member that asked, and only once no promise binds its own vote.
  if (m.granted && s.votes[s.id] !== undefined) {
    s.votes = withSupporter(s.register, s.votes, from, m.by.disk);
    return startVoteWithQuorum(s, times, out);
  }
  if (m.leader !== null && m.leader !== s.id && s.promise === null) followByHearsay(s, m.leader, out);
}

/** It cannot hear the leader itself, but a member that does names it. It keeps asking at every timeout. */
function followByHearsay(s: State, leader: MemberId, out: Out): void {
  const news = s.role !== 'follower' || s.leader !== leader;
  s.role = 'follower';
  s.leader = leader;
  s.hearsay = true;
  if (news) report(s, out);
}

function startVoteWithQuorum(s: State, times: Times, out: Out): void {
  if (isQuorum(s.register, s.votes)) startVote(s, null, times, out);
}

/**
 * Asks for votes in a term for which it has not asked before: a vote counts only for the request that it answers,
 * since the lease is measured from that request. A member that votes promises, later than this moment, to help no
 * other candidate.
 *
 * Its own term does not change until it has won. Otherwise a candidate whose requests are lost would have a term that
 * no other has, and would depose a leader that a majority hears.
 */
export function startVote(s: State, release: Release | null, times: Times, out: Out): void {
  const spent = s.term === 0 ? s.spent : 0;
  // The term of a deputy is its own, whether or not it leads in it.
  const taken = Math.max(s.advance?.term ?? 0, s.deputy?.term ?? 0, s.register.taken ?? 0);
  s.seeking = Math.max(s.term, s.seeking, spent, taken) + 1;
  dropStandby(s, out);
  s.votes = { [s.id]: s.disk };
  s.role = 'candidate';
  s.leader = null;
  s.hearsay = false;
  s.probes = null;
  s.asked = null;
  s.consent = release;
  s.round = VOTES;
  s.openRounds = [VOTES];
  report(s, out);
  const promiseMs = nextAskMs(s, times, out);
  out.push({ type: 'set-timer', timer: leaseTimer(VOTES), delayMs: times.leaseMs });
  const age = ageOf(s.register);
  sendToOthers(s, { type: 'vote', term: s.seeking, age, release, promiseMs, by: origin(s) }, out);
  waitForElection(s, times, out);
  winWithQuorum(s, times, out);
}

/**
 * One vote per term, first come, first served; none while a promise to another stands, and then not even a new term.
 */
export function onVote(s: State, from: MemberId, m: Ask<'vote'>, times: Times, out: Out): void {
  const { life } = m.by;
  if (m.term < s.term) return tellTerm(s, from, out);
  if (isPromisedAgainst(s, from, life, m.release) || s.leaseRound !== null) return;
  if (s.advance !== null && m.term <= s.advance.term) return; // Its vote in that term is given.
  // It is late or a duplicate. Taken as new, it would replace a promise that a newer round depends on by an older
  // one.
  if (isPromisedLater(s, from, { term: m.term, round: VOTES })) return;
  // Its vote in that term is its own. It binds a candidate to nothing before it has won: it is saved only then, and once
  // it has given way, answers to its own request do not count.
  if (s.role === 'candidate' && s.seeking === m.term)
    if (s.consent !== null || !givesWay(s, from, m.term - 1)) return;
  if (m.term > s.term) adoptTerm(s, m.term, times, out);
  if (s.votedFor !== null && (s.votedFor.id !== from || s.votedFor.life !== life)) return;
  if (isOlder(m.age, s.register)) return;
  s.votedFor = { id: from, life };
  save(s, out);
  becomeFollower(s, null, times, out); // A member that helps another no longer asks for itself.
  const ms = m.promiseMs ?? times.unaskedMs;
  promiseTo(s, { to: from, life, term: m.term, round: VOTES, ms }, out);
  waitForElection(s, times, out);
  send(from, { type: 'vote/answer', to: life, term: s.term, by: origin(s) }, out);
}

export function onVoteAnswer(s: State, from: MemberId, m: Ask<'vote/answer'>, times: Times, out: Out): void {
  if (m.to !== s.life || !isMember(s, from) || s.role !== 'candidate' || m.term !== s.seeking) return;
  s.votes = withSupporter(s.register, s.votes, from, m.by.disk);
  winWithQuorum(s, times, out);
}

/** Its own vote is saved now, before anything is sent or done in the new term. */
function winWithQuorum(s: State, times: Times, out: Out): void {
  if (!isQuorum(s.register, s.votes)) return;
  enterTerm(s, s.seeking);
  s.votedFor = { id: s.id, life: s.life };
  save(s, out);
  becomeLeader(s, times, out);
}

/** The promise has ended: it no longer binds, and a member that was refused only because of it is answered now. */
export function onPromiseEnds(s: State, times: Times, out: Out): void {
  if (s.promise?.to === null) s.earlier = null;
  s.promise = null;
  s.promiseMs = Math.min(s.promiseMs, Math.max(times.promiseMs, s.heir?.ms ?? 0));
  grantWhatWasAsked(s, out);
}

/** A member that was refused only because of a promise is answered, if no other promise stands. */
export function grantWhatWasAsked(s: State, out: Out): void {
  const { asked } = s;
  if (asked !== null && isPromisedAgainst(s, asked.id, asked.life, null)) return;
  s.asked = null;
  if (asked === null || s.role === 'leader' || s.role === 'candidate') return;
  grantPreVote(s, asked.id, asked.life, s.term, out);
}

/**
 * A process of this peer is said to be gone. Proof may come later than the suspicion, for example from a witness on the host
 * of the leader: by then this member follows no leader, or already asks in vain.
 */
export function onGone(s: State, peer: MemberId, life: string | null, times: Times, out: Out): void {
  if (life !== null && s.heir?.to === peer && s.heir.life === life) onHeirEnds(s, out);
  if (life !== null && mayTakeOver(s, peer, life)) takeOver(s, null, times, out);
  else if (peer === s.leader) onLeaderGone(s, life, times, out);
  else if (life !== null && s.promise?.to === peer && s.promise.life === life)
    onLateProof(s, peer, times, out);
}

/**
 * The leader is said to be gone. With proof about the process that leads, it can never act again, so the promise to
 * it is void. Without proof, it is a reason to ask at once, but no promise ends. The first slot asks now, the others
 * one slot after the other.
 */
function onLeaderGone(s: State, life: string | null, times: Times, out: Out): void {
  if (s.role !== 'follower' || s.leader === null) return;
  if (life !== null && s.promise?.to === s.leader && s.promise.life === life) breakPromise(s, out);
  if (isFirst(s)) {
    onElectionTimer(s, times, out);
  } else {
    hurryToElection(s, s.leader, times, out);
    s.leader = null;
    report(s, out);
  }
  if (s.promise === null) grantWhatWasAsked(s, out);
}

/** The promise to the dead process is void: what was asked and refused because of it is asked again, and answered. */
function onLateProof(s: State, gone: MemberId, times: Times, out: Out): void {
  if ((s.role !== 'follower' && s.role !== 'pre-candidate') || s.leader !== null) return;
  breakPromise(s, out);
  if (isFirst(s, gone)) onElectionTimer(s, times, out);
  else hurryToElection(s, gone, times, out);
  grantWhatWasAsked(s, out);
}

/** The leader resigned and names no successor: the promises to it no longer bind. */
export function onResign(s: State, from: MemberId, release: Ask<'resign'>, times: Times, out: Out): void {
  if (s.role !== 'follower' || s.leader !== from || release.term !== s.term) return;
  if (!isPromisedAgainst(s, s.id, s.life, release)) breakPromise(s, out);
  onLeaderGone(s, null, times, out);
}

/** The leader transfers the leadership: its consent releases the promises made to it, so no pre-vote is needed. */
export function onTransfer(s: State, from: MemberId, m: Ask<'transfer'>, times: Times, out: Out): void {
  if (s.role !== 'follower' || m.term !== s.term || s.leader !== from || !mayLead(s)) return;
  const { term, round, why } = m;
  const release: Release = why === undefined ? { term, round } : { term, round, why };
  if (isPromisedAgainst(s, s.id, s.life, release)) return;
  if (s.promise !== null && mayTakeOver(s, from, m.by.life)) return takeOver(s, release, times, out);
  breakPromise(s, out);
  startVote(s, release, times, out);
}
