/**
 * epoch: the election of seed 004. Nodes wait a random time, ask for votes, and lead with a majority of them.
 *
 * Promises: at most one leader per epoch (S1), one vote per epoch and member (S2), epochs that only grow (S3),
 * a majority behind every win (S4), and members that name the same leader for the same epoch (S9); all as long
 * as every member keeps its disk. The vote is saved before it is sent.
 *
 * Does not promise: one leader at a time. "If the communication between some nodes does not work then there may
 * be 2 leaders at the same time": a leader that is cut off keeps leading, and since older epochs are discarded in
 * silence, a single broken link can keep two leaders for ever. A member that was cut off comes back with a
 * newer epoch and dethrones a healthy leader. A member that lost its disk may vote twice in one epoch.
 * "The nodes must know how many nodes there are."
 *
 * Roles and their exits:
 *   follower   → candidate (waited its random period without a keep-alive)
 *   candidate  → leader (a majority of the votes) | candidate (waited again) | follower (keep-alive, newer epoch)
 *   leader     → follower (newer epoch)
 */
import {
  addId,
  assertNever,
  type Config,
  type Definition,
  define,
  durationMs,
  type Effect,
  type Input,
  type Json,
  type MemberId,
  majority,
  natural,
  type Pledge,
  type Protocol,
  rangeMs,
  record,
  type Self,
  type Setting,
  setting,
} from '../core/index.ts';

/** "when sending a message the node also includes its current epoch" */
export type Message =
  | { readonly type: 'keep-alive'; readonly epoch: number }
  | { readonly type: 'vote-request'; readonly epoch: number }
  | { readonly type: 'vote'; readonly epoch: number };

export type Timer = 'wait' | 'keep-alive';
type Out = Effect<Message, Timer>[];

interface State {
  readonly id: MemberId;
  readonly others: readonly MemberId[];
  role: 'follower' | 'candidate' | 'leader';
  leader: MemberId | null;
  /** Saved together, before anything that depends on them is sent. */
  epoch: number;
  votedFor: MemberId | null;
  /** The voters of this member in the current epoch, itself included; sorted. */
  votes: MemberId[];
}

export const timing: {
  readonly heartbeatMs: Setting<number>;
  readonly timeoutMs: Setting<readonly [number, number]>;
} = {
  heartbeatMs: setting(durationMs, 1000, 'a leader sends a keep-alive this often'),
  timeoutMs: setting(rangeMs, [1500, 3000], 'the random period to wait before asking for votes'),
};

/** The settings as the handlers use them. */
type Rules = Config<typeof timing>['timing'];

const pledges: readonly Pledge[] = (['S1', 'S2', 'S3', 'S4', 'S9'] as const).map((property) => ({
  property,
  assuming: ['disk', 'no-forgery'],
}));

function createEpoch(rules: Rules): Protocol<State, Message, Timer> {
  return {
    name: 'epoch',
    pledges,
    init: ({ id, members }: Self): State => ({
      id,
      others: members.filter((member) => member !== id),
      role: 'follower',
      leader: null,
      epoch: 0,
      votedFor: null,
      votes: [],
    }),
    step: (s, input, out) => onInput(s, input, rules, out),
    claim: ({ epoch }) => epoch,
    vote: (message) => (message.type === 'vote' ? { term: message.epoch } : null),
  };
}

function onInput(s: State, input: Input<Message, Timer>, rules: Rules, out: Out): void {
  switch (input.type) {
    case 'start':
      return onStart(s, input.saved, rules, out);
    case 'message':
      return onMessage(s, input.from, input.message, rules, out);
    case 'timer':
      return input.timer === 'wait' ? startElection(s, rules, out) : sendKeepAlives(s, rules, out);
    case 'command':
      return onCommand(s, input, rules, out);
    case 'drawn':
    case 'peer-gone':
    case 'peer-back':
    case 'seeds':
      return; // The seed has neither draws nor evidence: a node is gone when it is not heard.
    default:
      assertNever(input);
  }
}

function onStart(s: State, saved: Json, rules: Rules, out: Out): void {
  if (saved !== null) {
    const record = saved as { epoch: number; votedFor: MemberId | null };
    s.epoch = record.epoch;
    s.votedFor = record.votedFor;
  }
  report(s, out);
  waitRandomPeriod(rules, out);
}

/** "if the epoch of the message is older than the node epoch the message is discarded" */
function onMessage(s: State, from: MemberId, m: Message, rules: Rules, out: Out): void {
  if (m.epoch < s.epoch) return;
  if (m.epoch > s.epoch) adoptEpoch(s, m.epoch, rules, out);
  switch (m.type) {
    case 'keep-alive':
      return onKeepAlive(s, from, rules, out);
    case 'vote-request':
      return onVoteRequest(s, from, out);
    case 'vote':
      return onVote(s, from, rules, out);
    default:
      assertNever(m);
  }
}

/** "if the epoch of the message is newer than the node epoch, then the node epoch is updated to match it" */
function adoptEpoch(s: State, epoch: number, rules: Rules, out: Out): void {
  const wasLeader = s.role === 'leader';
  s.epoch = epoch;
  s.votedFor = null;
  s.votes = [];
  s.role = 'follower';
  s.leader = null;
  save(s, out);
  report(s, out);
  // A leadership belongs to the epoch in which it was won; a deposed leader waits like all other members.
  if (wasLeader) {
    out.push({ type: 'cancel-timer', timer: 'keep-alive' });
    waitRandomPeriod(rules, out);
  }
}

/** "you recognize the sender as leader and you reset the timer to send a vote request" */
function onKeepAlive(s: State, from: MemberId, rules: Rules, out: Out): void {
  if (s.role === 'leader') return; // Its own epoch has one leader: only a forged message gets here.
  if (s.role !== 'follower' || s.leader !== from) {
    s.role = 'follower';
    s.leader = from;
    report(s, out);
  }
  waitRandomPeriod(rules, out);
}

/** "when you receive a vote request and you have not yet voted, then you send a vote to the requesting node" */
function onVoteRequest(s: State, from: MemberId, out: Out): void {
  if (s.votedFor !== null) return;
  s.votedFor = from;
  save(s, out);
  out.push({ type: 'send', to: from, message: { type: 'vote', epoch: s.epoch } });
}

/** "if you receive a majority of the votes you become the leader" */
function onVote(s: State, from: MemberId, rules: Rules, out: Out): void {
  if (s.role !== 'candidate' || !s.others.includes(from)) return;
  addId(s.votes, from);
  becomeLeaderWithMajority(s, rules, out);
}

/** "Before a node triggers a new election it increases its epoch by one" */
function startElection(s: State, rules: Rules, out: Out): void {
  if (s.role === 'leader') return;
  s.epoch += 1;
  s.role = 'candidate';
  s.leader = null;
  s.votedFor = s.id;
  s.votes = [s.id];
  save(s, out);
  report(s, out);
  for (const to of s.others)
    out.push({ type: 'send', to, message: { type: 'vote-request', epoch: s.epoch } });
  waitRandomPeriod(rules, out);
  becomeLeaderWithMajority(s, rules, out);
}

function becomeLeaderWithMajority(s: State, rules: Rules, out: Out): void {
  if (s.votes.length < majority(s.others.length + 1)) return;
  s.role = 'leader';
  s.leader = s.id;
  report(s, out);
  out.push({ type: 'cancel-timer', timer: 'wait' });
  sendKeepAlives(s, rules, out);
}

/** "if you are the leader send a keep alive message to all other nodes every second" */
function sendKeepAlives(s: State, rules: Rules, out: Out): void {
  if (s.role !== 'leader') return;
  for (const to of s.others) out.push({ type: 'send', to, message: { type: 'keep-alive', epoch: s.epoch } });
  out.push({ type: 'set-timer', timer: 'keep-alive', delayMs: rules.heartbeatMs });
}

function waitRandomPeriod(rules: Rules, out: Out): void {
  out.push({ type: 'set-timer', timer: 'wait', delayMs: rules.timeoutMs });
}

function onCommand(s: State, input: Extract<Input, { type: 'command' }>, rules: Rules, out: Out): void {
  if (input.command.type !== 'campaign') {
    const reason = `the epoch election has no ${input.command.type}`;
    out.push({ type: 'answer', command: input.id, outcome: { status: 'refused', reason } });
    return;
  }
  startElection(s, rules, out);
  out.push({ type: 'answer', command: input.id, outcome: { status: 'done' } });
}

function save(s: State, out: Out): void {
  out.push({ type: 'save', record: { epoch: s.epoch, votedFor: s.votedFor } });
}

function report(s: State, out: Out): void {
  const { role, leader, epoch: term } = s;
  out.push({ type: 'report', view: { role, leader, term, lease: null, version: 0, value: null } });
}

const fields = record<{ epoch: number }>({ epoch: natural });

export const epoch: Definition = define<typeof timing, Record<never, never>, Message>({
  name: 'epoch',
  summary: 'votes in epochs: random waits, one vote per epoch, a majority leads',
  timing,
  options: {},
  messages: { 'keep-alive': fields, 'vote-request': fields, vote: fields },
  commands: ['campaign'],
  create: ({ timing: given }) => createEpoch(given),
});
