import { idSet, type Json, type MemberId, type View } from '../../core/index.ts';
import { resign } from './handover.ts';
import { peerOf, renewLease } from './leading.ts';
import type { Age, Ask, Register, Seat } from './messages.ts';
import { adoptTerm, becomeFollower, tellTerm, waitForElection } from './roles.ts';
import { isQuorum, newRegister, roundOfSeats, seatOf } from './seats.ts';
import type { SetTiming, Times } from './settings.ts';
import {
  ageOf,
  isMember,
  isOlder,
  isRivalOf,
  NEVER,
  type Out,
  origin,
  others,
  type Peer,
  report,
  type State,
  sameAge,
  save,
  send,
  sendToAll,
} from './state.ts';
import { isUnconfirmed } from './succession.ts';

/**
 * Does the view of this leader show the newest register that any leader can have committed? It has that register, since
 * a majority voted for it; but as long as it has not completed it, it may show the one before. A version has one
 * committed value, so comparing versions is enough.
 */
export function isCurrent(s: State, view: View): boolean {
  return (
    s.role === 'leader' &&
    !isUnconfirmed(s) &&
    sameAge(s.register, s.committed) &&
    view.term === s.term &&
    view.version === s.committed.version
  );
}

/** A new leader completes, under its own term, a register that it found accepted but not known to be committed. */
export function completeRegister(s: State, times: Times, out: Out): void {
  if (!isUnconfirmed(s) && !sameAge(s.register, s.committed)) renewRegister(s, times, out);
}

/**
 * A candidate wins with the votes of members that have nothing newer than it has. A deputy was promised support before its
 * term began, so what it has is the newest only if clocks keep time and the proof of the death of its leader is true. R1
 * does not rest on these: in its own term the deputy first hears a majority that has nothing newer, and then publishes.
 *
 * Example: 2 is the deputy of 1, and its machine sleeps for a minute. 1 commits "a" with 3, and dies. 2 wakes, hears that 1
 * is dead, and takes over: its lease seems to run. What it published at once would replace "a" at 3.
 */
export function confirm(s: State, times: Times, out: Out): void {
  const { succeeds, register, peers, waiting, publishing } = s;
  const round = roundOfSeats(register, ({ id, disk }) => {
    if (id === s.id) return disk === s.disk ? s.round : 0;
    const peer = peers[id];
    return peer === undefined || isOlder(register, peer.age) ? 0 : peer.round;
  });
  if (succeeds === null || round === 0) return;
  s.succeeds = { ...succeeds, isConfirmed: true };
  s.waiting = null;
  if (waiting === null) return completeRegister(s, times, out);
  startPublication(s, waiting, publishing, times, out);
}

/** A deputy that leads finds what was accepted before its term began. */
function adoptFound(s: State, from: MemberId, { register }: Ask<'publish/copy'>, out: Out): void {
  if (!isUnconfirmed(s) || !isMember(s, from)) return;
  if (!isOlder(s.register, register) || register.term >= s.term) return;
  s.register = register;
  rearrangePeers(s);
  save(s, out);
}

export function renewRegister(s: State, times: Times, out: Out): void {
  acceptAndSend(s, newRegister({ ...s.register, term: s.term }), [], times, out);
}

/** What a publication sets; what it leaves out stays. */
export interface Publication {
  readonly value?: Json;
  readonly members?: readonly Seat[];
  readonly paused?: boolean | undefined;
  readonly timing?: SetTiming | undefined;
}

/** The first phase: the leader accepts, saves and sends. The second, the commit, follows the answers of a majority. */
export function startPublication(
  s: State,
  publication: Publication,
  command: number | null,
  times: Times,
  out: Out,
): void {
  s.publishing = command;
  if (command !== null) out.push({ type: 'set-timer', timer: 'commit', delayMs: times.commitTimeoutMs });
  if (isUnconfirmed(s)) {
    s.waiting = publication;
    return;
  }
  const { value = s.register.value, members = s.register.members, timing = s.register.timing } = publication;
  const taken =
    publication.members === undefined ? s.register.taken : Math.max(s.register.taken ?? 0, s.named);
  const stays = (id: MemberId): boolean => members.some((seat) => seat.id === id);
  const leaving = others(s).filter((id) => !stays(id));
  const founding = s.register.founding ?? foundersIn(s.register, members);
  const register = newRegister({
    term: s.term,
    version: s.register.version + 1,
    members,
    founding,
    value,
    taken: taken || undefined,
    paused: (publication.paused ?? s.register.paused) ? true : undefined,
    timing,
  });
  acceptAndSend(s, register, leaving, times, out);
}

/** The first seats that are ever filled are those of the founders. */
function foundersIn(before: Register, members: readonly Seat[]): readonly Seat[] | null {
  const isFilled = (seat: Seat): boolean => seat.disk !== null;
  return !before.members.some(isFilled) && members.some(isFilled) ? members : null;
}

function acceptAndSend(
  s: State,
  register: Register,
  leaving: readonly MemberId[],
  times: Times,
  out: Out,
): void {
  s.register = register;
  rearrangePeers(s);
  save(s, out);
  // Members that leave are told too, so that they know.
  for (const to of idSet([...others(s), ...leaving])) sendRegister(s, to, out);
  waitForAll(s, times, out);
  commitWithQuorum(s, out);
  renewLease(s, times, out); // Disks that were just given seats may have promised already.
}

/** A disk that got a seat, or lost it, moves to the other list. */
function rearrangePeers(s: State): void {
  const known = (['peers', 'newcomers'] as const).flatMap((each) => Object.entries(s[each]));
  s.peers = {};
  s.newcomers = {};
  for (const [name, peer] of known) {
    const seat = s.register.members.find(({ id }) => String(id) === name);
    if (seat === undefined) continue;
    (seat.disk === peer.disk ? s.peers : s.newcomers)[name] = peer;
  }
}

function waitForAll(s: State, times: Times, out: Out): void {
  s.sending = true;
  out.push({ type: 'set-timer', timer: 'publish', delayMs: times.publishTimeoutMs });
}

/** Members that still lack the register are sent it again. */
export function onPublishTimer(s: State, times: Times, out: Out): void {
  s.sending = false;
  if (s.role !== 'leader') return;
  const lacking = others(s).filter((id) => isOlder(newestPeer(s, id)?.age ?? NEVER, s.register));
  for (const to of lacking) sendRegister(s, to, out);
  if (lacking.length > 0) waitForAll(s, times, out);
}

/** The disk under this name that was heard last, whether it has the seat or not. */
function newestPeer(s: State, id: MemberId): Peer | undefined {
  const [seated, newcomer] = [s.peers[id], s.newcomers[id]];
  return (newcomer?.round ?? -1) > (seated?.round ?? -1) ? newcomer : seated;
}

function sendRegister(s: State, to: MemberId, out: Out): void {
  send(to, { type: 'publish/send', term: s.term, register: s.register, by: origin(s) }, out);
}

/** Members hold the register without showing it, and answer once it is on their disk. */
export function onPublishSend(
  s: State,
  from: MemberId,
  m: Ask<'publish/send'>,
  times: Times,
  out: Out,
): void {
  if (m.term < s.term) return tellTerm(s, from, out);
  if (isRivalOf(s, m.term)) return;
  if (m.term > s.term) adoptTerm(s, m.term, times, out);
  if (s.role !== 'follower' || s.leader !== from) {
    becomeFollower(s, from, times, out);
    waitForElection(s, times, out);
  }
  if (isOlder(s.register, m.register)) accept(s, m.register, out);
  send(
    from,
    { type: 'publish/answer', to: m.by.life, term: s.term, age: ageOf(s.register), by: origin(s) },
    out,
  );
}

/**
 * As if the leader of that term had reached it late; but that leader gets no answer, and so cannot count on it. With
 * the register comes its term: a member that holds it must not vote in an earlier one. A member that is bound to a
 * leader gets its registers from that leader: one from another sender, which the leader never made, would separate
 * the two.
 */
export function onPublishCopy(
  s: State,
  from: MemberId,
  m: Ask<'publish/copy'>,
  times: Times,
  out: Out,
): void {
  if (s.role === 'leader') return adoptFound(s, from, m, out);
  if (!isOlder(s.register, m.register)) return;
  if (s.promise !== null && s.promise.to !== null) return;
  if (m.register.term > s.term) adoptTerm(s, m.register.term, times, out);
  accept(s, m.register, out);
}

function accept(s: State, register: Register, out: Out): void {
  const wasMember = isMember(s, s.id);
  s.register = register;
  save(s, out);
  if (isMember(s, s.id) !== wasMember) report(s, out);
}

export function onPublishAnswer(
  s: State,
  from: MemberId,
  m: Ask<'publish/answer'>,
  times: Times,
  out: Out,
): void {
  if (m.to !== s.life || !isMember(s, from) || s.role !== 'leader' || m.term !== s.term) return;
  onPeerAge(s, from, m.by.disk, m.age, times, out);
  renewLease(s, times, out); // The first lease waits for the first seats to be committed.
}

/**
 * A member reported the age of its register: one more for the majority, or one that lacks it. Or one that holds what
 * an earlier leader began and never committed: it would vote for no candidate that lacks that, so it is superseded.
 */
export function onPeerAge(s: State, from: MemberId, disk: string, age: Age, times: Times, out: Out): void {
  peerOf(s, from, disk).age = age;
  if (!isMember(s, from)) return; // It is still to be added.
  if (isOlder(s.register, age)) return supersede(s, times, out);
  commitWithQuorum(s, out);
  if (s.sending || !isOlder(age, s.register)) return;
  sendRegister(s, from, out);
  waitForAll(s, times, out);
}

/** A member of an earlier release does not send what it has: then the members elect one that has it. */
function supersede(s: State, times: Times, out: Out): void {
  if (!isUnconfirmed(s)) return renewRegister(s, times, out);
  if (s.round > s.succeeds!.until) resign(s, undefined, times, out);
}

/** Enough members have accepted what this term's leader sent: it is committed, and every later leader will have it. */
export function commitWithQuorum(s: State, out: Out): void {
  const { register } = s;
  if (register.term !== s.term || sameAge(register, s.committed)) return;
  if (!isQuorum(register, acceptors(s))) return;
  if (lacksDeputy(s)) return;
  const told = [...others(s), ...departed(s)]; // Members that leave learn that they have left.
  commitAccepted(s, out);
  sendToAll(told, { type: 'publish/commit', term: s.term, age: ageOf(register), by: origin(s) }, out);
  if (s.publishing !== null) {
    out.push(
      { type: 'cancel-timer', timer: 'commit' },
      { type: 'answer', command: s.publishing, outcome: { status: 'done' } },
    );
    s.publishing = null;
  }
}

/**
 * A deputy leads without asking, so it must have whatever is committed: the disk that has its seat, not another one that
 * answers under its name.
 */
function lacksDeputy({ id, heir, peers, register }: State): boolean {
  if (heir === null || heir.to === id) return false;
  const peer = peers[heir.to!];
  return peer === undefined || !sameAge(peer.age, register);
}

/** The members that were in the committed register and are not in the present one. */
function departed({ id, committed, register }: State): MemberId[] {
  const ids = committed.members.map((seat) => seat.id);
  return ids.filter((each) => each !== id && seatOf(register, each) === undefined);
}

/** The names that have accepted the present register, each with the disk that did. */
function acceptors(s: State): Record<string, string> {
  const accepted: Record<string, string> = { [s.id]: s.disk };
  for (const { id } of s.register.members) {
    if (id === s.id) continue;
    const peer = [s.peers[id], s.newcomers[id]].find((each) => each && sameAge(each.age, s.register));
    if (peer) accepted[id] = peer.disk;
  }
  return accepted;
}

/** What was accepted is committed: members show it from now on. */
export function commitAccepted(s: State, out: Out): void {
  if (sameAge(s.register, s.committed)) return;
  s.committed = s.register;
  save(s, out);
  report(s, out);
}

export function onPublishCommit(s: State, m: Ask<'publish/commit'>, out: Out): void {
  if (m.term === s.term && sameAge(m.age, s.register)) commitAccepted(s, out);
}

/** No majority in time. If it was sent, a later leader may still complete it; if not, it had no effect. */
export function onCommitTimer(s: State, out: Out): void {
  if (s.publishing !== null) {
    const reason = 'no majority answered in time';
    const effect = s.waiting === null ? 'indefinite' : 'definite';
    s.waiting = null;
    out.push({ type: 'answer', command: s.publishing, outcome: { status: 'failed', reason, effect } });
    s.publishing = null;
  }
  if (s.change !== null) {
    const { command, kind, member } = s.change;
    const isAbsent = kind === 'add' && s.newcomers[member] === undefined;
    const reason = isAbsent
      ? `${member} has not answered: start it, with all members among its peers, and try again`
      : 'the change before it was not committed in time';
    out.push({ type: 'answer', command, outcome: { status: 'failed', reason, effect: 'definite' } });
    s.change = null;
  }
}
