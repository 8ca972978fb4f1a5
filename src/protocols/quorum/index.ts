/**
 * quorum: the election that people run. A majority of votes makes a leader, a lease makes it the only one.
 *
 * Promises, whatever the network does and whichever members crash:
 *   S1 at most one leader per term          S2 one vote per term and member, saved before it is sent
 *   S3 terms only grow                      S4 a majority of the members behind every win
 *   S6 tokens (the term) only grow          S9 members that name a leader for a term name the same one
 *   R1 one value per version of the register
 * and, as long as clocks run at rates within `maxDrift` of each other and proof of death is true:
 *   S10 at no moment may two processes act.
 * In a cluster that is otherwise well:
 *   L3 another leader soon when one is cut off   L4 no other leader while a majority hears this one
 *   L5 no claim to lead, a timeout after a majority was last heard
 * All but S2 and S3 survive the loss of a disk, also again and again, as long as one member at a time is without the disk that
 * its seat belongs to, and the membership has at least two members. A second process under one name counts as such a loss.
 *
 * Does not promise: a leader while no majority can be reached. (Two members are no safer than one: if either fails, the other
 * has no majority; and an even number that splits into halves elects none. Three survive one failure, five two.)
 * Nor anything about a disk that was copied, or set back to an older state. If the disk was started again since, and so many
 * members have heard of it that the rest is no majority, the copy is recognised and counts as a new disk; else it looks like a
 * restart.
 * Nor that a member whose lease has ended knows it before it looks: a program must ask before it acts, and a resource
 * that can be fenced should be, by the token.
 *
 * How: pre-vote (a working leader is not disturbed), votes, heartbeats in rounds. A member that answers a round, or votes,
 * promises to help no other for as long as it was asked to (`leaseMs`); the leader may act on the newest round that a majority
 * answered, for a little less than that, counted from when it *sent* the round. A small register, written in two phases, holds a value, the members,
 * and times that operators set (see timing.ts).
 * A leader can have its successor elected in advance (deputy.ts): a deputy leads at once when the leader hands over to it, or
 * is proven dead.
 * An election that has nothing to do rests (resting.ts): requests for support between processes, one for all elections at
 * once, take the place of its heartbeats, and it wakes with the state in which heartbeats would have left it.
 * A member is a name and a disk (see seats.ts and identity.ts); a name that comes with another disk counts for nothing until the
 * leader has given it the seat (see membership.ts).
 *
 * Roles and their exits:
 *   follower       → pre-candidate (silence, or evidence that the leader is gone) | candidate (the leader hands over)
 *                    | leader (it was the deputy of a leader that handed over to it, or is proven dead)
 *   pre-candidate  → candidate (a majority would vote) | follower (a leader is heard, or heard of) | leader (as above)
 *   candidate      → leader (a majority voted) | pre-candidate (no result in time) | follower (a leader, or a newer term)
 *   leader         → follower (newer term, no majority for a timeout, resigned, handed over)
 */
import {
  type Assumption,
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
import { changesMembers, claimOf, introducedBy, objection } from './bounds.ts';
import { onCommand } from './commands.ts';
import { onDeputyAnswer, onDeputyAsk, onDeputyEnd, onDeputyEnded, onHeirEnds } from './deputy.ts';
import {
  onElectionTimer,
  onGone,
  onPreVote,
  onPreVoteAnswer,
  onPromiseEnds,
  onResign,
  onTransfer,
  onVote,
  onVoteAnswer,
} from './election.ts';
import {
  askPreferred,
  ending,
  leaveIfRemoved,
  onProbe,
  onProbeAnswer,
  onTransferAsk,
  onTransferReady,
  onTransferTimer,
  successorsOf,
} from './handover.ts';
import {
  inheritedFrom,
  isLatest,
  knownIn,
  onCopy,
  onStart,
  onVouched,
  recoveredFrom,
  resumedFrom,
  seatsIn,
} from './identity.ts';
import {
  ledMs,
  onHeartbeat,
  onHeartbeatAnswer,
  onLeaseEnds,
  onQuorumLost,
  sendHeartbeats,
} from './leading.ts';
import { advanceMembership } from './membership.ts';
import { type Message, messages } from './messages.ts';
import {
  isCurrent,
  onCommitTimer,
  onPublishAnswer,
  onPublishCommit,
  onPublishCopy,
  onPublishSend,
  onPublishTimer,
} from './register.ts';
import { acceptsRest, carriedRound, offerToRest, shareParts, wakeFromRest } from './resting.ts';
import { onTerm } from './roles.ts';
import {
  checkSettings,
  effectiveTiming,
  memberSettings,
  type OptionsTable,
  options,
  type QuorumConfig,
  roundTripMs,
  type Times,
  type TimingTable,
  timesOf,
  timing,
} from './settings.ts';
import { firstRegister, initialState, type Out, type Saved, type State, type Timer } from './state.ts';
import { onEarlierEnds, onShorten, retimedIn, retiming, timekeeper } from './timing.ts';

export { timesOf };

/** A lost disk, and any number of them one after the other; a second process under one name. */
const LOSSES: readonly Assumption[] = ['one-disk', 'no-copy', 'no-forgery'];

const pledges: readonly Pledge[] = [
  { property: 'S1', assuming: LOSSES },
  { property: 'S2', assuming: ['disk', 'no-copy', 'no-forgery'] },
  { property: 'S3', assuming: ['disk', 'no-copy', 'no-forgery'] },
  { property: 'S4', assuming: LOSSES },
  { property: 'S6', assuming: [...LOSSES, 'clock', 'proof'] },
  { property: 'S9', assuming: LOSSES },
  { property: 'R1', assuming: LOSSES },
  { property: 'S10', assuming: [...LOSSES, 'clock', 'proof'] },
];

/** The identity of every disk of a cluster that starts founded, in a simulation or an exploration. */
const FIRST_DISK = '0';

function createQuorum(config: QuorumConfig): Protocol<State, Message, Timer> {
  const timesIn = timekeeper(config);
  const configured: Times = timesOf(config);

  function step(s: State, input: Input<Message, Timer>, out: Effect<Message, Timer>[]): void {
    const times = timesIn(s);
    switch (input.type) {
      case 'start':
        return onStart(s, input, timesIn, out);
      case 'message':
        onMessage(s, input.from, input.message, times, out);
        advanceMembership(s, times, out);
        leaveIfRemoved(s, times, out);
        return askPreferred(s, times.preferAfter, out);
      case 'timer':
        onTimer(s, input.timer, times, out);
        advanceMembership(s, times, out);
        return leaveIfRemoved(s, times, out);
      case 'command':
        onCommand(s, input, config, times, out);
        advanceMembership(s, times, out);
        return leaveIfRemoved(s, times, out);
      case 'peer-gone':
        return onGone(s, input.peer, input.proof ? input.life : null, times, out);
      case 'peer-back':
      case 'drawn':
      case 'seeds':
        return;
      default:
        assertNever(input);
    }
  }

  function onMessage(s: State, from: MemberId, m: Message, times: Times, out: Out): void {
    if (objection(s, m, config) !== null) return;
    if (!isLatest(s, from, m, out)) return;
    if (s.told !== null && 'to' in m && m.to === s.life) onVouched(s, from, m.by.disk, out);
    switch (m.type) {
      case 'term':
        return onTerm(s, from, m, times, out);
      case 'pre-vote':
        return onPreVote(s, from, m, times, out);
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
        return onPublishCopy(s, from, m, times, out);
      case 'transfer':
        return onTransfer(s, from, m, times, out);
      case 'resign':
        return onResign(s, from, m, times, out);
      case 'transfer/ask':
        return onTransferAsk(s, from, m, out);
      case 'transfer/ready':
        return onTransferReady(s, from, m, times, out);
      case 'probe':
        return onProbe(s, from, m, out);
      case 'probe/answer':
        return onProbeAnswer(s, from, m, out);
      case 'copy':
        return onCopy(s, from, m, times, out);
      case 'deputy/ask':
        return onDeputyAsk(s, from, m, out);
      case 'deputy/answer':
        return onDeputyAnswer(s, from, m);
      case 'deputy/end':
        return onDeputyEnd(s, from, m, out);
      case 'deputy/ended':
        return onDeputyEnded(s, from, m, out);
      default:
        assertNever(m);
    }
  }

  function onTimer(s: State, timer: Timer, times: Times, out: Out): void {
    switch (timer) {
      case 'election':
        return onElectionTimer(s, times, out);
      case 'promise':
        return onPromiseEnds(s, times, out);
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
      case 'shorten':
        return onShorten(s);
      case 'heir':
        return onHeirEnds(s, out);
      case 'earlier':
        return onEarlierEnds(s);
      default:
        return onLeaseEnds(s, Number(timer.slice('lease/'.length)), out);
    }
  }

  return {
    name: 'quorum',
    pledges,
    liveness: ['L3', 'L4', 'L5'],
    hasLeases: true,
    init: initialState,
    step,
    objection: (s, message) => objection(s, message, config),
    introduces: introducedBy,
    changesMembers,
    claim: claimOf,
    vote(message) {
      if (message.type === 'vote/answer') return { term: message.term };
      return message.type === 'deputy/answer' ? { term: message.next } : null;
    },
    ending,
    ledMs: (message) => ledMs(message, configured),
    genesis(self) {
      const register = firstRegister(self.members.map((id) => ({ id, disk: FIRST_DISK })));
      const record: Saved = {
        disk: FIRST_DISK,
        start: 0,
        term: 0,
        votedFor: null,
        register,
        committed: register,
        promiseMs: 0,
        seen: {},
      };
      return record as unknown as Json;
    },
    isCurrent,
    successors: successorsOf,
    seats: (record) => seatsIn(record as unknown as Saved),
    isPaused: (record) => (record as unknown as Saved).register.paused === true,
    inherit: (self, saved) => inheritedFrom(self.id, saved),
    resume: resumedFrom,
    retimed: retimedIn,
    resting: {
      timer: 'heartbeat',
      offer: (s) => offerToRest(s, timesIn(s)),
      accepts: acceptsRest,
      carried: carriedRound,
      wake: (s, rested, out) => wakeFromRest(s, rested, timesIn(s), out),
      share: shareParts,
    },
    timesToTry: [retiming.scaled(config, 0.5), retiming.scaled(config, 2)],
    measure: ({ term, seeking, round, register, standby }) => ({
      term: Math.max(term, seeking),
      round: Math.max(round, standby?.round ?? 0),
      version: register.version,
    }),
  };
}

export const quorum: Definition = define<TimingTable, OptionsTable, Message>({
  name: 'quorum',
  summary: 'votes, leases and fencing tokens: one leader at a time (the production default)',
  timing,
  options,
  memberSettings,
  check: checkSettings,
  roundTripMs,
  effectiveTiming,
  timingOptions: ['preset'],
  retiming,
  messages,
  formerMessages: ['recall', 'recall/answer'],
  commands: ['campaign', 'resign', 'priority', 'transfer', 'publish', 'reconfigure', 'add', 'remove'],
  recovering: { read: knownIn, recover: recoveredFrom },
  create: createQuorum,
});
