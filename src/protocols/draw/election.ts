/**
 * The election itself. "The leader is selected through a random number drawing. The highest number wins. Ties are
 * recast."
 *
 *   start   → every voter draws a number                                  (cast, to each of the voters)
 *   cast    → all numbers are there: the highest has won                  (result, to each of the voters)
 *   result  → all versions of the result are there and agree              (certify, to the winner)
 *   certify → all have certified, or with `quorum` a majority of the configured voters: the winner leads
 *
 * What is missing is asked for again a few times. If it stays away, or the versions differ, a new election with a
 * higher number starts among the voters that are known by then.
 */
import { addId, idSet, type MemberId } from '../../core/index.ts';
import {
  type Bond,
  ballotAmong,
  bondOf,
  certificateOf,
  certifyFor,
  foundIfNew,
  hasMajority,
  isCertified,
} from './electors.ts';
import { introduce, knownVoters, removeVoter } from './membership.ts';
import type { MessageOf, Out } from './messages.ts';
import {
  type Ballot,
  type Rules,
  report,
  type State,
  save,
  send,
  sendHeartbeats,
  sendToAll,
  statusOf,
} from './state.ts';

/**
 * "Start an Election. Either on first bootstrap, or because the current leader has died." With `quorum`, none is
 * started that could not be certified.
 */
export function startElection(s: State, rules: Rules, out: Out): void {
  const voters = votersToAsk(s, rules);
  if (voters === null) return endElection(s, out);
  const election = s.newest + 1;
  joinElection(s, election, voters, rules, out);
  sendToAll(s, voters, { type: 'election/start', election, voters: [...voters] }, out);
}

/** The voters of an election that this voter may start, or null if no leader could be certified in it. */
export function votersToAsk(s: State, { quorum, voters }: Rules): readonly MemberId[] | null {
  const known = knownVoters(s.membership);
  return quorum ? ballotAmong(s.electors, s.id, voters, known) : known;
}

/** "Any voter can call an election", and so can any client, which knows no number and no voters. */
export function onElectionStart(
  s: State,
  { election, voters }: MessageOf<'election/start'>,
  rules: Rules,
  out: Out,
): void {
  if (election !== undefined && voters !== undefined) joinIfNew(s, election, voters, rules, out);
  else if (s.ballot === null) startElection(s, rules, out);
}

/** A voter takes part in an election once, in none older than its newest, and in none that leaves it out. */
function joinIfNew(s: State, election: number, voters: readonly MemberId[], rules: Rules, out: Out): void {
  if (election > s.election && election > s.term && voters.includes(s.id))
    joinElection(s, election, voters, rules, out);
}

function joinElection(s: State, election: number, given: readonly MemberId[], rules: Rules, out: Out): void {
  const voters = idSet(given);
  s.election = election;
  s.newest = Math.max(s.newest, election);
  s.ballot = {
    election,
    voters,
    contenders: [...voters],
    round: 1,
    casts: [],
    winner: null,
    results: [],
    certified: false,
    certificates: [],
    bonds: [],
    tries: 0,
  };
  save(s, out);
  out.push({ type: 'set-timer', timer: 'election', delayMs: rules.timeoutMs });
  out.push({ type: 'draw', draw: nameOfDraw(s.ballot) });
}

export function endElection(s: State, out: Out): void {
  if (s.ballot !== null) out.push({ type: 'cancel-timer', timer: 'election' });
  s.ballot = null;
}

const nameOfDraw = ({ election, round }: Ballot): string => `${election}/${round}`;

/**
 * "Each voter casts a vote by creating a random Long Integer and sending it to each of the voters." A leader that
 * resigned casts 0 in its stead: it can win only if all the others drew 0 too.
 */
export function onDrawn(s: State, draw: string, drawn: string, rules: Rules, out: Out): void {
  const b = s.ballot;
  if (b === null || draw !== nameOfDraw(b)) return; // A newer election has begun meanwhile.
  const number = s.resigned && b.round === 1 ? '0' : drawn;
  b.casts.push({ voter: s.id, round: b.round, number });
  sendCast(s, b, b.round, number, b.voters, out);
  countVotes(s, b, rules, out);
}

/** It names the voters, so that a cast that overtakes the start replaces it. */
function sendCast(
  s: State,
  b: Ballot,
  round: number,
  number: string,
  to: readonly MemberId[],
  out: Out,
): void {
  const { election, voters } = b;
  sendToAll(s, to, { type: 'election/cast', election, voters: [...voters], round, number }, out);
}

export function onCast(
  s: State,
  from: MemberId,
  m: MessageOf<'election/cast'>,
  rules: Rules,
  out: Out,
): void {
  const { election, voters, round, number } = m;
  joinIfNew(s, election, voters, rules, out);
  const b = s.ballot;
  if (b?.election !== election) return sendNewerLeader(s, from, election, rules, out);
  if (!b.voters.includes(from)) return;
  if (b.casts.some((cast) => cast.voter === from && cast.round === round)) {
    // It casts again because it has not received our result.
    if (b.winner !== null) send(s, from, resultOf(s, b, b.winner), out);
    return;
  }
  b.casts.push({ voter: from, round, number });
  b.tries = 0;
  countVotes(s, b, rules, out);
}

/** A voter that is still in an election whose leader we know has not heard of that leader. */
function sendNewerLeader(s: State, to: MemberId, election: number, rules: Rules, out: Out): void {
  if (s.leader !== null && s.term >= election) send(s, to, { type: 'heartbeat', ...statusOf(s, rules) }, out);
}

/** "The voter with the highest number wins the election." "Ties are recast", among the tied. */
function countVotes(s: State, b: Ballot, rules: Rules, out: Out): void {
  while (b.winner === null) {
    const { contenders, round } = b;
    if (b.casts.length < contenders.length) return;
    const casts = b.casts.filter((cast) => cast.round === round && contenders.includes(cast.voter));
    if (casts.length < contenders.length) return;
    const highest = highestOf(casts);
    if (highest.length === 1) return becomeDecided(s, b, highest[0]!, rules, out);
    b.contenders = highest;
    b.round += 1;
    if (highest.includes(s.id)) out.push({ type: 'draw', draw: nameOfDraw(b) });
  }
}

/** The voters that cast the highest number. As BigInt: a JavaScript number would round the low bits. */
function highestOf(casts: Ballot['casts']): MemberId[] {
  let highest = -1n;
  let voters: MemberId[] = [];
  for (const { voter, number } of casts) {
    const value = BigInt(number);
    if (value > highest) voters = [];
    if (value >= highest) voters.push(voter);
    if (value > highest) highest = value;
  }
  return idSet(voters);
}

/** "Each voter sends their version of the results to each other voter." */
function becomeDecided(s: State, b: Ballot, winner: MemberId, rules: Rules, out: Out): void {
  b.winner = winner;
  b.results.push({ voter: s.id, winner, bond: bondOf(s.electors, s.id) });
  sendToAll(s, b.voters, resultOf(s, b, winner), out);
  certifyResult(s, b, rules, out);
}

function resultOf(s: State, { election }: Ballot, winner: MemberId): MessageOf<'election/result'> {
  return { type: 'election/result', election, winner, ...named(bondOf(s.electors, s.id)) };
}

/** A bond as messages carry it. */
function named(bond: Bond | null): Pick<MessageOf<'election/certify'>, 'electors' | 'releases'> {
  return bond === null ? {} : { electors: bond.electors, releases: bond.releases };
}

function bondIn(voter: MemberId, { electors, releases = [] }: ReturnType<typeof named>): Bond | null {
  return electors === undefined ? null : { voter, electors, releases };
}

export function onResult(
  s: State,
  from: MemberId,
  m: MessageOf<'election/result'>,
  rules: Rules,
  out: Out,
): void {
  const b = s.ballot;
  if (b?.election !== m.election || !b.voters.includes(from)) return;
  if (b.results.some((result) => result.voter === from)) return;
  b.results.push({ voter: from, winner: m.winner, bond: bondIn(from, m) });
  b.tries = 0;
  certifyResult(s, b, rules, out);
}

/**
 * "If they all agree, then the election is certified. If the current leader is still running, its role is updated
 * to FOLLOWER": it stops here, before the winner can begin. If they do not agree, a new election is held.
 */
function certifyResult(s: State, b: Ballot, rules: Rules, out: Out): void {
  const { winner } = b;
  if (winner === null || b.certified || b.results.length < b.voters.length) return;
  if (!b.results.every((result) => result.winner === winner)) return startElection(s, rules, out);
  b.certified = true;
  const told = b.results.map(({ bond }) => bond);
  if (certifyFor(s.electors, s.id, rules.voters, b, told)) save(s, out);
  if (winner === s.id) {
    addId(b.certificates, s.id);
    const bond = certificateOf(s.electors, s.id);
    if (bond !== null) b.bonds.push(bond);
    return becomeLeaderIfCertified(s, b, rules, out);
  }
  if (s.leader === s.id) becomeLeaderless(s, rules, out);
  sendCertificate(s, b, winner, out);
}

function sendCertificate(s: State, { election }: Ballot, winner: MemberId, out: Out): void {
  const bond = certificateOf(s.electors, s.id);
  send(s, winner, { type: 'election/certify', election, winner, ...named(bond) }, out);
}

export function onCertify(
  s: State,
  from: MemberId,
  m: MessageOf<'election/certify'>,
  rules: Rules,
  out: Out,
): void {
  const { election, winner } = m;
  const b = s.ballot;
  if (b?.election !== election) return sendNewerLeader(s, from, election, rules, out);
  if (winner !== s.id || !b.voters.includes(from)) return;
  if (addId(b.certificates, from)) {
    b.tries = 0;
    const bond = bondIn(from, m);
    if (bond !== null) b.bonds.push(bond);
  }
  becomeLeaderIfCertified(s, b, rules, out);
}

function becomeLeaderIfCertified(s: State, b: Ballot, rules: Rules, out: Out): void {
  if (!b.certified || b.winner !== s.id) return;
  if (hasCertificates(s, b, rules)) becomeLeader(s, b, rules, out);
}

function hasCertificates({ electors }: State, b: Ballot, { quorum }: Rules): boolean {
  if (!quorum) return b.voters.every((voter) => b.certificates.includes(voter));
  return electors.isFound ? isCertified(electors, b.bonds) : hasMajority(electors.ids, b.certificates);
}

/** "the new leader takes on the role of LEADER", and tells all voters with a heartbeat. */
function becomeLeader(s: State, { election, bonds }: Ballot, rules: Rules, out: Out): void {
  s.leader = s.id;
  s.term = election;
  s.resigned = false;
  foundIfNew(s.electors, election, bonds);
  endElection(s, out);
  save(s, out);
  report(s, rules, out);
  sendHeartbeats(s, rules, out);
}

/** `url`: where the leader is reached, if the voter that names it said so. */
export function becomeFollower(
  s: State,
  leader: MemberId,
  term: number,
  url: string | null,
  rules: Rules,
  out: Out,
): void {
  introduce(s.membership, leader, url, out);
  s.leader = leader;
  s.resigned = false;
  if (s.ballot !== null && s.ballot.election <= term) endElection(s, out);
  if (term > s.term) {
    s.term = term;
    save(s, out);
  }
  report(s, rules, out);
}

export function becomeLeaderless(s: State, rules: Rules, out: Out): void {
  s.leader = null;
  report(s, rules, out);
}

/** An answer is missing: sends its own part again, until a few times in a row nothing new has come. */
export function onElectionTimeout(s: State, rules: Rules, out: Out): void {
  const b = s.ballot;
  if (b === null) return;
  b.tries += 1;
  if (b.tries > rules.missedHeartbeatTolerance) return giveUpElection(s, b, rules, out);
  const { winner } = b;
  const others = b.voters.filter((voter) => voter !== s.id);
  const silent = others.filter((voter) => !b.results.some((result) => result.voter === voter));
  for (const { voter, round, number } of b.casts) {
    if (voter === s.id) sendCast(s, b, round, number, silent, out);
  }
  if (winner !== null) {
    for (const to of silent) send(s, to, resultOf(s, b, winner), out);
    if (b.certified && winner !== s.id) sendCertificate(s, b, winner, out);
  }
  out.push({ type: 'set-timer', timer: 'election', delayMs: rules.timeoutMs });
}

/**
 * A new election is held, without the voters that cast no number in this one. The leader is the exception: only a
 * health check decides whether it has failed.
 */
function giveUpElection(s: State, b: Ballot, rules: Rules, out: Out): void {
  const silent = b.voters.filter((voter) => !b.casts.some((cast) => cast.voter === voter));
  if (s.leader !== null && silent.includes(s.leader)) return endElection(s, out);
  for (const voter of silent) removeVoter(s.membership, voter);
  startElection(s, rules, out);
}
