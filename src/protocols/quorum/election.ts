import type { MemberId } from '../../core/index.ts';
import { becomeLeader } from './leading.ts';
import type { Message, Release } from './messages.ts';
import {
  adoptTerm,
  becomeFollower,
  endLeases,
  mayLead,
  slotOf,
  tellTerm,
  waitForElection,
  waitForSlot,
} from './roles.ts';
import type { Times } from './settings.ts';
import {
  ageOf,
  breakPromise,
  isMajority,
  isMember,
  isOlder,
  isPromisedAgainst,
  isPromisedLater,
  leaseTimer,
  type Out,
  promiseTo,
  report,
  type State,
  save,
  sendToOthers,
  VOTES,
} from './state.ts';

/** The leader has been silent for a time-out. */
export function onElectionTimer(s: State, times: Times, out: Out): void {
  if (s.role === 'leader') return;
  if (s.role !== 'blank' && mayLead(s)) startPreVote(s, times, out);
  waitForElection(s, times, out);
}

/**
 * Asks whether it would win, without disturbing anybody: no term moves. A member that is cut off, deaf or removed
 * never gets further than this.
 */
function startPreVote(s: State, times: Times, out: Out): void {
  if (s.hearsay) {
    s.hearsay = false; // The word of another stands until the next time-out.
  } else {
    endLeases(s, out);
    s.leader = null;
    const news = s.role !== 'pre-candidate';
    s.role = 'pre-candidate';
    if (news) report(s, out);
  }
  s.votes = isPromisedAgainst(s, s.id, null) ? {} : { [s.id]: s.life };
  sendToOthers(s, { type: 'pre-vote', term: s.term, age: ageOf(s.register) }, out);
  startVoteWithMajority(s, times, out);
}

type Ask<T extends Message['type']> = Extract<Message, { type: T }>;

export function onPreVote(s: State, from: MemberId, { term, age }: Ask<'pre-vote'>, out: Out): void {
  // A leader helps nobody before it has stepped down: its lease may lapse for a moment although a majority hears it.
  const willing = s.role !== 'leader' && !isOlder(age, s.register);
  if (term < s.term) tellTerm(s, from, out);
  else if (willing && !isPromisedAgainst(s, from, null)) grantPreVote(from, term, out);
  else {
    if (willing) s.asked = from;
    nameLeader(s, from, out);
  }
  // Whoever has the newest register may itself be unable to lead; then another can, once it has it too.
  if (isOlder(age, s.register)) {
    out.push({ type: 'send', to: from, message: { type: 'publish/copy', register: s.register } });
  }
}

function grantPreVote(to: MemberId, term: number, out: Out): void {
  out.push({ type: 'send', to, message: { type: 'pre-vote/answer', term, granted: true, leader: null } });
}

/** Only a leader that is heard directly is named, or two members could keep a dead one alive between them. */
function nameLeader({ term, role, leader, promise }: State, to: MemberId, out: Out): void {
  const isHeard = role === 'leader' || (promise !== null && promise.to === leader);
  if (!isHeard || leader === to) return;
  out.push({ type: 'send', to, message: { type: 'pre-vote/answer', term, granted: false, leader } });
}

export function onPreVoteAnswer(
  s: State,
  from: MemberId,
  m: Ask<'pre-vote/answer'>,
  times: Times,
  out: Out,
): void {
  if (!isMember(s, from) || m.term !== s.term || s.role === 'candidate' || s.role === 'leader') return;
  // Only who asked counts, and only once no promise binds its own voice.
  if (m.granted && s.votes[s.id] !== undefined) {
    s.votes = { ...s.votes, [from]: 0 };
    return startVoteWithMajority(s, times, out);
  }
  if (m.leader !== null && m.leader !== s.id && s.promise === null) followByHearsay(s, m.leader, out);
}

/** It cannot hear the leader itself, but a member that does says who it is. It goes on asking at every time-out. */
function followByHearsay(s: State, leader: MemberId, out: Out): void {
  const news = s.role !== 'follower' || s.leader !== leader;
  s.role = 'follower';
  s.leader = leader;
  s.hearsay = true;
  if (news) report(s, out);
}

function startVoteWithMajority(s: State, times: Times, out: Out): void {
  const granted = s.register.members.filter((member) => s.votes[member] !== undefined);
  if (isMajority(s, granted.length)) startVote(s, null, times, out);
}

/**
 * A new term, its own vote saved before anybody is asked. The lease of a leadership that comes of it is measured
 * from here: whoever grants the vote promises, later than this moment, to help nobody else.
 */
export function startVote(s: State, release: Release | null, times: Times, out: Out): void {
  s.term += 1;
  s.votedFor = s.id;
  s.votes = { [s.id]: s.life };
  s.role = 'candidate';
  s.leader = null;
  s.hearsay = false;
  s.asked = null;
  s.round = VOTES;
  s.openRounds = [VOTES];
  save(s, out);
  report(s, out);
  out.push({ type: 'set-timer', timer: leaseTimer(VOTES), delayMs: times.leaseMs });
  sendToOthers(s, { type: 'vote', term: s.term, age: ageOf(s.register), release }, out);
  waitForElection(s, times, out);
  becomeLeaderWithMajority(s, times, out);
}

/** One vote a term, first come, first served; none while a promise to another stands, and then not even a new term. */
export function onVote(s: State, from: MemberId, m: Ask<'vote'>, times: Times, out: Out): void {
  if (m.term < s.term) return tellTerm(s, from, out);
  if (isPromisedAgainst(s, from, m.release) || s.leaseRound !== null) return;
  // It comes late or again. Taken for new, it would put an older promise in the place of one that a newer round rests on.
  if (isPromisedLater(s, from, { term: m.term, round: VOTES })) return;
  if (m.term > s.term) adoptTerm(s, m.term, times, out);
  if ((s.votedFor !== null && s.votedFor !== from) || isOlder(m.age, s.register)) return;
  s.votedFor = from;
  save(s, out);
  becomeFollower(s, null, times, out); // Whoever helps another no longer asks for itself.
  promiseTo(s, { to: from, term: m.term, round: VOTES }, times, out);
  waitForElection(s, times, out);
  const { term, life, lives } = s;
  out.push({ type: 'send', to: from, message: { type: 'vote/answer', term, life, lives } });
}

export function onVoteAnswer(s: State, from: MemberId, m: Ask<'vote/answer'>, times: Times, out: Out): void {
  if (!isMember(s, from) || s.role !== 'candidate' || m.term !== s.term) return;
  s.votes = { ...s.votes, [from]: m.life };
  for (const [id, life] of Object.entries(m.lives)) {
    if (life > (s.lives[id] ?? 0)) s.lives = { ...s.lives, [id]: life };
  }
  becomeLeaderWithMajority(s, times, out);
}

/** A vote from before its voter lost its disk does not count: the voter cannot know that it gave it. */
function becomeLeaderWithMajority(s: State, times: Times, out: Out): void {
  const votes = s.register.members.filter((id) => (s.votes[id] ?? -1) >= (s.lives[id] ?? 0));
  if (isMajority(s, votes.length)) becomeLeader(s, votes, times, out);
}

/** The promise has run out: nobody is bound any more, and who was refused for it alone is answered now. */
export function onPromiseEnds(s: State, out: Out): void {
  s.promise = null;
  grantWhatWasAsked(s, out);
}

function grantWhatWasAsked(s: State, out: Out): void {
  const { asked } = s;
  s.asked = null;
  if (asked !== null && s.role !== 'leader' && s.role !== 'candidate') grantPreVote(asked, s.term, out);
}

/**
 * The leader is said to be gone. With proof it can never act again, so the promise to it is void. Without, it is a reason to
 * ask at once, but nobody is released. The first slot asks now, the others one slot after the other.
 */
export function onLeaderGone(s: State, proof: boolean, times: Times, out: Out): void {
  if (s.role !== 'follower' || s.leader === null) return;
  if (proof && s.promise?.to === s.leader) breakPromise(s, out);
  if (slotOf(s) === 0) {
    onElectionTimer(s, times, out);
  } else {
    waitForSlot(s, 0, times, out);
    s.leader = null;
    report(s, out);
  }
  if (s.promise === null) grantWhatWasAsked(s, out);
}

/** The leader has given up and names nobody: its promises no longer bind. */
export function onResign(s: State, from: MemberId, release: Release, times: Times, out: Out): void {
  if (s.role !== 'follower' || s.leader !== from || release.term !== s.term) return;
  if (!isPromisedAgainst(s, s.id, release)) breakPromise(s, out);
  onLeaderGone(s, false, times, out);
}

/** The leader hands over: its consent releases the promises made to it, so no pre-vote is needed. */
export function onTransfer(s: State, from: MemberId, m: Ask<'transfer'>, times: Times, out: Out): void {
  if (s.role !== 'follower' || m.term !== s.term || s.leader !== from || !mayLead(s)) return;
  const release: Release = { term: m.term, round: m.round };
  if (isPromisedAgainst(s, s.id, release)) return;
  breakPromise(s, out);
  startVote(s, release, times, out);
}
