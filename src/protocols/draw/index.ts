/**
 * draw: the election of seed 002. Every voter draws a random number, the highest wins, and the result counts once
 * all voters agree on it. Who the voters are is found out on the way (see membership.ts).
 *
 * Promises without `quorum`: nothing at any one moment. Once all voters hear each other, all follow one leader.
 * Each part of a split cluster elects a leader of its own: "the voter is orphaned in an isolated region". When the
 * parts meet, reconciliation joins their lists, and of two leaders the one of the older election follows the other;
 * if their elections have the same number, they hold a new one.
 *
 * Promises with `quorum`: at most one leader per election number (S1), one certificate per number and voter (S2),
 * terms that only grow (S3), certificates of a majority of the configured voters behind every leader (S4), and
 * voters that name the same leader for the same term (S9); all as long as every voter keeps its disk. It rests on
 * one rule: a voter saves the number of an election before it takes part, and takes part in a number only once. The
 * configured voters are a list, or are founded by the first election (electors.ts); then they are fixed: voters that
 * are added later draw and may win, but only certificates of configured ones count, and removing a configured voter
 * does not make the majority smaller.
 *
 * Does not promise, even with `quorum`: one leader at a time. A leader that is cut off leads on until it has missed
 * its voters for longer than is tolerated (then it steps down), and the others may have elected another one by then.
 * One silent voter delays every election until it is forgotten, since all must agree. A voter that looks for others,
 * by a list or by addresses, and finds none waits for ever: it may be an orphan.
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
  type Ending,
  type Input,
  type Json,
  type Lack,
  type MemberId,
  type Outcome,
  type Pledge,
  type Protocol,
} from '../../core/index.ts';
import {
  becomeLeaderless,
  onCast,
  onCertify,
  onDrawn,
  onElectionStart,
  onElectionTimeout,
  onResult,
  startElection,
  votersToAsk,
} from './election.ts';
import { isInForce, rememberElectors } from './electors.ts';
import { endFarewell, prolongFarewell, startFarewell } from './farewell.ts';
import { onHealthChecked, onHeartbeat, onHeartbeatTimer, stepDownWithoutMajority } from './health.ts';
import {
  findVoter,
  knownVoters,
  onNoStatusAnswer,
  placesOf,
  registerVoter,
  sendRegister,
} from './membership.ts';
import { type Message, messages, type Out, type Timer } from './messages.ts';
import {
  createState,
  lackOf,
  membersOf,
  options,
  type Rules,
  report,
  type State,
  sendToAll,
  takesPart,
  timing,
} from './state.ts';
import {
  becomeRemoved,
  onReconcile,
  onRegister,
  onRegisterAnswer,
  onRemove,
  onStatus,
  onStatusAnswer,
} from './voters.ts';

/** Whatever changes the list of voters, or what is missing, is reported, also where the leader stays the same. */
function onInput(s: State, input: Input<Message, Timer>, rules: Rules, out: Out): void {
  const members = membersOf(s);
  const lack = lackOf(s, rules);
  handle(s, input, rules, out);
  if (out.some(({ type }) => type === 'report')) return;
  if (isSameList(members, membersOf(s)) && isSameLack(lack, lackOf(s, rules))) return;
  report(s, rules, out);
}

function isSameList(a: readonly MemberId[], b: readonly MemberId[]): boolean {
  return a.length === b.length && a.every((id, i) => id === b[i]);
}

function isSameLack(a: Lack | null, b: Lack | null): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}

function handle(s: State, input: Input<Message, Timer>, rules: Rules, out: Out): void {
  // A removed voter takes no part until it starts again; it only answers its user.
  if (s.membership.removed && input.type !== 'command') return;
  switch (input.type) {
    case 'start':
      return onStart(s, input, rules, out);
    case 'message':
      if (input.from !== s.id) onMessage(s, input.from, input.message, rules, out);
      return;
    case 'timer':
      return onTimer(s, input.timer, rules, out);
    case 'drawn':
      return onDrawn(s, input.draw, input.value, rules, out);
    case 'command':
      return onCommand(s, input, rules, out);
    case 'peer-gone':
    case 'peer-back':
      return; // The seed has no evidence: a voter is gone when it does not answer.
    case 'seeds':
      return onSeeds(s, input.own, input.addresses, out);
    default:
      assertNever(input);
  }
}

/**
 * "When a voter process starts, it needs to register with other voters." One that has no record may have lost it,
 * and have taken part in elections up to `spent`.
 */
function onStart(s: State, { saved, spent = 0 }: Started, rules: Rules, out: Out): void {
  if (saved === null && rules.quorum) {
    s.election = spent;
    s.newest = spent;
  } else if (saved !== null) {
    const record = saved as { election: number; term: number; electors?: Json };
    s.election = record.election;
    s.term = record.term;
    s.newest = Math.max(s.election, s.term);
    rememberElectors(s.electors, s.id, rules.voters, record.electors);
  }
  report(s, rules, out);
  sendRegister(s.membership, out);
  out.push({ type: 'set-timer', timer: 'heartbeat', delayMs: rules.heartbeatMs });
}

/**
 * "On startup, the voter retrieves the list of seed IP addresses and creates a list of potential voter URLs." A voter
 * that has met no other yet tries those that are new at once.
 */
function onSeeds(s: State, own: string, addresses: readonly string[], out: Out): void {
  const { membership } = s;
  const before = membership.url === own ? membership.places : [];
  membership.url = own;
  findVoter(membership, s.id)!.url = own;
  membership.places = placesOf(membership.peers, addresses);
  if (membership.registered) return;
  sendRegister({ ...membership, places: membership.places.filter((place) => !before.includes(place)) }, out);
}

/** The messages that a voter processes before it is registered. */
const BEFORE_REGISTRATION: readonly Message['type'][] = ['register', 'register/answer', 'remove', 'status'];

function onMessage(s: State, from: MemberId, m: Message, rules: Rules, out: Out): void {
  if (!s.membership.registered && !BEFORE_REGISTRATION.includes(m.type)) return;
  // What a removed voter sent before it heard of its removal would put it back on the list.
  if (m.type !== 'register' && prolongFarewell(s.membership, from, farewellBeats(rules))) return;
  switch (m.type) {
    case 'register':
      return onRegister(s, from, m, rules, out);
    case 'register/answer':
      return onRegisterAnswer(s, from, m, rules, out);
    case 'remove':
      return onRemove(s, m, rules, out);
    case 'status':
      return onStatus(s, from, m, rules, out);
    case 'status/answer':
      return onStatusAnswer(s, from, m, rules, out);
    case 'heartbeat':
      return onHeartbeat(s, from, m, rules, out);
    case 'reconcile':
      return onReconcile(s, from, m, rules, out);
    case 'election/start':
      return onElectionStart(s, m, rules, out);
    case 'election/cast':
      return onCast(s, from, m, rules, out);
    case 'election/result':
      return onResult(s, from, m, rules, out);
    case 'election/certify':
      return onCertify(s, from, m, rules, out);
    default:
      assertNever(m);
  }
}

function onTimer(s: State, timer: Timer, rules: Rules, out: Out): void {
  switch (timer) {
    case 'heartbeat':
      return onHeartbeatTimer(s, rules, out);
    case 'status':
      return onNoStatusAnswer(s.membership, out);
    case 'check':
      return onHealthChecked(s, rules, out);
    case 'election':
      return onElectionTimeout(s, rules, out);
    default:
      assertNever(timer);
  }
}

type Asked = Extract<Input, { type: 'command' }>;
type Started = Extract<Input, { type: 'start' }>;

const done: Outcome = { status: 'done' };
const refused = (reason: string): Outcome => ({ status: 'refused', reason });

/** Every command is answered at once; its effect may follow later. */
function onCommand(s: State, { id, command }: Asked, rules: Rules, out: Out): void {
  out.push({ type: 'answer', command: id, outcome: carryOut(s, command, rules, out) });
}

function carryOut(s: State, command: Asked['command'], rules: Rules, out: Out): Outcome {
  if (s.membership.removed) return refused('this voter was removed');
  if (!takesPart(s)) return refused('this voter is not registered with another one yet');
  switch (command.type) {
    case 'campaign':
      return campaign(s, rules, out);
    case 'resign':
      return resign(s, rules, out);
    case 'add':
      return add(s, command.member);
    case 'remove':
      return remove(s, command.member, rules, out);
    case 'priority':
    case 'transfer':
    case 'publish':
    case 'reconfigure':
      return refused(`the draw election has no ${command.type}`);
    default:
      return assertNever(command);
  }
}

/** "an external call to start an election": it does not make this voter win. */
function campaign(s: State, rules: Rules, out: Out): Outcome {
  if (votersToAsk(s, rules) === null)
    return refused(
      isInForce(s.electors)
        ? 'fewer than a majority of the configured voters are known'
        : 'too few voters are known, or it is not known how many there are; the first leader needs all of them',
    );
  if (s.ballot === null) startElection(s, rules, out);
  return done;
}

/** Where voters have addresses, a voter is added by its registration, which says where it is. */
function add(s: State, member: MemberId): Outcome {
  if (s.membership.url !== null && findVoter(s.membership, member) === undefined)
    return refused(`${member} has to register, since its URL is not known`);
  endFarewell(s.membership, member);
  registerVoter(s.membership, member);
  return done;
}

/** The leader stops at once, and an election starts in which it casts 0. */
function resign(s: State, rules: Rules, out: Out): Outcome {
  if (s.leader !== s.id) return refused('only the leader can resign');
  if (s.membership.voters.length === 1) return refused('no other voter is known');
  s.resigned = true;
  becomeLeaderless(s, rules, out);
  startElection(s, rules, out);
  return done;
}

/** For how many heartbeats a removal is repeated after the removed voter was last heard. */
function farewellBeats(rules: Rules): number {
  return rules.missedHeartbeatTolerance + 1;
}

/** The others are told, and so is the voter itself. A voter that removes itself can tell them only once. */
function remove(s: State, member: MemberId, rules: Rules, out: Out): Outcome {
  if (findVoter(s.membership, member) === undefined) return refused(`${member} is not a known voter`);
  if (member === s.id) {
    sendToAll(s, knownVoters(s.membership), { type: 'remove', voterId: member }, out);
    becomeRemoved(s, rules, out);
    return done;
  }
  startFarewell(s.membership, member, farewellBeats(rules), out);
  if (s.leader === member) becomeLeaderless(s, rules, out);
  stepDownWithoutMajority(s, rules, out);
  return done;
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
    step: (s, input, out) => onInput(s, input, rules, out),
    measure: ({ newest, ballot }) => ({ election: newest, round: ballot?.round ?? 0 }),
    claim: claimOf,
    vote: (message) => (message.type === 'election/certify' ? { term: message.election } : null),
    ending: endingOf,
  };
}

/** A voter that lies must not use the numbers up: the next election has a higher number than all that were heard of. */
function claimOf(message: Message): number {
  const {
    election = 0,
    term = 0,
    since = 0,
  } = message as { election?: number; term?: number; since?: number };
  return Math.max(election, term, since);
}

/** What a message of the leader says about the end of its leadership. */
function endingOf(message: Message): Ending | null {
  if (message.type === 'register')
    return { how: 'freed', why: { cause: 'closed', detail: 'the leader has started anew' } };
  const isStatus = message.type === 'heartbeat' || message.type === 'status/answer';
  return isStatus && message.leader === null ? { how: 'freed' } : null;
}

export const draw: Definition = define<typeof timing, typeof options, Message>({
  name: 'draw',
  summary: 'a lottery: every voter draws a random number, the highest wins, all certify the result',
  timing,
  options,
  messages,
  registration: { request: 'register', answer: 'register/answer' },
  commands: ['campaign', 'resign', 'add', 'remove'],
  check: ({ options: { quorum, voters } }, members) =>
    quorum && voters > 0 && members.length > voters
      ? {
          path: 'options.voters',
          reason: `${members.length} voters are listed, which is more than ${voters}`,
        }
      : null,
  create: (given) => createDraw({ ...given.timing, ...given.options }),
});
