import type { Json, MemberId } from '../../core/index.ts';
import { idSet } from '../../core/index.ts';
import type { Age, Message, Register } from './messages.ts';
import { adoptTerm, becomeFollower, tellTerm, waitForElection } from './roles.ts';
import type { Times } from './settings.ts';
import {
  ageOf,
  isMajority,
  isMember,
  isOlder,
  type Out,
  others,
  peerOf,
  report,
  type State,
  sameAge,
  save,
} from './state.ts';

type Ask<T extends Message['type']> = Extract<Message, { type: T }>;

/** What it found accepted but not known to be committed, a new leader completes under its own term. */
export function completeRegister(s: State, times: Times, out: Out): void {
  if (!sameAge(s.register, s.committed)) renewRegister(s, times, out);
}

function renewRegister(s: State, times: Times, out: Out): void {
  acceptAndSend(s, { ...s.register, term: s.term }, [], times, out);
}

/** The first phase: the leader accepts, saves and sends. The second, the commit, follows the answers of a majority. */
export function startPublication(
  s: State,
  { value, members }: { value: Json; members: readonly MemberId[] },
  command: number | null,
  times: Times,
  out: Out,
): void {
  s.publishing = command;
  const leaving = s.register.members.filter((id) => !members.includes(id));
  const register: Register = { term: s.term, version: s.register.version + 1, members, value };
  if (command !== null) out.push({ type: 'set-timer', timer: 'commit', delayMs: times.commitTimeoutMs });
  acceptAndSend(s, register, leaving, times, out);
}

function acceptAndSend(
  s: State,
  register: Register,
  leaving: readonly MemberId[],
  times: Times,
  out: Out,
): void {
  s.register = register;
  save(s, out);
  const message: Message = { type: 'publish/send', term: s.term, register };
  // Those who leave are told too, so that they know.
  for (const to of idSet([...others(s), ...leaving]))
    if (to !== s.id) out.push({ type: 'send', to, message });
  waitForEverybody(s, times, out);
  commitWithMajority(s, times, out);
}

function waitForEverybody(s: State, times: Times, out: Out): void {
  s.sending = true;
  out.push({ type: 'set-timer', timer: 'publish', delayMs: times.publishTimeoutMs });
}

/** Whoever still lacks the register is sent it again. */
export function onPublishTimer(s: State, times: Times, out: Out): void {
  s.sending = false;
  if (s.role !== 'leader') return;
  for (const to of others(s)) if (isOlder(s.peers[to]?.age ?? NEVER, s.register)) sendRegister(s, to, out);
  if (others(s).some((id) => isOlder(s.peers[id]?.age ?? NEVER, s.register))) waitForEverybody(s, times, out);
}

const NEVER: Age = { term: 0, version: 0 };

function sendRegister(s: State, to: MemberId, out: Out): void {
  out.push({ type: 'send', to, message: { type: 'publish/send', term: s.term, register: s.register } });
}

/** Members hold what was sent without showing it, and answer once it is on their disk. */
export function onPublishSend(
  s: State,
  from: MemberId,
  m: Ask<'publish/send'>,
  times: Times,
  out: Out,
): void {
  if (m.term < s.term) return tellTerm(s, from, out);
  if (m.term > s.term) adoptTerm(s, m.term, times, out);
  if (s.role !== 'leader') {
    if (s.role !== 'follower' || s.leader !== from) {
      becomeFollower(s, from, times, out);
      waitForElection(s, times, out);
    }
    if (isOlder(s.register, m.register)) {
      const wasMember = isMember(s, s.id);
      s.register = m.register;
      save(s, out);
      if (isMember(s, s.id) !== wasMember) report(s, out);
    }
  }
  out.push({
    type: 'send',
    to: from,
    message: { type: 'publish/answer', term: s.term, age: ageOf(s.register) },
  });
}

/** As if the leader of that term had reached it late; but that leader is not answered, and so cannot count on it. */
export function onPublishCopy(s: State, { register }: Ask<'publish/copy'>, out: Out): void {
  if (s.role === 'leader' || !isOlder(s.register, register)) return;
  s.register = register;
  save(s, out);
  report(s, out);
}

export function onPublishAnswer(
  s: State,
  from: MemberId,
  m: Ask<'publish/answer'>,
  times: Times,
  out: Out,
): void {
  if (isMember(s, from) && s.role === 'leader' && m.term === s.term) onPeerAge(s, from, m.age, times, out);
}

/**
 * A member told how new its register is: one more for the majority, or one that lacks it. Or one that holds what an earlier
 * leader began and never committed: it would help nobody who lacks that, so it is superseded.
 */
export function onPeerAge(s: State, from: MemberId, age: Age, times: Times, out: Out): void {
  peerOf(s, from).age = age;
  if (isOlder(s.register, age)) return renewRegister(s, times, out);
  commitWithMajority(s, times, out);
  if (s.sending || !isOlder(age, s.register)) return;
  sendRegister(s, from, out);
  waitForEverybody(s, times, out);
}

/** A majority has accepted what this term's leader sent: now it is committed, and every later leader will have it. */
function commitWithMajority(s: State, times: Times, out: Out): void {
  const { register } = s;
  if (register.term !== s.term || sameAge(register, s.committed)) return;
  const accepted = register.members.filter(
    (id) => id === s.id || sameAge(s.peers[id]?.age ?? NEVER, register),
  );
  if (!isMajority(s, accepted.length)) return;
  commitAccepted(s, out);
  for (const to of others(s)) {
    out.push({ type: 'send', to, message: { type: 'publish/commit', term: s.term, age: ageOf(register) } });
  }
  if (s.publishing !== null) {
    out.push(
      { type: 'cancel-timer', timer: 'commit' },
      { type: 'answer', command: s.publishing, outcome: { status: 'done' } },
    );
    s.publishing = null;
  }
  const { change } = s;
  if (change !== null) {
    s.change = null;
    startPublication(s, { value: register.value, members: change.members }, change.command, times, out);
  }
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

/** No majority in time. It was sent, so a later leader may still complete it. */
export function onCommitTimer(s: State, out: Out): void {
  if (s.publishing === null) return;
  const reason = 'no majority answered in time';
  out.push({
    type: 'answer',
    command: s.publishing,
    outcome: { status: 'failed', reason, effect: 'indefinite' },
  });
  s.publishing = null;
}
