import { idSet, type Json, type MemberId, majority } from '../../core/index.ts';
import type { Message, Register } from './messages.ts';
import { waitForElection } from './roles.ts';
import type { Times } from './settings.ts';
import { isOlder, type Out, others, promiseTo, report, type Saved, type State, save } from './state.ts';

type Ask<T extends Message['type']> = Extract<Message, { type: T }>;

/**
 * Whatever this id promised before it stopped, it keeps: it helps nobody for as long as a promise lasts. With its disk it
 * goes on from there. Without, it does not know what it voted and accepted, and has to recall it from the others first.
 */
export function onStart(s: State, saved: Json, incarnation: number, times: Times, out: Out): void {
  promiseTo(s, { to: null, term: 0, round: 0 }, times, out);
  if (saved === null) {
    s.life = incarnation;
    report(s, out);
    return sendRecalls(s, times, out);
  }
  Object.assign(s, saved as unknown as Saved);
  s.role = 'follower';
  report(s, out);
  waitForElection(s, times, out);
}

/** Asks those who have not answered, again and again. */
export function sendRecalls(s: State, times: Times, out: Out): void {
  if (s.role !== 'blank') return;
  // Those it was configured with may have been replaced by others that only they know.
  for (const to of idSet([...others(s), ...newestRecalled(s).members])) {
    if (to === s.id || s.recalled[to] !== undefined) continue;
    out.push({ type: 'send', to, message: { type: 'recall', life: s.life } });
  }
  out.push({ type: 'set-timer', timer: 'recall', delayMs: times.heartbeatMs });
  recallWithMajority(s, times, out);
}

/**
 * Remembers, durably, that whatever this member voted in an earlier life is void: our own votes will carry it, so that no
 * candidate counts one of them together with ours.
 */
export function onRecall(s: State, from: MemberId, { life }: Ask<'recall'>, out: Out): void {
  if (life > (s.lives[from] ?? 0)) {
    s.lives = { ...s.lives, [from]: life };
    if (s.role !== 'blank') save(s, out);
  }
  const { term, register, committed } = s;
  const answer: Message = { type: 'recall/answer', life, term, register, committed: committed.version };
  out.push({ type: 'send', to: from, message: answer });
}

export function onRecallAnswer(
  s: State,
  from: MemberId,
  m: Ask<'recall/answer'>,
  times: Times,
  out: Out,
): void {
  if (s.role !== 'blank' || m.life !== s.life) return;
  const { term, register, committed } = m;
  s.recalled = { ...s.recalled, [from]: { term, register, committed } };
  recallWithMajority(s, times, out);
}

/**
 * As many *others* as make a majority: every majority that this member may have been part of, in an election or in a
 * publication, then has another member among those who answered.
 */
function recallWithMajority(s: State, times: Times, out: Out): void {
  const answers = Object.values(s.recalled);
  const newest = newestRecalled(s);
  const voters = newest.members.filter((id) => id !== s.id);
  const answered = voters.filter((id) => s.recalled[id] !== undefined);
  if (answered.length < Math.min(majority(newest.members.length), voters.length)) return;

  s.term = Math.max(0, ...answers.map((answer) => answer.term));
  s.votedFor = s.id; // It may have voted in this term already, so it does not vote in it again.
  s.register = newest;
  if (answers.some((answer) => answer.committed === newest.version)) s.committed = newest;
  s.recalled = {};
  s.role = 'follower';
  save(s, out);
  report(s, out);
  out.push({ type: 'cancel-timer', timer: 'recall' });
  waitForElection(s, times, out);
}

/**
 * What others have counts, not what it was configured with: one who joins is configured as if it were a member already,
 * and must not take itself for one.
 */
function newestRecalled(s: State): Register {
  const [first, ...rest] = Object.values(s.recalled).map((answer) => answer.register);
  if (first === undefined) return s.register;
  return rest.reduce((newest, register) => (isOlder(newest, register) ? register : newest), first);
}
