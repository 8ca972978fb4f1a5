/**
 * Membership as seed 002 has it: the voters are found by asking, and no process decides who they are.
 *
 * Every voter keeps its own list of known voters. A voter that starts knows itself and a list of seeds; it registers
 * with them until another one answers. A heartbeat carries the sender's list; where two lists differ, both sides
 * ask the voters that they do not know for their `status`, add those that answer, and tell the other side to
 * `remove` those that do not. A voter that misses too many heartbeats is asked once more and then forgotten.
 *
 * Promises: nothing at any one moment. While all voters hear each other, all lists become the same.
 * Does not promise: that two voters ever agree on the list while a link is broken. A voter removed by request that
 * could not be told is found again when it is heard again; one that starts anew while the word is still on its way
 * may be removed once more.
 *
 * This file keeps the list and asks the questions. What goes into a heartbeat or a status besides the list, and
 * what the list is used for, is the business of the election on top.
 */
import { addId, compareIds, type Effect, type MemberId, removeId, type Self } from '../../core/index.ts';

export type MembershipMessage =
  /** "Register a new voter": the sender. */
  | { readonly type: 'register' }
  /**
   * "Remove a voter." Without a reason it is a request, which the voter itself obeys too; with `no-answer` the sender
   * could not reach it.
   */
  | { readonly type: 'remove'; readonly voterId: MemberId; readonly reason?: 'no-answer' }
  /** "Get the current leader, and the list of voters." */
  | { readonly type: 'status' }
  /** "Invoked when there is a mismatch in known voter lists." */
  | { readonly type: 'reconcile'; readonly knownVoters: readonly MemberId[] };

/**
 * The type of the effect list, limited to what is pushed here, so that a protocol with more messages can pass its own
 * list.
 */
export interface MembershipOut {
  push(effect: Effect<MembershipMessage, 'status'>): unknown;
}

/** The seed keeps the time of the last heartbeat; here own heartbeats are counted instead, so no clock is read. */
export interface Voter {
  readonly id: MemberId;
  /** How many of our own heartbeats were sent since this voter was last heard. */
  missed: number;
}

export interface Membership {
  readonly id: MemberId;
  /** The other configured voters: "who are expected to join the cluster". */
  readonly seeds: readonly MemberId[];
  /** Another voter has answered our registration, or has registered with us. */
  registered: boolean;
  /** It was removed by request, and takes no part until it starts again. */
  removed: boolean;
  /** The known voters, sorted, this one included. */
  voters: Voter[];
  /** Voters on another voter's list that were asked for their status, and the voters whose lists those were. */
  questions: { readonly voter: MemberId; readonly listedBy: MemberId[] }[];
  /** Voters removed by request, and how often the removal will be sent again. */
  farewells: { readonly voter: MemberId; left: number }[];
}

/** A voter that is configured alone has no other to wait for: it is "the first one to bootstrap". */
export function createMembership({ id, members }: Self): Membership {
  const seeds = members.filter((member) => member !== id);
  return {
    id,
    seeds,
    registered: seeds.length === 0,
    removed: false,
    voters: [{ id, missed: 0 }],
    questions: [],
    farewells: [],
  };
}

/** A copy of the list, for messages. */
export function knownVoters(s: Membership): MemberId[] {
  return s.voters.map((voter) => voter.id);
}

/**
 * All voters that get heartbeats: the seeds too, known or not, since separated groups find each other again only by
 * trying.
 */
export function expectedVoters(s: Membership): MemberId[] {
  const all = knownVoters(s);
  for (const seed of s.seeds) if (!isLeaving(s, seed)) addId(all, seed);
  removeId(all, s.id);
  return all;
}

export function findVoter(s: Membership, id: MemberId): Voter | undefined {
  return s.voters.find((voter) => voter.id === id);
}

/** "Try to invoke the register API of each of the seed URLs until a valid response is received." */
export function sendRegister(s: Membership, out: MembershipOut): void {
  for (const to of s.seeds) out.push({ type: 'send', to, message: { type: 'register' } });
}

export function registerVoter(s: Membership, id: MemberId): void {
  s.questions = s.questions.filter((question) => question.voter !== id);
  if (findVoter(s, id) !== undefined) return;
  s.voters.push({ id, missed: 0 });
  s.voters.sort((a, b) => compareIds(a.id, b.id));
}

export function removeVoter(s: Membership, id: MemberId): void {
  if (id !== s.id) s.voters = s.voters.filter((voter) => voter.id !== id);
}

/** "Update … lastHeartBeat": whatever a voter sends shows that it is there. */
export function hearFrom(s: Membership, id: MemberId): void {
  const voter = findVoter(s, id);
  if (voter !== undefined) voter.missed = 0;
}

/**
 * One heartbeat interval has passed. A voter that has been silent for longer than is tolerated is asked for its
 * status, and forgotten if it has not answered by the next heartbeat. `spared` is only counted: the election decides
 * on it.
 */
export function countMissed(
  s: Membership,
  tolerance: number,
  spared: MemberId | null,
  out: MembershipOut,
): void {
  for (const voter of [...s.voters]) {
    if (voter.id === s.id) continue;
    voter.missed = Math.min(voter.missed + 1, tolerance + 2); // More says no more.
    if (voter.id === spared || voter.missed <= tolerance) continue;
    if (voter.missed > tolerance + 1) removeVoter(s, voter.id);
    else out.push({ type: 'send', to: voter.id, message: { type: 'status' } });
  }
}

/** "Compare the list of known voters in the heartbeat message with its own list." The order does not matter. */
export function differs(s: Membership, list: readonly MemberId[]): boolean {
  if (list.length !== s.voters.length) return true;
  return !s.voters.every((voter, i) => voter.id === list[i] || list.includes(voter.id));
}

/** "The receiving voter sends its own known voter list back to the `reconcile` endpoint of the voter who sent" it. */
export function sendReconcile(s: Membership, to: MemberId, out: MembershipOut): void {
  out.push({ type: 'send', to, message: { type: 'reconcile', knownVoters: knownVoters(s) } });
}

/** Both sides of a reconciliation: each "invokes the `status` endpoint of any unknown voters in the list". */
export function askUnknown(
  s: Membership,
  listedBy: MemberId,
  list: readonly MemberId[],
  timeoutMs: readonly [number, number],
  out: MembershipOut,
): void {
  for (const id of list) {
    if (findVoter(s, id) !== undefined || isLeaving(s, id)) continue;
    const question = s.questions.find(({ voter }) => voter === id);
    if (question !== undefined) {
      addId(question.listedBy, listedBy);
      continue;
    }
    s.questions.push({ voter: id, listedBy: [listedBy] });
    out.push({ type: 'send', to: id, message: { type: 'status' } });
    out.push({ type: 'set-timer', timer: 'status', delayMs: timeoutMs });
  }
}

/** "If it receives a response then it adds the voter to its list." */
export function registerIfAsked(s: Membership, from: MemberId): void {
  if (s.questions.some((question) => question.voter === from)) registerVoter(s, from);
}

/**
 * "If it does not receive a response, then it invokes the `remove` endpoint of the sending voter." A sender that
 * did not answer for itself is not told to remove itself.
 */
export function onNoStatusAnswer(s: Membership, out: MembershipOut): void {
  for (const { voter, listedBy } of s.questions) {
    for (const to of listedBy) {
      if (to === voter) continue;
      out.push({ type: 'send', to, message: { type: 'remove', voterId: voter, reason: 'no-answer' } });
    }
  }
  s.questions = [];
}

/** One is not yet a miss: our own heartbeat may just have left before the other's came. */
export function isHeard(voter: Voter): boolean {
  return voter.missed <= 1;
}

/** Removes a voter by request, and repeats the message at every heartbeat for a while, since a message can be lost. */
export function startFarewell(s: Membership, id: MemberId, times: number, out: MembershipOut): void {
  removeVoter(s, id);
  s.farewells.push({ voter: id, left: times });
  sendFarewells(s, out);
}

export function sendFarewells(s: Membership, out: MembershipOut): void {
  for (const farewell of s.farewells) {
    const { voter } = farewell;
    removeVoter(s, voter);
    const others = knownVoters(s).filter((id) => id !== s.id);
    for (const to of [voter, ...others])
      out.push({ type: 'send', to, message: { type: 'remove', voterId: voter } });
    farewell.left -= 1;
  }
  s.farewells = s.farewells.filter((farewell) => farewell.left > 0);
}

/** A voter that is added again, or registers again, is no longer told to leave. */
export function endFarewell(s: Membership, id: MemberId): void {
  s.farewells = s.farewells.filter((farewell) => farewell.voter !== id);
}

function isLeaving(s: Membership, id: MemberId): boolean {
  return s.farewells.some((farewell) => farewell.voter === id);
}
