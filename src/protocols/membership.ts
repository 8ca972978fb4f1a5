/**
 * Membership as seed 002 has it: who the voters are, found out by asking, never decided by anybody.
 *
 * Every voter keeps its own list of known voters. A voter that starts knows itself and a list of seeds; it registers
 * with them until another one answers. A heartbeat carries the sender's list; where two lists differ, both sides
 * ask the voters that they do not know for their `status`, add those that answer, and tell the other side to
 * `remove` those that do not. A voter that misses too many heartbeats is asked once more and then forgotten.
 *
 * Promises: nothing at any one moment. While everybody is heard by everybody, all lists become the same.
 * Does not promise: that two voters ever agree on the list while a link is broken. A voter removed by request that
 * could not be told is found again when it is heard again; one that starts anew while the word is still on its way
 * may be removed once more.
 *
 * This file keeps the list and asks the questions. What goes into a heartbeat or a status besides the list, and
 * what the list is used for, is the business of the election on top.
 */
import { addId, compareIds, type Effect, type MemberId, removeId, type Self } from '../core/index.ts';

export type MembershipMessage =
  /** "Register a new voter": the sender. */
  | { readonly type: 'register' }
  /**
   * "Remove a voter." Without a reason somebody asked for it, and the voter itself obeys too; with `no-answer`
   * the sender could not reach it.
   */
  | { readonly type: 'remove'; readonly voterId: MemberId; readonly reason?: 'no-answer' }
  /** "Get the current leader, and the list of voters." */
  | { readonly type: 'status' }
  /** "Invoked when there is a mismatch in known voter lists." */
  | { readonly type: 'reconcile'; readonly knownVoters: readonly MemberId[] };

/** Where effects go. Only what is asked for here, so that an election with more messages can pass its own list. */
export interface MembershipOut {
  push(effect: Effect<MembershipMessage, 'status'>): unknown;
}

/** The seed keeps the time of the last heartbeat; here own heartbeats are counted instead, so no clock is read. */
export interface Voter {
  readonly id: MemberId;
  /** How many of our own heartbeats went out since this voter was last heard. */
  missed: number;
}

export interface Membership {
  readonly id: MemberId;
  /** The other configured voters: "who are expected to join the cluster". */
  readonly seeds: readonly MemberId[];
  /** Another voter has answered our registration, or has registered with us. */
  registered: boolean;
  /** It was asked to go, and takes no part until it starts again. */
  removed: boolean;
  /** The known voters, sorted, this one included. */
  voters: Voter[];
  /** Voters on somebody's list that were asked for their status, and whose lists those were. */
  questions: { readonly voter: MemberId; readonly listedBy: MemberId[] }[];
  /** Voters removed by request, and how often that will be said again. */
  farewells: { readonly voter: MemberId; left: number }[];
}

/** A voter that is configured alone has nobody to wait for: it is "the first one to bootstrap". */
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
export function knownVoters(m: Membership): MemberId[] {
  return m.voters.map((voter) => voter.id);
}

/** Everybody to whom heartbeats go: the seeds too, known or not, since parted groups meet again only by trying. */
export function expectedVoters(m: Membership): MemberId[] {
  const all = knownVoters(m);
  for (const seed of m.seeds) if (!isLeaving(m, seed)) addId(all, seed);
  removeId(all, m.id);
  return all;
}

export function findVoter(m: Membership, id: MemberId): Voter | undefined {
  return m.voters.find((voter) => voter.id === id);
}

/** "Try to invoke the register API of each of the seed URLs until a valid response is received." */
export function sendRegister(m: Membership, out: MembershipOut): void {
  for (const to of m.seeds) out.push({ type: 'send', to, message: { type: 'register' } });
}

export function registerVoter(m: Membership, id: MemberId): void {
  m.questions = m.questions.filter((question) => question.voter !== id);
  if (findVoter(m, id) !== undefined) return;
  m.voters.push({ id, missed: 0 });
  m.voters.sort((a, b) => compareIds(a.id, b.id));
}

export function removeVoter(m: Membership, id: MemberId): void {
  if (id !== m.id) m.voters = m.voters.filter((voter) => voter.id !== id);
}

/** "Update … lastHeartBeat": whatever a voter sends shows that it is there. */
export function hearFrom(m: Membership, id: MemberId): void {
  const voter = findVoter(m, id);
  if (voter !== undefined) voter.missed = 0;
}

/**
 * One heartbeat has passed. A voter that has been silent for longer than is tolerated is asked for its status,
 * and forgotten if it has not answered by the next heartbeat. `spared` is only counted: the election decides on it.
 */
export function countMissed(
  m: Membership,
  tolerance: number,
  spared: MemberId | null,
  out: MembershipOut,
): void {
  for (const voter of [...m.voters]) {
    if (voter.id === m.id) continue;
    voter.missed = Math.min(voter.missed + 1, tolerance + 2); // More says no more.
    if (voter.id === spared || voter.missed <= tolerance) continue;
    if (voter.missed > tolerance + 1) removeVoter(m, voter.id);
    else out.push({ type: 'send', to: voter.id, message: { type: 'status' } });
  }
}

/** "Compare the list of known voters in the heartbeat message with its own list." The order does not matter. */
export function differs(m: Membership, list: readonly MemberId[]): boolean {
  if (list.length !== m.voters.length) return true;
  return !m.voters.every((voter, i) => voter.id === list[i] || list.includes(voter.id));
}

/** "The receiving voter sends its own known voter list back to the `reconcile` endpoint of the voter who sent" it. */
export function sendReconcile(m: Membership, to: MemberId, out: MembershipOut): void {
  out.push({ type: 'send', to, message: { type: 'reconcile', knownVoters: knownVoters(m) } });
}

/** Both sides of a reconciliation: each "invokes the `status` endpoint of any unknown voters in the list". */
export function askUnknown(
  m: Membership,
  listedBy: MemberId,
  list: readonly MemberId[],
  timeoutMs: readonly [number, number],
  out: MembershipOut,
): void {
  for (const id of list) {
    if (findVoter(m, id) !== undefined || isLeaving(m, id)) continue;
    const question = m.questions.find(({ voter }) => voter === id);
    if (question !== undefined) {
      addId(question.listedBy, listedBy);
      continue;
    }
    m.questions.push({ voter: id, listedBy: [listedBy] });
    out.push({ type: 'send', to: id, message: { type: 'status' } });
    out.push({ type: 'set-timer', timer: 'status', delayMs: timeoutMs });
  }
}

/** "If it receives a response then it adds the voter to its list." */
export function onStatusAnswer(m: Membership, from: MemberId): void {
  if (m.questions.some((question) => question.voter === from)) registerVoter(m, from);
}

/**
 * "If it does not receive a response, then it invokes the `remove` endpoint of the sending voter." A sender that
 * did not answer for itself is not told to remove itself.
 */
export function onNoStatusAnswer(m: Membership, out: MembershipOut): void {
  for (const { voter, listedBy } of m.questions) {
    for (const to of listedBy) {
      if (to === voter) continue;
      out.push({ type: 'send', to, message: { type: 'remove', voterId: voter, reason: 'no-answer' } });
    }
  }
  m.questions = [];
}

/** One is not yet a miss: our own heartbeat may just have gone out before the other's came. */
export function isHeard(voter: Voter): boolean {
  return voter.missed <= 1;
}

/** Removes a voter by request, and says so at every heartbeat for a while, since a message can be lost. */
export function startFarewell(m: Membership, id: MemberId, times: number, out: MembershipOut): void {
  removeVoter(m, id);
  m.farewells.push({ voter: id, left: times });
  sendFarewells(m, out);
}

export function sendFarewells(m: Membership, out: MembershipOut): void {
  for (const farewell of m.farewells) {
    const { voter } = farewell;
    removeVoter(m, voter);
    const others = knownVoters(m).filter((id) => id !== m.id);
    for (const to of [voter, ...others])
      out.push({ type: 'send', to, message: { type: 'remove', voterId: voter } });
    farewell.left -= 1;
  }
  m.farewells = m.farewells.filter((farewell) => farewell.left > 0);
}

/** Whoever is asked for again, or registers anew, is no longer told to go. */
export function endFarewell(m: Membership, id: MemberId): void {
  m.farewells = m.farewells.filter((farewell) => farewell.voter !== id);
}

function isLeaving(m: Membership, id: MemberId): boolean {
  return m.farewells.some((farewell) => farewell.voter === id);
}
