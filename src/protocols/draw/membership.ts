/**
 * Membership as seed 002 has it: the voters are found by asking, and no process decides who they are.
 *
 * Every voter keeps its own list of known voters. A voter that starts knows itself and where to look for others: the
 * ids of its list, or addresses. It registers there until another voter answers. A heartbeat carries the sender's
 * list, with addresses; where two lists differ, both sides ask the voters that they do not know for their `status`,
 * add those that answer, and tell the other side to `remove` those that do not. A voter that misses too many
 * heartbeats is asked once more and then forgotten.
 *
 * Promises: nothing at any one moment. While all voters hear each other, all lists become the same.
 * Does not promise: that two voters ever agree on the list while a link is broken. A voter removed by request that
 * could not be told for longer than is tolerated is found again when it is heard again; one that starts anew while the
 * word is still on its way may be removed once more.
 *
 * This file keeps the list and asks the questions. What goes into a heartbeat or a status besides the list, and
 * what the list is used for, is the business of the election on top.
 */
import { addId, compareIds, type Effect, type MemberId, removeId, type Self } from '../../core/index.ts';

/** A voter and its address, as messages carry them. */
export interface ListedVoter {
  readonly voterId: MemberId;
  readonly voterUrl: string;
}

export type MembershipMessage =
  /**
   * "Register a new voter": the sender, which is reached at `voterUrl`. With `again` it takes part already, and makes
   * itself known to a voter that may not know it.
   */
  | { readonly type: 'register'; readonly voterUrl?: string; readonly again?: boolean }
  /**
   * "Remove a voter." Without a reason it is a request, which the voter itself obeys too; with `no-answer` the sender
   * could not reach it.
   */
  | { readonly type: 'remove'; readonly voterId: MemberId; readonly reason?: 'no-answer' }
  /** "Get the current leader, and the list of voters." */
  | { readonly type: 'status'; readonly voterUrl?: string }
  /** "Invoked when there is a mismatch in known voter lists." */
  | {
      readonly type: 'reconcile';
      readonly knownVoters: readonly MemberId[];
      readonly voters?: readonly ListedVoter[];
    };

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
  /** Where it is reached; null if its id is enough, or if no voter has said it. */
  url: string | null;
}

interface Question {
  readonly voter: MemberId;
  readonly url: string | null;
  readonly listedBy: MemberId[];
}

export interface Membership {
  readonly id: MemberId;
  /** Where this voter is reached; null if ids are addresses. */
  url: string | null;
  /** The other configured voters, if ids are addresses: "who are expected to join the cluster". */
  readonly seeds: readonly MemberId[];
  /** The addresses of the configured voters. */
  readonly peers: readonly string[];
  /** Addresses at which other voters may be: those of the configured voters, and those that the host has found. */
  places: readonly string[];
  /** Own heartbeats since the places without a known voter were tried. */
  sinceTried: number;
  /** Another voter has answered our registration, or has registered with us. */
  registered: boolean;
  /** It was removed by request, and takes no part until it starts again. */
  removed: boolean;
  /** The known voters, sorted, this one included. */
  voters: Voter[];
  /** Voters on another voter's list that were asked for their status, and the voters whose lists those were. */
  questions: Question[];
  /** Voters removed by request, and how often the removal will be sent again. */
  farewells: { readonly voter: MemberId; readonly url: string | null; left: number }[];
}

/** A list in a message is never longer, and so a voter knows no more. */
export const MOST_VOTERS = 1000;

/** A hostile list must not make this voter ask any number of addresses at once. */
const MOST_QUESTIONS = 100;

/**
 * A voter that has nowhere to look for others waits for none: it is "the first one to bootstrap". One that looks for
 * others takes no part until it has met one: it may be "orphaned in an isolated region".
 */
export function createMembership({ id, members, addresses }: Self): Membership {
  const seeds = addresses === undefined ? members.filter((member) => member !== id) : [];
  const peers = addresses?.peers.map((peer) => peer.url) ?? [];
  const places = placesOf(peers, addresses?.seeds ?? []);
  const looks = seeds.length > 0 || places.length > 0 || addresses?.isPartial === true;
  const url = addresses?.own ?? null;
  return {
    id,
    url,
    seeds,
    peers,
    places,
    sinceTried: 0,
    registered: !looks,
    removed: false,
    voters: [{ id, missed: 0, url }],
    questions: [],
    farewells: [],
  };
}

export function placesOf(peers: readonly string[], seeds: readonly string[]): string[] {
  return [...new Set([...peers, ...seeds])].sort();
}

/** A copy of the list, for messages. */
export function knownVoters(s: Membership): MemberId[] {
  return s.voters.map((voter) => voter.id);
}

/** The same with addresses, if voters have addresses. */
export function listedVoters(s: Membership): { readonly voters?: readonly ListedVoter[] } {
  if (s.url === null) return {};
  const located = s.voters.filter((voter) => voter.url !== null);
  return { voters: located.map(({ id, url }) => ({ voterId: id, voterUrl: url! })) };
}

/**
 * All voters that get heartbeats: the configured ones too, known or not, since separated groups find each other again
 * only by trying. Where voters have addresses, their places are tried in place of that (`sendRegister`).
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

/** A message to a voter, with its address if that is known. */
export function sendTo<M extends { readonly type: string }>(
  s: Membership,
  to: MemberId,
  message: M,
  out: { push(effect: { type: 'send'; to: MemberId; at?: string; message: M }): unknown },
  url: string | null = findVoter(s, to)?.url ?? null,
): void {
  out.push(url === null ? { type: 'send', to, message } : { type: 'send', to, at: url, message });
}

/** "Try to invoke the register API of each of the seed URLs until a valid response is received." */
export function sendRegister(s: Membership, out: MembershipOut): void {
  for (const to of s.seeds) out.push({ type: 'send', to, message: { type: 'register' } });
  for (const at of s.places) callRegister(s, at, false, out);
}

/**
 * Separated groups find each other again only by trying: now and then a registered voter makes itself known at the
 * places where no known voter is.
 */
export function tryPlaces(s: Membership, tolerance: number, out: MembershipOut): void {
  s.sinceTried += 1;
  if (s.sinceTried <= tolerance) return;
  s.sinceTried = 0;
  for (const at of s.places) if (!s.voters.some(({ url }) => url === at)) callRegister(s, at, true, out);
}

function callRegister(s: Membership, at: string, again: boolean, out: MembershipOut): void {
  if (s.url === null || at === s.url) return;
  const message = { type: 'register', voterUrl: s.url } as const;
  out.push({ type: 'call', at, message: again ? { ...message, again } : message });
}

/** Adds a voter. Its own word about its address counts most; `url` is null if no address was given. */
export function registerVoter(s: Membership, id: MemberId, url: string | null = null): void {
  s.questions = s.questions.filter((question) => question.voter !== id);
  const known = findVoter(s, id);
  if (known !== undefined) {
    if (id !== s.id) known.url = url ?? known.url;
    return;
  }
  if (s.voters.length >= MOST_VOTERS) return; // It registers again, until there is room.
  s.voters.push({ id, missed: 0, url });
  s.voters.sort((a, b) => compareIds(a.id, b.id));
}

/** Adds a voter that others know, and makes this one known to it: it may be on no list that the other has seen. */
export function introduce(s: Membership, id: MemberId, url: string | null, out: MembershipOut): void {
  const isNew = findVoter(s, id) === undefined;
  registerVoter(s, id, url);
  if (isNew && url !== null) callRegister(s, url, true, out);
}

/** The address of a voter in a list of a message, or null. */
export function urlIn(list: readonly ListedVoter[] | undefined, id: MemberId): string | null {
  return list?.find(({ voterId }) => voterId === id)?.voterUrl ?? null;
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
    else sendTo(s, voter.id, askStatus(s), out);
  }
}

/** The question names the asking voter's address, so that the answer finds its way. */
export function askStatus({ url }: Membership): { readonly type: 'status'; readonly voterUrl?: string } {
  return url === null ? { type: 'status' } : { type: 'status', voterUrl: url };
}

/** "Compare the list of known voters in the heartbeat message with its own list." The order does not matter. */
export function differs(s: Membership, list: readonly MemberId[]): boolean {
  if (list.length !== s.voters.length) return true;
  return !s.voters.every((voter, i) => voter.id === list[i] || list.includes(voter.id));
}

/** "The receiving voter sends its own known voter list back to the `reconcile` endpoint of the voter who sent" it. */
export function sendReconcile(s: Membership, to: MemberId, out: MembershipOut): void {
  sendTo(s, to, { type: 'reconcile', knownVoters: knownVoters(s), ...listedVoters(s) } as const, out);
}

interface List {
  readonly knownVoters: readonly MemberId[];
  readonly voters?: readonly ListedVoter[];
}

/** Both sides of a reconciliation: each "invokes the `status` endpoint of any unknown voters in the list". */
export function askUnknown(
  s: Membership,
  listedBy: MemberId,
  { knownVoters: list, voters }: List,
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
    const url = urlIn(voters, id);
    // Where voters have addresses, one without an address cannot be asked: another list may have it.
    if ((s.url !== null && url === null) || s.questions.length >= MOST_QUESTIONS) continue;
    s.questions.push({ voter: id, url, listedBy: [listedBy] });
    const message = askStatus(s);
    out.push(url === null ? { type: 'send', to: id, message } : { type: 'call', at: url, to: id, message });
    out.push({ type: 'set-timer', timer: 'status', delayMs: timeoutMs });
  }
}

/** "If it receives a response then it adds the voter to its list." */
export function registerIfAsked(s: Membership, from: MemberId, out: MembershipOut): void {
  const question = s.questions.find(({ voter }) => voter === from);
  if (question !== undefined) introduce(s, from, question.url, out);
}

/**
 * "If it does not receive a response, then it invokes the `remove` endpoint of the sending voter." A sender that
 * did not answer for itself is not told to remove itself.
 */
export function onNoStatusAnswer(s: Membership, out: MembershipOut): void {
  for (const { voter, listedBy } of s.questions) {
    for (const to of listedBy) {
      if (to === voter) continue;
      sendTo(s, to, { type: 'remove', voterId: voter, reason: 'no-answer' } as const, out);
    }
  }
  s.questions = [];
}

/** One is not yet a miss: our own heartbeat may just have left before the other's came. */
export function isHeard(voter: Voter): boolean {
  return voter.missed <= 1;
}

/** It was removed by request, and may not have heard of it yet (farewell.ts). */
export function isLeaving(s: Membership, id: MemberId): boolean {
  return s.farewells.some((farewell) => farewell.voter === id);
}
