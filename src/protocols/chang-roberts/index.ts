/**
 * chang-roberts: the ring algorithm of seed 001. Each member marks itself as participating and sends its id around
 * the ring; larger ids swallow smaller ones; the member whose id comes back leads and announces it.
 *
 * Promises nothing that holds at every moment. While messages arrive in time and no member dies, an election ends
 * with all members naming the one with the largest id, the same whichever began it ("unique and repeatable").
 * Does not promise: one leader at a time. Each side of a partition elects its own; a leader that was paused goes
 * on until it hears of another. An election is not quiet: a member that joins one gives up the leader it had, so any
 * member that starts, or misses heartbeats, leaves the ring without a leader for two laps.
 *
 * What a network needs beyond the seed, and no more:
 * - `ack`, and skipping a silent member (pass-on.ts). A message is not handed past the member whose id it bears:
 *   if that one is dead, no other would ever take it out of the ring.
 * - "Or is down": the leader sends `heartbeat` to all others. A member that hears none for `timeoutMs`, or takes part in
 *   an election that has no result that long after two laps, starts an election. So no mark stays set for ever.
 * - Of two leaders, the larger id stays: a heartbeat is heeded unless it comes from a smaller id than that of the
 *   leader one has. A heartbeat also ends a participation, as `elected` does.
 * - Stepping down: the leader starts an election for which it does not stand. It sends no id (null, smaller than
 *   all), and hands on the ids of others without comparing. If null comes back to it, no other stands, and
 *   it stands again. Once another leads, it may win the next election like any member.
 *
 * The state of the seed is "defined" (leader P) or "undefined" (leader null). Roles and their exits:
 *   candidate (participating, undefined) → leader (its own id came back) | follower (elected, heartbeat)
 *   follower  (defined) → candidate (an election, or no heartbeat in time)
 *   leader    (defined, itself) → candidate (an election, or it resigns) | follower (elected, a larger heartbeat)
 */
import {
  assertNever,
  type Command,
  type Config,
  compareIds,
  type Definition,
  define,
  type Effect,
  type Input,
  type MemberId,
  memberId,
  nullable,
  type Objection,
  type Outcome,
  type Protocol,
  record,
  show,
} from '../../core/index.ts';
import {
  type Ack,
  handOn,
  handOnUpTo,
  noPassing,
  onAck,
  onNoAck,
  type Passed,
  type PassingRules,
  passingRules,
  type Seat,
  sendAck,
  skipMs,
  slip,
  takeReturned,
} from '../pass-on.ts';
import { options, timing } from './settings.ts';

/** "a message in the direction of the ring, indicating that it is the leader"; null while no member stands */
type Election = { readonly type: 'election'; readonly candidate: MemberId | null };

/** "a message 'leader elected'" */
type Elected = { readonly type: 'elected'; readonly leader: MemberId };

/** What travels around the ring. */
type Body = Election | Elected;

export type Message = Passed<Body> | Ack | { readonly type: 'heartbeat' };

const messages: Definition<never, never, Message>['messages'] = {
  election: record({ candidate: nullable(memberId), ...slip }),
  elected: record({ leader: memberId, ...slip }),
  ack: record({ ...slip }),
  heartbeat: record({}),
};

export type Timer = 'ack' | 'heartbeat' | 'timeout';
type Out = Effect<Message, Timer>[];

interface State extends Seat<Body> {
  participating: boolean;
  /** It resigned and is no candidate in this election. */
  abstaining: boolean;
  /** "The possible states are 'defined' (`elected == P`), or 'undefined' (`elected == @`)", here null. */
  leader: MemberId | null;
}

type Settings = Config<typeof timing, typeof options>;

/** The settings as the algorithm uses them. */
interface Rules extends PassingRules {
  readonly heartbeatMs: number;
  readonly timeoutMs: readonly [number, number];
}

/** A ring that is configured names each member once. */
function checkLayout({ options: { ring } }: Settings, members: readonly MemberId[]): Objection | null {
  if (ring === null || (ring.length === members.length && members.every((id) => ring.includes(id))))
    return null;
  const reason = `${show(ring)}, which does not name each of ${members.join(', ')} once`;
  return { path: 'options.ring', reason };
}

function createChangRoberts(config: Settings): Protocol<State, Message, Timer> {
  const { heartbeatMs, timeoutMs } = config.timing;
  const rules: Rules = { heartbeatMs, timeoutMs, ...passingRules(config.timing, config.options) };
  return {
    name: 'chang-roberts',
    pledges: [],
    // "The initial state of a process is undefined."
    init: ({ id, members }) => ({
      id,
      ring: [...(config.options.ring ?? members)],
      participating: false,
      abstaining: false,
      leader: null,
      passing: noPassing(),
    }),
    step(s, input, out) {
      onInput(s, input, rules, out);
      for (let body = takeReturned(s); body !== undefined; body = takeReturned(s))
        onPassed(s, body, rules, out);
    },
    measure: ({ passing }) => ({ sequence: passing.sequence }),
  };
}

function onInput(s: State, input: Input<Message, Timer>, rules: Rules, out: Out): void {
  switch (input.type) {
    case 'start':
      s.passing.incarnation = input.incarnation;
      return startElection(s, rules, out);
    case 'message':
      return onMessage(s, input.from, input.message, rules, out);
    case 'timer':
      return onTimer(s, input.timer, rules, out);
    case 'command': {
      const outcome = onCommand(s, input.command, rules, out);
      out.push({ type: 'answer', command: input.id, outcome });
      return;
    }
    case 'drawn':
    case 'peer-gone':
    case 'peer-back':
    case 'seeds':
      return; // A member is dead when it does not answer; the ring takes no other evidence.
    default:
      assertNever(input);
  }
}

function onMessage(s: State, from: MemberId, m: Message, rules: Rules, out: Out): void {
  switch (m.type) {
    case 'ack':
      return onAck(s, m, rules, out);
    case 'heartbeat':
      return onHeartbeat(s, from, rules, out);
    case 'election':
    case 'elected':
      if (sendAck(s, from, m, out)) onPassed(s, m, rules, out);
      return;
    default:
      assertNever(m);
  }
}

function onPassed(s: State, m: Body, rules: Rules, out: Out): void {
  if (m.type === 'election') onElection(s, m, rules, out);
  else onElected(s, m, rules, out);
}

function onTimer(s: State, timer: Timer, rules: Rules, out: Out): void {
  switch (timer) {
    case 'ack':
      return onNoAck(s, rules, out);
    case 'heartbeat':
      return sendHeartbeats(s, rules, out);
    case 'timeout':
      return startElection(s, rules, out);
    default:
      assertNever(timer);
  }
}

function onCommand(s: State, { type }: Command, rules: Rules, out: Out): Outcome {
  switch (type) {
    case 'campaign': // "Any process may start a new leader election."
      if (!s.participating) startElection(s, rules, out);
      return { status: 'done' };
    case 'resign': // "Re-elections must be allowed in case the leader process decides to step down."
      if (s.leader !== s.id) return { status: 'refused', reason: 'it does not lead' };
      s.abstaining = true;
      startElection(s, rules, out);
      return { status: 'done' };
    case 'priority':
    case 'transfer':
    case 'publish':
    case 'reconfigure':
    case 'add':
    case 'remove':
      return { status: 'refused', reason: `the chang-roberts election has no ${type}` };
    default:
      return assertNever(type);
  }
}

/**
 * "At the start of an election, the process p marks itself as participating, and sends a message in the direction of
 * the ring, indicating that it is the leader."
 */
function startElection(s: State, rules: Rules, out: Out): void {
  const { id, abstaining } = s;
  becomeParticipant(s, rules, out);
  sendElection(s, abstaining ? null : id, rules, out);
}

/** No further than to the member with this id: if that one is dead, no other would remove the message from the ring. */
function sendElection(s: State, candidate: MemberId | null, rules: Rules, out: Out): void {
  const body: Election = { type: 'election', candidate };
  if (candidate === null) handOn(s, body, rules, out);
  else handOnUpTo(s, body, candidate, rules, out);
}

function onElection(s: State, { candidate }: Election, rules: Rules, out: Out): void {
  if (candidate !== null && !s.ring.includes(candidate)) return;
  if (s.abstaining) return onElectionAbstaining(s, candidate, rules, out);
  const order = candidate === null ? -1 : compareIds(candidate, s.id);
  // "If it is in the state 'not participating': it changes its state to participating; it compares the identifier of
  // the leader in the message with its own, replaces it if its own is larger, and forwards the message."
  if (!s.participating) {
    becomeParticipant(s, rules, out);
    return sendElection(s, order < 0 ? s.id : candidate, rules, out);
  }
  if (order < 0) return; // "If it is smaller than its own, it does not forward the message."
  if (order > 0) return sendElection(s, candidate, rules, out); // "If it is larger than its own, it forwards the message."
  becomeLeader(s, rules, out); // "If it is equal to its own, then it is the leader": "it sends a message 'leader elected'."
  sendElected(s, s.id, rules, out);
}

/** A member that resigned passes other ids on. Its own is from before that; null means that no other stands. */
function onElectionAbstaining(s: State, candidate: MemberId | null, rules: Rules, out: Out): void {
  if (candidate === s.id) return;
  if (candidate !== null) return sendElection(s, candidate, rules, out);
  s.abstaining = false;
  startElection(s, rules, out);
}

function sendElected(s: State, leader: MemberId, rules: Rules, out: Out): void {
  handOnUpTo(s, { type: 'elected', leader }, leader, rules, out);
}

/**
 * "When a process receives a message 'leader elected', it changes its state to 'not participating', and records the
 * new leader. If the identifier is not its own, it forwards the message."
 */
function onElected(s: State, { leader }: Elected, rules: Rules, out: Out): void {
  if (leader === s.id || !s.ring.includes(leader)) return;
  becomeFollower(s, leader, rules, out);
  sendElected(s, leader, rules, out);
}

/** The seed lets a leader be "down" without saying how that shows: here, by silence. */
function sendHeartbeats(s: State, rules: Rules, out: Out): void {
  if (s.leader !== s.id) return;
  for (const to of s.ring) if (to !== s.id) out.push({ type: 'send', to, message: { type: 'heartbeat' } });
  out.push({ type: 'set-timer', timer: 'heartbeat', delayMs: rules.heartbeatMs });
}

/** Counts as 'leader elected', from the leader itself. Of two leaders, the larger id stays. */
function onHeartbeat(s: State, from: MemberId, rules: Rules, out: Out): void {
  if (from === s.id || !s.ring.includes(from)) return;
  if (s.leader !== null && compareIds(from, s.leader) < 0) return;
  becomeFollower(s, from, rules, out);
}

/** It marks itself as participating; it has no leader from now on. */
function becomeParticipant(s: State, rules: Rules, out: Out): void {
  s.participating = true;
  s.leader = null;
  report(s, out);
  // An id and then its announcement go round, past any number of silent members.
  const resultMs = 2 * s.ring.length * skipMs(rules);
  const [least, most] = rules.timeoutMs;
  out.push({ type: 'cancel-timer', timer: 'heartbeat' });
  out.push({ type: 'set-timer', timer: 'timeout', delayMs: [resultMs + least, resultMs + most] });
}

/** "It changes its state to 'not participating', and records the new leader." */
function becomeFollower(s: State, leader: MemberId, rules: Rules, out: Out): void {
  const isNews = s.participating || s.leader !== leader;
  s.participating = false;
  s.abstaining = false;
  s.leader = leader;
  if (isNews) report(s, out);
  out.push({ type: 'cancel-timer', timer: 'heartbeat' });
  out.push({ type: 'set-timer', timer: 'timeout', delayMs: rules.timeoutMs });
}

/** "When a process recognises that it is the leader, it changes its state to 'not participating'." */
function becomeLeader(s: State, rules: Rules, out: Out): void {
  s.participating = false;
  s.leader = s.id;
  report(s, out);
  out.push({ type: 'cancel-timer', timer: 'timeout' });
  out.push({ type: 'set-timer', timer: 'heartbeat', delayMs: rules.heartbeatMs });
}

function report({ id, leader, participating }: State, out: Out): void {
  const role = leader === id ? 'leader' : participating ? 'candidate' : 'follower';
  out.push({ type: 'report', view: { role, leader, term: null, lease: null, version: 0, value: null } });
}

export const changRoberts: Definition = define<typeof timing, typeof options, Message>({
  name: 'chang-roberts',
  summary: 'Chang and Roberts: ids travel round a ring, larger ones swallow smaller ones',
  timing,
  options,
  check: checkLayout,
  messages,
  commands: ['campaign', 'resign'],
  create: createChangRoberts,
});
