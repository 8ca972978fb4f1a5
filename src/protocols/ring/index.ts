/**
 * ring: the token ring of seed 000. Members stand in a ring in id order; the heartbeat duty travels around it.
 * Whoever holds the duty checks the leader; if the leader is dead, an election message collects the ids of the
 * living, and the preferred of them leads.
 *
 * Promises nothing that holds at every moment. While messages arrive in time and nobody dies, all members come
 * to name the same living leader.
 *
 * Does not promise: one leader at a time. Each side of a partition elects its own; a leader that was paused or
 * cut off goes on until the ring tells it; one that answers too slowly is replaced while it acts. A member that
 * dies during an election may be elected, and the next check finds out. A member that lost its disk believes, as
 * on the first day, that the preferred id leads, until it is told otherwise. The preferred id that comes back
 * does not take the leadership back: only an election gives it.
 *
 * What a network needs beyond the seed, and no more:
 * - `ack`, and skipping a silent member (pass-on.ts).
 * - Elections are numbered (`round`), each one above the last that its first member knew. Of two leaders that
 *   meet, the one of the later round stays; in the same round, the preferred id. The duty, and every check of
 *   the leader, tells whom its sender follows. An election ends at a member that knows a leader of its round or a
 *   later one; the leader message takes its place there.
 * - The duty is numbered by the places it has come round the ring (`step`). A member takes only a duty that has
 *   come further than any it saw, so that of two duties one ends at the first member that had the other.
 * - A duty that did not come by for a lap and `timeoutMs` is made again, as if it had just come round; and with
 *   it an election or a leader message that was lost, because the duty finds the leader dead again.
 *
 * The roles are leader and follower; a follower that knows no leader waits to be told. Their exits:
 *   follower → leader (told that it leads: by a leader message, the duty, or a check)
 *   leader   → follower (told of a leader of a later round, or a preferred one of the same round)
 */
import {
  assertNever,
  type Definition,
  define,
  type Input,
  type MemberId,
  type Protocol,
  preferredId,
} from '../../core/index.ts';
import { acknowledge, onAck, onSilence, placesAhead, takeReturned } from '../pass-on.ts';
import { makeDuty, onAlive, onHeartbeat, onHeartbeatInvoke, onNoAnswer } from './check.ts';
import { passDuty, waitForDuty } from './duty.ts';
import { onElection, onLeader } from './election.ts';
import { type Body, type Message, messages } from './messages.ts';
import { options, type Rules, rulesOf, timing } from './settings.ts';
import { init, report, type State, type Timer, type Turn } from './state.ts';

function createRing(rules: Rules): Protocol<State, Message, Timer> {
  return {
    name: 'ring',
    pledges: [],
    init,
    step: (s, input, out) => step({ s, out, rules }, input),
    measure: ({ round, step, passing }) => ({ round, step, sequence: passing.sequence }),
  };
}

function step(turn: Turn, input: Input<Message, Timer>): void {
  handle(turn, input);
  for (let body = takeReturned(turn.s); body !== undefined; body = takeReturned(turn.s)) {
    onPassed(turn, turn.s.id, body);
  }
}

function handle(turn: Turn, input: Input<Message, Timer>): void {
  switch (input.type) {
    case 'start':
      return onStart(turn, input);
    case 'message':
      return onMessage(turn, input.from, input.message);
    case 'timer':
      return onTimer(turn, input.timer);
    case 'command': {
      const reason = `the ring election has no ${input.command.type}`;
      turn.out.push({ type: 'answer', command: input.id, outcome: { status: 'refused', reason } });
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

/**
 * "The instance with the smallest (or largest) ID must be the initial leader", and the seed gives the first
 * HEARTBEAT_INVOKE to the one after it. A member that ran before may have missed an election: it waits to be told.
 */
function onStart(turn: Turn, { saved, incarnation }: Extract<Input, { type: 'start' }>): void {
  const { s, out, rules } = turn;
  s.passing.incarnation = incarnation;
  if (saved === null) {
    s.leader = preferredId(s.ring, rules.prefer);
    out.push({ type: 'save', record: { started: true } });
  }
  report(turn);
  waitForDuty(turn);
  if (s.leader !== null && placesAhead(s.ring, s.leader, s.id) === 1) makeDuty(turn);
}

function onMessage(turn: Turn, from: MemberId, message: Message): void {
  switch (message.type) {
    case 'ack':
      return onAck(turn, message);
    case 'heartbeat':
      return onHeartbeat(turn, from, message);
    case 'alive':
      return onAlive(turn, from, message);
    case 'heartbeat-invoke':
    case 'election':
    case 'leader':
      if (acknowledge(turn, from, message)) onPassed(turn, from, message);
      return;
    default:
      assertNever(message);
  }
}

function onPassed(turn: Turn, from: MemberId, body: Body): void {
  switch (body.type) {
    case 'heartbeat-invoke':
      return onHeartbeatInvoke(turn, from, body);
    case 'election':
      return onElection(turn, body);
    case 'leader':
      return onLeader(turn, body);
    default:
      assertNever(body);
  }
}

function onTimer(turn: Turn, timer: Timer): void {
  switch (timer) {
    case 'ack':
      return onSilence(turn);
    case 'answer':
      return onNoAnswer(turn);
    case 'heartbeat':
      return passDuty(turn);
    case 'timeout':
      return makeDuty(turn);
    default:
      assertNever(timer);
  }
}

export const ring: Definition = define<typeof timing, typeof options, Message>({
  name: 'ring',
  summary: 'token ring: the heartbeat duty travels round a ring, an election collects the living',
  timing,
  options,
  messages,
  commands: [],
  create: (config) => createRing(rulesOf(config)),
});
