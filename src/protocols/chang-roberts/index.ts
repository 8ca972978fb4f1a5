/**
 * chang-roberts: the ring algorithm of seed 001. Each member marks itself as participating and sends its id around
 * the ring; larger ids swallow smaller ones; the member whose id comes back leads and announces it.
 *
 * Promises nothing that holds at every moment. While messages arrive in time and nobody dies, an election ends
 * with all members naming the one with the largest id, the same whoever began it ("unique and repeatable").
 *
 * Does not promise: one leader at a time. Each side of a partition elects its own; a leader that was paused goes
 * on until it hears of another. An election is not quiet: whoever joins one gives up the leader it had, so any
 * member that starts, or misses heartbeats, leaves the ring without a leader for two laps.
 *
 * What a network needs beyond the seed, and no more:
 * - `ack`, and skipping a silent member (pass-on.ts). A message is not handed past the member whose id it bears:
 *   if that one is dead, nobody else would ever take it out of the ring.
 * - "Or is down": the leader sends `heartbeat` to everybody. Whoever hears none for `timeoutMs`, or takes part in
 *   an election that has no result that long after two laps, starts an election. So no mark stays set for ever.
 * - Of two leaders, the larger id stays: a heartbeat is heeded unless it comes from a smaller id than that of the
 *   leader one has. A heartbeat also ends a participation, as `elected` does.
 * - Stepping down: the leader starts an election for which it does not stand. It sends no id (null, smaller than
 *   all), and hands on the ids of others without comparing. If null comes back to it, nobody else stands, and
 *   it stands again. Once another leads, it may win the next election like everybody.
 *
 * The state of the seed is "defined" (leader P) or "undefined" (leader null). Roles and their exits:
 *   candidate (participating, undefined) → leader (its own id came back) | follower (elected, heartbeat)
 *   follower  (defined) → candidate (an election, or no heartbeat in time)
 *   leader    (defined, itself) → candidate (an election, or it resigns) | follower (elected, a larger heartbeat)
 */
import {
  assertNever,
  type Command,
  type Definition,
  define,
  type Input,
  type MemberId,
  type Outcome,
  type Protocol,
} from '../../core/index.ts';
import { acknowledge, onAck, onSilence, takeReturned } from '../pass-on.ts';
import { onElected, onElection, onHeartbeat, startElection } from './election.ts';
import { type Body, type Message, messages } from './messages.ts';
import { sendHeartbeats } from './roles.ts';
import { checkLayout, options, type Rules, rulesOf, timing } from './settings.ts';
import { init, type State, type Timer, type Turn } from './state.ts';

function createChangRoberts(rules: Rules): Protocol<State, Message, Timer> {
  return {
    name: 'chang-roberts',
    pledges: [],
    init: (self) => init(self, rules),
    step: (s, input, out) => step({ s, out, rules }, input),
    measure: ({ passing }) => ({ sequence: passing.sequence }),
  };
}

function step(turn: Turn, input: Input<Message, Timer>): void {
  handle(turn, input);
  for (let body = takeReturned(turn.s); body !== undefined; body = takeReturned(turn.s)) onPassed(turn, body);
}

function handle(turn: Turn, input: Input<Message, Timer>): void {
  switch (input.type) {
    case 'start':
      turn.s.passing.incarnation = input.incarnation;
      return startElection(turn);
    case 'message':
      return onMessage(turn, input.from, input.message);
    case 'timer':
      return onTimer(turn, input.timer);
    case 'command': {
      const outcome = onCommand(turn, input.command);
      turn.out.push({ type: 'answer', command: input.id, outcome });
      return;
    }
    case 'drawn':
    case 'peer-gone':
    case 'peer-back':
      return; // A member is dead when it does not answer; the ring takes nobody's word for it.
    default:
      assertNever(input);
  }
}

function onMessage(turn: Turn, from: MemberId, message: Message): void {
  switch (message.type) {
    case 'ack':
      return onAck(turn, message);
    case 'heartbeat':
      return onHeartbeat(turn, from);
    case 'election':
    case 'elected':
      if (acknowledge(turn, from, message)) onPassed(turn, message);
      return;
    default:
      assertNever(message);
  }
}

function onPassed(turn: Turn, body: Body): void {
  if (body.type === 'election') onElection(turn, body.candidate);
  else onElected(turn, body.leader);
}

function onTimer(turn: Turn, timer: Timer): void {
  switch (timer) {
    case 'ack':
      return onSilence(turn);
    case 'heartbeat':
      return sendHeartbeats(turn);
    case 'timeout':
      return startElection(turn);
    default:
      assertNever(timer);
  }
}

function onCommand(turn: Turn, { type }: Command): Outcome {
  const { s } = turn;
  switch (type) {
    case 'campaign': // "Any process may start a new leader election."
      if (!s.participating) startElection(turn);
      return { status: 'done' };
    case 'resign': // "Re-elections must be allowed in case the leader process decides to step down."
      if (s.leader !== s.id) return { status: 'refused', reason: 'it does not lead' };
      s.abstaining = true;
      startElection(turn);
      return { status: 'done' };
    case 'priority':
    case 'transfer':
    case 'publish':
    case 'add':
    case 'remove':
      return { status: 'refused', reason: `the chang-roberts election has no ${type}` };
    default:
      return assertNever(type);
  }
}

export const changRoberts: Definition = define<typeof timing, typeof options, Message>({
  name: 'chang-roberts',
  summary: 'Chang and Roberts: ids travel round a ring, larger ones swallow smaller ones',
  timing,
  options,
  check: checkLayout,
  messages,
  commands: ['campaign', 'resign'],
  create: (config) => createChangRoberts(rulesOf(config)),
});
