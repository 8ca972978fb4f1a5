/**
 * bully: "every time, the candidate with the largest id among the living is chosen" (seeds 000, 001 and 003). Whoever
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
 *   candidate → leader (nobody higher answers [and a majority acknowledges]) | follower (a coordinator [a leader's heartbeat])
 *   follower  → candidate (the leader does not answer, or leads no longer [and a majority agrees]; it resigned; an election
 *               was asked for by a lower id or the user; [a newer epoch])
 *   leader    → follower (a leader that outranks it [of a newer epoch or version]) | candidate (it resigned; [it reaches no
 *               majority; a newer epoch])
 */
import {
  assertNever,
  type Definition,
  define,
  type Input,
  type MemberId,
  type Pledge,
  type Protocol,
} from '../../core/index.ts';
import { onAlive, onHeartbeat, onHeartbeatOverdue, onPeerGone, startAgain } from './checks.ts';
import { onCommand } from './commands.ts';
import { concludeDoubt, onLeaderGone, onLeaderGoneAnswer, startDoubt } from './doubt.ts';
import { onCoordinator, onElection, onElectionOverdue, onOk, onResign, startElection } from './election.ts';
import { checkEpoch, leadWithMajority, onAcknowledged, onProposal } from './epochs.ts';
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
} from './publishing.ts';
import { startCheck } from './roles.ts';
import { checkMinimum, options, type Rules, rulesOf, timing } from './settings.ts';
import { init, report, restore, type State, type Timer, type Turn } from './state.ts';

const pledges: readonly Pledge[] = (['S1', 'S2', 'S3', 'S4', 'S9'] as const).map((property) => ({
  property,
  assuming: ['disk', 'no-forgery'],
}));

function createBully(rules: Rules): Protocol<State, Message, Timer> {
  return {
    name: 'bully',
    pledges: rules.quorum ? pledges : [],
    init,
    step: (s, input, out) => step({ s, out, rules }, input),
    ...(rules.quorum && {
      vote: (message: Message) => (message.type === 'coordinator/ack' ? { term: message.epoch } : null),
    }),
  };
}

function step(turn: Turn, input: Input<Message, Timer>): void {
  switch (input.type) {
    case 'start':
      return onStart(turn, input);
    case 'message':
      return onMessage(turn, input.from, input.message);
    case 'timer':
      return onTimer(turn, input.timer);
    case 'command':
      return onCommand(turn, input.id, input.command);
    case 'peer-gone':
      return onPeerGone(turn, input.peer, input.proof);
    case 'peer-back':
    case 'drawn':
      return; // Whoever is back starts an election by itself; nothing is drawn.
    default:
      assertNever(input);
  }
}

/** "If a fallen process comes back to life, it starts a new election of a leader" (seed 001) */
function onStart(turn: Turn, { saved }: Extract<Input, { type: 'start' }>): void {
  restore(turn.s, saved);
  report(turn);
  if (turn.rules.quorum) startDoubt(turn);
  else startElection(turn);
}

function onMessage(turn: Turn, from: MemberId, message: Message): void {
  if (!turn.s.others.includes(from)) return;
  if (turn.rules.quorum && !checkEpoch(turn, from, message)) return;
  switch (message.type) {
    case 'election':
      return onElection(turn, from);
    case 'ok':
      return onOk(turn, from);
    case 'coordinator':
      return turn.rules.quorum ? onProposal(turn, from) : onCoordinator(turn, from);
    case 'coordinator/ack':
      return onAcknowledged(turn, from, message.version, message.value);
    case 'heartbeat':
      return onHeartbeat(turn, from, message);
    case 'alive':
      return onAlive(turn, from, message);
    case 'resign':
      return onResign(turn, from);
    case 'leader-gone':
      return onLeaderGone(turn, from);
    case 'leader-gone/answer':
      return onLeaderGoneAnswer(turn, from, message.gone);
    case 'newer-epoch':
      return; // The epoch was all it had to say.
    case 'publish/send':
      return onPublishSend(turn, from, message.version, message.value);
    case 'publish/ack':
      return onPublishAck(turn, from, message.version);
    case 'publish/refused':
      return onPublishRefused(turn, message.version);
    case 'publish/commit':
      return onPublishCommit(turn, from, message.epoch, message.version);
    case 'publish/applied':
      return onPublishApplied(turn, from, message.version);
    case 'publish/state':
      return onPublishState(turn, from, message.version, message.value);
    default:
      assertNever(message);
  }
}

function onTimer(turn: Turn, timer: Timer): void {
  switch (timer) {
    case 'check':
      return startCheck(turn);
    case 'again':
      turn.s.aside = false;
      return startAgain(turn);
    case 'commit':
      return onCommitTimeout(turn);
    case 'publish':
      return onPublishTimeout(turn);
  }
  const overdue = takeOverdue(turn, timer);
  if (overdue === null) return;
  switch (overdue.type) {
    case 'heartbeat':
      return onHeartbeatOverdue(turn, overdue.to);
    case 'leader-gone':
      return concludeDoubt(turn);
    case 'election':
      return onElectionOverdue(turn);
    case 'coordinator':
      return leadWithMajority(turn);
    case 'publish/send':
    case 'publish/commit':
      return onPublishOverdue(turn, overdue.to, overdue.type);
    case 'publish/state':
      return; // The next heartbeat shows whether it arrived.
    default:
      assertNever(overdue.type);
  }
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
