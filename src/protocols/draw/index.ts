/**
 * draw: the election of seed 002. Every voter draws a random number, the highest wins, and the result counts once
 * all voters agree on it. Who the voters are is found out on the way (see ../membership.ts).
 *
 * Promises without `quorum`: nothing at any one moment. Once everybody hears everybody, all follow one leader.
 * Each part of a split cluster elects a leader of its own: "the voter is orphaned in an isolated region". When the
 * parts meet, reconciliation joins their lists, and of two leaders the one of the older election follows the other;
 * if their elections have the same number, they hold a new one.
 *
 * Promises with `quorum`: at most one leader per election number (S1), one certificate per number and voter (S2),
 * terms that only grow (S3), certificates of a majority of the configured voters behind every leader (S4), and
 * voters that name the same leader for the same term (S9); all as long as every voter keeps its disk. It rests on
 * one rule: a voter saves the number of an election before it takes part, and takes part in a number only once. The
 * configured voters are fixed: voters that are added later draw and may win, but only certificates of configured
 * ones count, and removing a configured voter does not make the majority smaller.
 *
 * Does not promise, even with `quorum`: one leader at a time. A leader that is cut off leads on until it has missed
 * its voters for longer than is tolerated (then it steps down), and the others may have elected another one by then.
 * One silent voter delays every election until it is forgotten, since all must agree. A voter that was configured
 * with others and starts alone waits for them for ever.
 *
 * The term in a view is the number of the election that made the leader. It stays when the leader goes.
 *
 * Roles and their exits:
 *   none      → follower (registered with another voter)
 *   follower  → leader (won, and certified) | none (removed by request)
 *   leader    → follower (lost an election, heard of a newer one, resigned, lost its majority) | none (removed)
 */
import {
  assertNever,
  type Definition,
  define,
  type Input,
  type Json,
  type Pledge,
  type Protocol,
} from '../../core/index.ts';
import { onNoStatusAnswer, sendRegister } from '../membership.ts';
import { onCommand } from './commands.ts';
import { onCast, onCertify, onDrawn, onElectionTimeout, onResult, onStart } from './election.ts';
import { onHealthChecked, onHeartbeat, onHeartbeatTimer } from './health.ts';
import { type Message, messages, type Out, type Timer } from './messages.ts';
import { options, timing } from './settings.ts';
import { createState, type Rules, report, type State } from './state.ts';
import { onReconcile, onRegister, onRegisterAnswer, onRemove, onStatus, onStatusAnswered } from './voters.ts';

type MessageInput = Extract<Input<Message, Timer>, { type: 'message' }>;

function step(s: State, input: Input<Message, Timer>, out: Out): void {
  // A removed voter takes no part until it starts again; it only answers its user.
  if (s.membership.removed && input.type !== 'command') return;
  switch (input.type) {
    case 'start':
      return onBoot(s, input.saved, out);
    case 'message':
      if (input.from !== s.id) onMessage(s, input, out);
      return;
    case 'timer':
      return onTimer(s, input.timer, out);
    case 'drawn':
      return onDrawn(s, input.draw, input.value, out);
    case 'command':
      return onCommand(s, input, out);
    case 'peer-gone':
    case 'peer-back':
      return; // The seed knows no evidence: a voter is gone when it does not answer.
    default:
      assertNever(input);
  }
}

/** "When a voter process starts, it needs to register with other voters." */
function onBoot(s: State, saved: Json, out: Out): void {
  if (saved !== null) {
    const record = saved as { election: number; term: number };
    s.election = record.election;
    s.term = record.term;
    s.newest = Math.max(s.election, s.term);
  }
  report(s, out);
  sendRegister(s.membership, out);
  out.push({ type: 'set-timer', timer: 'heartbeat', delayMs: s.rules.heartbeatMs });
}

/** What a voter heeds before it is registered. */
const BEFORE_REGISTRATION: readonly Message['type'][] = ['register', 'register/answer', 'remove', 'status'];

function onMessage(s: State, { from, message }: MessageInput, out: Out): void {
  if (!s.membership.registered && !BEFORE_REGISTRATION.includes(message.type)) return;
  switch (message.type) {
    case 'register':
      return onRegister(s, from, out);
    case 'register/answer':
      return onRegisterAnswer(s, from, message, out);
    case 'remove':
      return onRemove(s, message, out);
    case 'status':
      return onStatus(s, from, out);
    case 'status/answer':
      return onStatusAnswered(s, from, message, out);
    case 'heartbeat':
      return onHeartbeat(s, from, message, out);
    case 'reconcile':
      return onReconcile(s, from, message.knownVoters, out);
    case 'election/start':
      return onStart(s, message, out);
    case 'election/cast':
      return onCast(s, from, message, out);
    case 'election/result':
      return onResult(s, from, message, out);
    case 'election/certify':
      return onCertify(s, from, message, out);
    default:
      assertNever(message);
  }
}

function onTimer(s: State, timer: Timer, out: Out): void {
  switch (timer) {
    case 'heartbeat':
      return onHeartbeatTimer(s, out);
    case 'status':
      return onNoStatusAnswer(s.membership, out);
    case 'check':
      return onHealthChecked(s, out);
    case 'election':
      return onElectionTimeout(s, out);
    default:
      assertNever(timer);
  }
}

const pledges: readonly Pledge[] = (['S1', 'S2', 'S3', 'S4', 'S9'] as const).map((property) => ({
  property,
  assuming: ['disk', 'no-forgery'],
}));

function createDraw(rules: Rules): Protocol<State, Message, Timer> {
  return {
    name: 'draw',
    pledges: rules.quorum ? pledges : [],
    init: (self) => createState(self, rules),
    step,
    measure: ({ newest, ballot }) => ({ election: newest, round: ballot?.round ?? 0 }),
    vote: (message) => (message.type === 'election/certify' ? { term: message.election } : null),
  };
}

export const draw: Definition = define<typeof timing, typeof options, Message>({
  name: 'draw',
  summary: 'a lottery: every voter draws a random number, the highest wins, all certify the result',
  timing,
  options,
  messages,
  registration: { request: 'register', answer: 'register/answer' },
  commands: ['campaign', 'resign', 'add', 'remove'],
  create: (given) => createDraw({ ...given.timing, ...given.options }),
});
