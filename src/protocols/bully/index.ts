/**
 * bully: "every time, the candidate with the largest id among the living is chosen" (seeds 000, 001 and 003). A member that
 * misses the leader asks all that outrank it; if none answers `ok` within T = 2·t_max + t_proceso, it announces
 * itself as `coordinator`; a higher one that hears of it takes over. `prefer` says which end of the order is high.
 * Each member checks the leader by itself, where seed 000 lets that duty travel.
 *
 * Promises without `quorum`: nothing but that, once messages and members keep to T, the preferred id that lives leads
 * and all agree on it. Two leaders become one when they hear of each other: a leader checks those that outrank it,
 * and a coordinator or leader of lower rank is answered by bullying it.
 *
 * Does not promise, without `quorum`:
 *   - one leader. "The cluster has split into two parts that cannot communicate, and each elects its own leader."
 *   - a stable one. A leader that is only slow is taken for dead, and takes over again when it answers: "the state of
 *     the whole cluster becomes very unreliable". So does a preferred id that keeps coming back.
 *   - anything while T does not hold: it "assumes that a process can clearly tell a running process from a crashed one".
 *
 * Promises with `quorum`, the cures of seed 003, as long as every member keeps its disk: at most one leader per epoch
 * (S1), one acknowledgement per epoch and member (S2), epochs that only grow (S3), a majority behind every win (S4),
 * and members that name the same leader for the same epoch (S9). A leader once confirmed is not bullied: a preferred
 * id that returns joins it, and the preference decides only who wins when there is none.
 *
 * Does not promise, with `quorum`: one leader at a time (S10). A leader that is cut off finds out by missing answers,
 * up to a check interval and its repetitions later, and a stopped one when it goes on; the others may have a new one
 * before that. Such a leader completes no publication, since a majority has left its epoch.
 *
 * Publishing works in both, and publishing.ts says what holds. With `minimumMasterNodes` below a majority, two
 * leaders can commit different values as one version; that is the option's old danger, and it is left to the user.
 *
 * Roles and their exits (in brackets: only with quorum):
 *   candidate → leader (no higher one answers [and a majority acknowledges]) | follower (a coordinator [a leader's heartbeat])
 *   follower  → candidate (the leader does not answer, or leads no longer [and a majority agrees]; it resigned; an election
 *               was asked for by a lower id or the user; [a newer epoch])
 *   leader    → follower (a leader that outranks it [of a newer epoch or version]) | candidate (it resigned; [it reaches no
 *               majority; a newer epoch])
 */
import {
  assertNever,
  type Command,
  type Definition,
  define,
  type Input,
  type Json,
  type MemberId,
  type Outcome,
  type Pledge,
  type Protocol,
} from '../../core/index.ts';
import {
  concludeDoubt,
  onAlive,
  onHeartbeat,
  onHeartbeatOverdue,
  onLeaderGone,
  onLeaderGoneAnswer,
  onPeerGone,
  startAgain,
  startDoubt,
} from './checks.ts';
import {
  onCoordinator,
  onElection,
  onElectionOverdue,
  onOk,
  onResign,
  resign,
  startElection,
} from './election.ts';
import { checkEpoch, leadWithMajority, onCoordinatorAck, onProposal } from './epochs.ts';
import { takeOverdue } from './flights.ts';
import { type Message, messages } from './messages.ts';
import {
  onCommitTimeout,
  onPublishAck,
  onPublishApplied,
  onPublishCommit,
  onPublishOverdue,
  onPublishRefused,
  onPublishSend,
  onPublishState,
  onPublishTimeout,
  startPublishing,
} from './publishing.ts';
import { startCheck } from './roles.ts';
import { checkMinimum, options, type Rules, rulesOf, timing } from './settings.ts';
import { init, type Out, report, restore, type State, type Timer } from './state.ts';

const pledges: readonly Pledge[] = (['S1', 'S2', 'S3', 'S4', 'S9'] as const).map((property) => ({
  property,
  assuming: ['disk', 'no-forgery'],
}));

function createBully(rules: Rules): Protocol<State, Message, Timer> {
  return {
    name: 'bully',
    pledges: rules.quorum ? pledges : [],
    init,
    step: (s, input, out) => onInput(s, input, rules, out),
    claim: (message) => Math.max(message.epoch, 'version' in message ? message.version : 0),
    ...(rules.quorum && {
      vote: (message: Message) => (message.type === 'coordinator/ack' ? { term: message.epoch } : null),
    }),
  };
}

function onInput(s: State, input: Input<Message, Timer>, rules: Rules, out: Out): void {
  switch (input.type) {
    case 'start':
      return onStart(s, input, rules, out);
    case 'message':
      return onMessage(s, input.from, input.message, rules, out);
    case 'timer':
      return onTimer(s, input.timer, rules, out);
    case 'command':
      return onCommand(s, input.id, input.command, rules, out);
    case 'peer-gone':
      return onPeerGone(s, input.peer, input.proof, rules, out);
    case 'peer-back':
    case 'drawn':
    case 'seeds':
      return; // A member that is back starts an election by itself; nothing is drawn or searched.
    default:
      assertNever(input);
  }
}

/** "If a fallen process comes back to life, it starts a new election of a leader" (seed 001) */
function onStart(s: State, { saved }: Extract<Input, { type: 'start' }>, rules: Rules, out: Out): void {
  restore(s, saved);
  report(s, rules, out);
  if (rules.quorum) startDoubt(s, rules, out);
  else startElection(s, rules, out);
}

function onMessage(s: State, from: MemberId, m: Message, rules: Rules, out: Out): void {
  if (!s.others.includes(from)) return;
  if (rules.quorum && !checkEpoch(s, from, m, rules, out)) return;
  switch (m.type) {
    case 'election':
      return onElection(s, from, rules, out);
    case 'ok':
      return onOk(s, from, rules, out);
    case 'coordinator':
      return rules.quorum ? onProposal(s, from, rules, out) : onCoordinator(s, from, rules, out);
    case 'coordinator/ack':
      return onCoordinatorAck(s, from, m, rules, out);
    case 'heartbeat':
      return onHeartbeat(s, from, m, rules, out);
    case 'alive':
      return onAlive(s, from, m, rules, out);
    case 'resign':
      return onResign(s, from, rules, out);
    case 'leader-gone':
      return onLeaderGone(s, from, rules, out);
    case 'leader-gone/answer':
      return onLeaderGoneAnswer(s, from, m, rules, out);
    case 'newer-epoch':
      return; // Only the epoch matters.
    case 'publish/send':
      return onPublishSend(s, from, m, out);
    case 'publish/ack':
      return onPublishAck(s, from, m, rules, out);
    case 'publish/refused':
      return onPublishRefused(s, m, rules, out);
    case 'publish/commit':
      return onPublishCommit(s, from, m, rules, out);
    case 'publish/applied':
      return onPublishApplied(s, from, m, rules, out);
    case 'publish/state':
      return onPublishState(s, from, m, rules, out);
    default:
      assertNever(m);
  }
}

function onTimer(s: State, timer: Timer, rules: Rules, out: Out): void {
  switch (timer) {
    case 'check':
      return startCheck(s, rules, out);
    case 'again':
      s.aside = false;
      return startAgain(s, rules, out);
    case 'commit':
      return onCommitTimeout(s, rules, out);
    case 'publish':
      return onPublishTimeout(s, rules, out);
  }
  const overdue = takeOverdue(s, timer, rules, out);
  if (overdue === null) return;
  switch (overdue.type) {
    case 'heartbeat':
      return onHeartbeatOverdue(s, overdue.to, rules, out);
    case 'leader-gone':
      return concludeDoubt(s, rules, out);
    case 'election':
      return onElectionOverdue(s, rules, out);
    case 'coordinator':
      return leadWithMajority(s, rules, out);
    case 'publish/send':
    case 'publish/commit':
      return onPublishOverdue(s, overdue.to, overdue.type, rules, out);
    case 'publish/state':
      return; // The next heartbeat shows whether it arrived.
    default:
      assertNever(overdue.type);
  }
}

/** Every command is answered once; a publication when its result is known. */
function onCommand(s: State, id: number, command: Command, rules: Rules, out: Out): void {
  switch (command.type) {
    case 'campaign':
      return onCampaign(s, id, rules, out);
    case 'resign':
      return onResignCommand(s, id, rules, out);
    case 'publish':
      return onPublish(s, id, command.value, rules, out);
    case 'priority':
    case 'transfer':
    case 'reconfigure':
    case 'add':
    case 'remove':
      return refuse(id, `the bully election has no ${command.type}`, out);
    default:
      assertNever(command);
  }
}

/** The user's command replaces the majority's consent: with it, a preferred id may replace a healthy leader. */
function onCampaign(s: State, id: number, rules: Rules, out: Out): void {
  s.aside = false;
  if (s.role !== 'leader') startElection(s, rules, out);
  answer(id, { status: 'done' }, out);
}

function onResignCommand(s: State, id: number, rules: Rules, out: Out): void {
  if (s.role !== 'leader') return refuse(id, onlyTheLeader(s, 'resign'), out);
  resign(s, rules, out);
  answer(id, { status: 'done' }, out);
}

function onPublish(s: State, id: number, value: Json, rules: Rules, out: Out): void {
  const { role, publishing } = s;
  if (role !== 'leader') return refuse(id, onlyTheLeader(s, 'publish'), out);
  if (publishing !== null && publishing.command !== null) {
    return refuse(id, 'another publish is under way', out);
  }
  startPublishing(s, id, value, rules, out);
}

function onlyTheLeader(s: State, what: string): string {
  return `only the leader can ${what}, and ${s.leader === null ? 'none is known' : `that is ${s.leader}`}`;
}

function refuse(command: number, reason: string, out: Out): void {
  answer(command, { status: 'refused', reason }, out);
}

function answer(command: number, outcome: Outcome, out: Out): void {
  out.push({ type: 'answer', command, outcome });
}

export const bully: Definition = define<typeof timing, typeof options, Message>({
  name: 'bully',
  summary:
    'the bully algorithm: the preferred id that lives wins, by force; with quorum, by majorities and epochs',
  timing,
  options,
  check: checkMinimum,
  messages,
  commands: ['campaign', 'resign', 'publish'],
  create: (config) => createBully(rulesOf(config)),
});
