/**
 * ring: the token ring of seed 000. Members stand in a ring in id order; the heartbeat duty travels around it.
 * The member that holds the duty checks the leader; if the leader is dead, an election message collects the ids of the
 * living, and the preferred of them leads.
 *
 * Promises nothing that holds at every moment. While messages arrive in time and no member dies, all members come
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
 *   the leader, tells which leader its sender follows. An election ends at a member that knows a leader of its round or a
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
import { handOn, onAck, onNoAck, placesAhead, sendAck, skipMs, takeReturned } from '../pass-on.ts';
import {
  type Announcement,
  type Body,
  type Check,
  type Election,
  follow,
  following,
  type Invoke,
  init,
  type Message,
  messages,
  type Out,
  options,
  type Rules,
  report,
  rulesOf,
  type State,
  type Timer,
  timing,
} from './state.ts';

function createRing(rules: Rules): Protocol<State, Message, Timer> {
  return {
    name: 'ring',
    pledges: [],
    init,
    step(s, input, out) {
      onInput(s, input, rules, out);
      for (let body = takeReturned(s); body !== undefined; body = takeReturned(s))
        onPassed(s, s.id, body, rules, out);
    },
    measure: ({ round, step, passing }) => ({ round, step, sequence: passing.sequence }),
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
    case 'command': {
      const reason = `the ring election has no ${input.command.type}`;
      out.push({ type: 'answer', command: input.id, outcome: { status: 'refused', reason } });
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

/**
 * "The instance with the smallest (or largest) ID must be the initial leader", and the seed gives the first
 * HEARTBEAT_INVOKE to the one after it. A member that ran before may have missed an election: it waits to be told.
 */
function onStart(s: State, input: Extract<Input, { type: 'start' }>, rules: Rules, out: Out): void {
  s.passing.incarnation = input.incarnation;
  if (input.saved === null) {
    s.leader = preferredId(s.ring, rules.prefer);
    out.push({ type: 'save', record: { started: true } });
  }
  report(s, out);
  waitForDuty(s, rules, out);
  if (s.leader !== null && placesAhead(s.ring, s.leader, s.id) === 1) makeDuty(s, rules, out);
}

function onMessage(s: State, from: MemberId, m: Message, rules: Rules, out: Out): void {
  switch (m.type) {
    case 'ack':
      return onAck(s, m, rules, out);
    case 'heartbeat':
      return onHeartbeat(s, from, m, rules, out);
    case 'alive':
      return onAlive(s, from, m, rules, out);
    case 'heartbeat-invoke':
    case 'election':
    case 'leader':
      if (sendAck(s, from, m, out)) onPassed(s, from, m, rules, out);
      return;
    default:
      assertNever(m);
  }
}

function onPassed(s: State, from: MemberId, m: Body, rules: Rules, out: Out): void {
  switch (m.type) {
    case 'heartbeat-invoke':
      return onHeartbeatInvoke(s, from, m, rules, out);
    case 'election':
      return onElection(s, m, rules, out);
    case 'leader':
      return onLeader(s, m, rules, out);
    default:
      assertNever(m);
  }
}

function onTimer(s: State, timer: Timer, rules: Rules, out: Out): void {
  switch (timer) {
    case 'ack':
      return onNoAck(s, rules, out);
    case 'answer':
      return onNoAnswer(s, rules, out);
    case 'heartbeat':
      return passDuty(s, rules, out);
    case 'timeout':
      return makeDuty(s, rules, out);
    default:
      assertNever(timer);
  }
}

// The heartbeat duty: the member that has it checks the leader, keeps it for an interval and passes it on.

/**
 * Waits for the duty to come by. In a lap, each member answers, checks the leader and keeps the duty, or is silent
 * and is skipped.
 */
function waitForDuty(s: State, rules: Rules, out: Out): void {
  const lapMs = s.ring.length * (rules.heartbeatMs + skipMs(rules) + rules.answerMs);
  const [least, most] = rules.timeoutMs;
  out.push({ type: 'set-timer', timer: 'timeout', delayMs: [lapMs + least, lapMs + most] });
}

/** "Leader is alive. Start next heartbeat in 5 second." */
function keepDuty(s: State, rules: Rules, out: Out): void {
  s.duty = { asked: null, missed: 0 };
  out.push({ type: 'cancel-timer', timer: 'answer' });
  out.push({ type: 'set-timer', timer: 'heartbeat', delayMs: rules.heartbeatMs });
}

/** "If it is alive, it will inform the next instance to do the heartbeat." */
function passDuty(s: State, rules: Rules, out: Out): void {
  if (s.duty === null) return;
  dropDuty(s, out);
  sendHeartbeatInvoke(s, rules, out);
}

/** "Leader update done. Start heartbeat.": as if the duty had come round and had been done here. */
function startDuty(s: State, rules: Rules, out: Out): void {
  dropDuty(s, out);
  waitForDuty(s, rules, out);
  s.step += s.ring.length;
  sendHeartbeatInvoke(s, rules, out);
}

/** A duty that was lost, or never existed, begins here as if it had just come round. */
function makeDuty(s: State, rules: Rules, out: Out): void {
  s.step += s.ring.length;
  startCheck(s, rules, out);
}

function dropDuty(s: State, out: Out): void {
  if (s.duty === null) return;
  s.duty = null;
  out.push({ type: 'cancel-timer', timer: 'answer' }, { type: 'cancel-timer', timer: 'heartbeat' });
}

function sendHeartbeatInvoke(s: State, rules: Rules, out: Out): void {
  handOn(s, { type: 'heartbeat-invoke', ...following(s), step: s.step }, rules, out);
}

/** "After receiving the message, the instance will send a heartbeat to the leader to check its health." */
function onHeartbeatInvoke(s: State, from: MemberId, m: Invoke, rules: Rules, out: Out): void {
  follow(s, m, rules, out);
  const here = m.step + placesAhead(s.ring, from, s.id);
  if (here <= s.step) return; // A duty that came further has been here: this one ends.
  s.step = here;
  startCheck(s, rules, out);
}

function startCheck(s: State, rules: Rules, out: Out): void {
  dropDuty(s, out);
  waitForDuty(s, rules, out);
  if (s.leader === null) return startElection(s, rules, out);
  if (s.leader === s.id) return keepDuty(s, rules, out);
  s.duty = { asked: s.leader, missed: 0 };
  sendHeartbeat(s, s.leader, rules, out);
}

function sendHeartbeat(s: State, to: MemberId, rules: Rules, out: Out): void {
  out.push({ type: 'send', to, message: { type: 'heartbeat', ...following(s), step: s.step } });
  out.push({ type: 'set-timer', timer: 'answer', delayMs: rules.answerMs });
}

/**
 * A member that is asked lives. If it was replaced, or has forgotten that it leads, one of the two learns of it now.
 */
function onHeartbeat(s: State, from: MemberId, m: Check, rules: Rules, out: Out): void {
  if (!s.ring.includes(from)) return;
  follow(s, m, rules, out);
  out.push({ type: 'send', to: from, message: { type: 'alive', ...following(s), step: m.step } });
}

function onAlive(s: State, from: MemberId, m: Check, rules: Rules, out: Out): void {
  if (!s.ring.includes(from)) return;
  follow(s, m, rules, out);
  if (s.duty?.asked === from && m.step === s.step) keepDuty(s, rules, out);
}

/** "If not, it will start the election process." */
function onNoAnswer(s: State, rules: Rules, out: Out): void {
  const { duty } = s;
  if (duty === null || duty.asked === null) return;
  if (duty.asked !== s.leader) return startCheck(s, rules, out); // It heard of another leader, which is asked.
  if (duty.missed >= rules.tolerance) return startElection(s, rules, out);
  duty.missed += 1;
  sendHeartbeat(s, duty.asked, rules, out);
}

// The election: a list of the living goes round, then the leader that was picked from it.

/** "It will send an election message to the next live instance in the ring, containing its own ID." */
function startElection(s: State, rules: Rules, out: Out): void {
  dropDuty(s, out);
  handOn(s, { type: 'election', ids: [s.id], round: s.round + 1 }, rules, out);
}

/**
 * "If the local ID is contained in the ID list, the instance will select the instance with the smallest ID to be the
 * new leader, and send the leader message. If not, it will add its local ID to the list and send the message to
 * the next instance in the ring."
 */
function onElection(s: State, { ids, round }: Election, rules: Rules, out: Out): void {
  // It was already decided, or a later one was: the outcome is passed on in its place.
  if (round <= s.round) return handOn(s, { type: 'leader', ...following(s) }, rules, out);
  dropDuty(s, out);
  waitForDuty(s, rules, out);
  if (!ids.includes(s.id)) return handOn(s, { type: 'election', ids: [...ids, s.id], round }, rules, out);
  const candidates = ids.filter((id) => s.ring.includes(id));
  handOn(s, { type: 'leader', leader: preferredId(candidates, rules.prefer), round }, rules, out);
}

/**
 * "The instance will set the leader ID to be the new one and send the message to the next instance until all live
 * instances in the ring are informed." Where it is known, it has been all round.
 */
function onLeader(s: State, { leader, round }: Announcement, rules: Rules, out: Out): void {
  if (follow(s, { leader, round }, rules, out)) {
    dropDuty(s, out);
    waitForDuty(s, rules, out);
    handOn(s, { type: 'leader', leader, round }, rules, out);
  } else if (leader === s.leader && round === s.round) {
    startDuty(s, rules, out);
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
