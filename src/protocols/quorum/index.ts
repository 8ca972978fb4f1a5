/**
 * quorum: the election that people run. A majority of votes makes a leader, a lease makes it the only one.
 *
 * Promises, whatever the network does and whoever crashes:
 *   S1 at most one leader per term          S2 one vote per term and member, saved before it is sent
 *   S3 terms only grow                      S4 a majority of the members behind every win
 *   S6 tokens (the term) only grow          S9 members that name a leader for a term name the same one
 *   R1 one value per version of the register
 * and, as long as clocks run at rates within `maxDrift` of each other and proof of death is true:
 *   S10 at no moment may two members act.
 * In a cluster that is otherwise well:
 *   L3 another leader soon when one is cut off   L4 no other leader while a majority hears this one
 *   L5 no claim to lead, a time-out after a majority was last heard
 * All but S2 and S3 survive the loss of one member's disk: it recalls from the others what it needs before it votes again.
 *
 * Does not promise: a leader while no majority can be reached. (Two members are no safer than one: if either fails, the other
 * has no majority; and an even number that splits into halves elects nobody. Three survive one failure, five two.)
 * Nor anything after a lost disk of a member that was not configured with all that vote by now: it asks those it knows what it
 * may have forgotten, and one that was configured alone asks nobody. Configure it anew before it starts.
 * Nor that a member whose lease has ended knows it before it looks: whoever acts must ask, and a resource
 * that can be fenced should be, by the token.
 *
 * How: pre-vote (nobody disturbs a working leader), votes, heartbeats in rounds. Whoever answers a round, or votes, promises to
 * help nobody else for `leaseMs`; the leader may act on the newest round that a majority answered, for a little less than that,
 * counted from when it *sent* the round. A small register, written in two phases, holds a value and who the members are.
 *
 * Roles and their exits:
 *   blank          (empty disk) → follower (enough others told it what it may have forgotten)
 *   follower       → pre-candidate (silence, or evidence that the leader is gone) | candidate (the leader hands over)
 *   pre-candidate  → candidate (a majority would vote) | follower (a leader is heard, or heard of)
 *   candidate      → leader (a majority voted) | pre-candidate (no result in time) | follower (a leader, or a newer term)
 *   leader         → follower (newer term, no majority for a time-out, resigned, handed over)
 */
import {
  assertNever,
  type Definition,
  define,
  type Effect,
  type Input,
  type Json,
  type MemberId,
  type Pledge,
  type Protocol,
} from '../../core/index.ts';
import { handToPreferred, leaveIfRemoved, onCommand, onTransferTimer } from './commands.ts';
import {
  onElectionTimer,
  onLeaderGone,
  onPreVote,
  onPreVoteAnswer,
  onPromiseEnds,
  onResign,
  onTransfer,
  onVote,
  onVoteAnswer,
} from './election.ts';
import { onHeartbeat, onHeartbeatAnswer, onLeaseEnds, onQuorumLost, sendHeartbeats } from './leading.ts';
import { type Message, messages } from './messages.ts';
import { onRecall, onRecallAnswer, onStart, sendRecalls } from './recall.ts';
import {
  onCommitTimer,
  onPublishAnswer,
  onPublishCommit,
  onPublishCopy,
  onPublishSend,
  onPublishTimer,
} from './register.ts';
import { onTerm } from './roles.ts';
import {
  checkSettings,
  memberSettings,
  type OptionsTable,
  options,
  type QuorumConfig,
  type Times,
  type TimingTable,
  timesOf,
  timing,
} from './settings.ts';
import { initialState, type Out, type Saved, type State, type Timer } from './state.ts';

const pledges: readonly Pledge[] = [
  { property: 'S1', assuming: ['one-disk', 'no-forgery'] },
  { property: 'S2', assuming: ['disk', 'no-forgery'] },
  { property: 'S3', assuming: ['disk', 'no-forgery'] },
  { property: 'S4', assuming: ['one-disk', 'no-forgery'] },
  { property: 'S6', assuming: ['one-disk', 'no-forgery', 'clock', 'proof'] },
  { property: 'S9', assuming: ['one-disk', 'no-forgery'] },
  { property: 'R1', assuming: ['one-disk', 'no-forgery'] },
  { property: 'S10', assuming: ['one-disk', 'no-forgery', 'clock', 'proof'] },
];

/**
 * No honest member is this many terms ahead: that takes a century of elections. Whoever says so has made it up, and would with one
 * message use up all the terms there are.
 */
const LONGEST_LEAP = 4_294_967_296;

function createQuorum(config: QuorumConfig): Protocol<State, Message, Timer> {
  const times: Times = timesOf(config);
  const { preferAfter } = config.options;

  function step(s: State, input: Input<Message, Timer>, out: Effect<Message, Timer>[]): void {
    switch (input.type) {
      case 'start':
        return onStart(s, input.saved, input.incarnation, times, out);
      case 'message':
        onMessage(s, input.from, input.message, out);
        leaveIfRemoved(s, times, out);
        return handToPreferred(s, preferAfter, times, out);
      case 'timer':
        return onTimer(s, input.timer, out);
      case 'command':
        onCommand(s, input, times, out);
        return leaveIfRemoved(s, times, out);
      case 'peer-gone':
        if (input.peer === s.leader) onLeaderGone(s, input.proof, times, out);
        return;
      case 'peer-back':
      case 'drawn':
        return;
      default:
        assertNever(input);
    }
  }

  function onMessage(s: State, from: MemberId, m: Message, out: Out): void {
    // What was meant for an earlier life would tell a member that has forgotten it what it must not act upon.
    if (s.role === 'blank' && m.type !== 'recall' && m.type !== 'recall/answer') return;
    if (s.role !== 'blank' && 'term' in m && m.term > s.term + LONGEST_LEAP) return;
    switch (m.type) {
      case 'term':
        return onTerm(s, from, m.term, times, out);
      case 'pre-vote':
        return onPreVote(s, from, m, out);
      case 'pre-vote/answer':
        return onPreVoteAnswer(s, from, m, times, out);
      case 'vote':
        return onVote(s, from, m, times, out);
      case 'vote/answer':
        return onVoteAnswer(s, from, m, times, out);
      case 'heartbeat':
        return onHeartbeat(s, from, m, times, out);
      case 'heartbeat/answer':
        return onHeartbeatAnswer(s, from, m, times, out);
      case 'publish/send':
        return onPublishSend(s, from, m, times, out);
      case 'publish/answer':
        return onPublishAnswer(s, from, m, times, out);
      case 'publish/commit':
        return onPublishCommit(s, m, out);
      case 'publish/copy':
        return onPublishCopy(s, m, out);
      case 'transfer':
        return onTransfer(s, from, m, times, out);
      case 'resign':
        return onResign(s, from, m, times, out);
      case 'recall':
        return onRecall(s, from, m, out);
      case 'recall/answer':
        return onRecallAnswer(s, from, m, times, out);
      default:
        assertNever(m);
    }
  }

  function onTimer(s: State, timer: Timer, out: Out): void {
    switch (timer) {
      case 'election':
        return onElectionTimer(s, times, out);
      case 'promise':
        return onPromiseEnds(s, out);
      case 'heartbeat':
        return sendHeartbeats(s, times, out);
      case 'quorum':
        return onQuorumLost(s, times, out);
      case 'commit':
        return onCommitTimer(s, out);
      case 'publish':
        return onPublishTimer(s, times, out);
      case 'transfer':
        return onTransferTimer(s, times, out);
      case 'recall':
        return sendRecalls(s, times, out);
      default:
        return onLeaseEnds(s, Number(timer.slice('lease/'.length)), out);
    }
  }

  return {
    name: 'quorum',
    pledges,
    liveness: ['L3', 'L4', 'L5'],
    init: initialState,
    step,
    vote: (message) => (message.type === 'vote/answer' ? { term: message.term } : null),
    genesis(self) {
      const { term, votedFor, register, committed, lives } = initialState(self);
      const record: Saved = { term, votedFor, register, committed, life: 0, lives };
      return record as unknown as Json;
    },
    measure: ({ term, round, register }) => ({ term, round, version: register.version }),
  };
}

export const quorum: Definition = define<TimingTable, OptionsTable, Message>({
  name: 'quorum',
  summary: 'votes, leases and fencing tokens: one leader at a time (the production default)',
  timing,
  options,
  memberSettings,
  check: checkSettings,
  messages,
  commands: ['campaign', 'resign', 'priority', 'transfer', 'publish', 'add', 'remove'],
  create: createQuorum,
});
