/** The messages of the ring, its settings, and the state of each member. */
import {
  type Config,
  choice,
  type Definition,
  durationMs,
  type Effect,
  listOf,
  type MemberId,
  memberId,
  natural,
  nullable,
  outranks,
  type Preference,
  rangeMs,
  record,
  type Self,
  type Setting,
  setting,
} from '../../core/index.ts';
import {
  type Ack,
  noPassing,
  type Passed,
  type PassingRules,
  passingOptions,
  passingRules,
  passingTiming,
  type Seat,
  slip,
} from '../pass-on.ts';

/** A leader, and the election that made it one. */
export interface Following {
  readonly leader: MemberId | null;
  readonly round: number;
}

/** "Checks the health of the current leader instance", and the answer. `step` says for which duty. */
export type Check = { readonly type: 'heartbeat' | 'alive' } & Following & { readonly step: number };

/** "Inform the target instance to start the heartbeat." `step` counts the places up to its sender. */
export type Invoke = { readonly type: 'heartbeat-invoke' } & Following & { readonly step: number };

/** "Start the election. The content of the message stores the ID(s) of the candidate instance(s)." */
export interface Election {
  readonly type: 'election';
  readonly ids: readonly MemberId[];
  readonly round: number;
}

/** "Notify the new leader. The content of the message must be the ID of the leader." */
export type Announcement = { readonly type: 'leader' } & Following;

/** What travels around the ring. */
export type Body = Invoke | Election | Announcement;

export type Message = Passed<Body> | Check | Ack;

const leader = nullable(memberId);
const round = natural;
const step = natural;

export const messages: Definition<never, never, Message>['messages'] = {
  'heartbeat-invoke': record({ leader, round, step, ...slip }),
  election: record({ ids: listOf(memberId), round, ...slip }),
  leader: record({ leader, round, ...slip }),
  ack: record({ ...slip }),
  heartbeat: record({ leader, round, step }),
  alive: record({ leader, round, step }),
};

export const timing: {
  readonly heartbeatMs: Setting<number>;
  readonly timeoutMs: Setting<readonly [number, number]>;
} & typeof passingTiming = {
  heartbeatMs: setting(durationMs, 1000, 'how long a member keeps the duty before it passes it on'),
  timeoutMs: setting(
    rangeMs,
    [1000, 3000],
    'how long, beyond a lap of the duty, a member waits for it before it makes it again',
  ),
  ...passingTiming,
};

export const options: { readonly prefer: Setting<Preference> } & typeof passingOptions = {
  prefer: setting(choice('lowest', 'highest'), 'lowest', 'which id leads at first, and wins an election'),
  ...passingOptions,
};

/** The settings as the algorithm uses them. */
export interface Rules extends PassingRules {
  readonly prefer: Preference;
  readonly heartbeatMs: number;
  readonly timeoutMs: readonly [number, number];
}

export function rulesOf(config: Config<typeof timing, typeof options>): Rules {
  const { heartbeatMs, timeoutMs } = config.timing;
  const { prefer } = config.options;
  return { prefer, heartbeatMs, timeoutMs, ...passingRules(config.timing, config.options) };
}

/** `answer`: the leader's, to the check. `heartbeat`: the interval. `timeout`: the duty did not come by. */
export type Timer = 'ack' | 'answer' | 'heartbeat' | 'timeout';
export type Out = Effect<Message, Timer>[];

export interface State extends Seat<Body> {
  leader: MemberId | null;
  round: number;
  /** How far the newest duty had come when it was here. Modulo the number of members this is the member's place. */
  step: number;
  /** While it holds the duty: the member that it has asked, and how often it retried; null while the interval runs. */
  duty: { readonly asked: MemberId | null; missed: number } | null;
}

export function init({ id, members }: Self): State {
  return {
    id,
    ring: [...members],
    leader: null,
    round: 0,
    step: members.indexOf(id) - members.length,
    duty: null,
    passing: noPassing(),
  };
}

/** The leader that this member follows, to be told to others. */
export function following({ leader, round }: State): Following {
  return { leader, round };
}

/** Of two leaders, that of the later round; of one round, the preferred one. True if that changes the leader here. */
export function follow(s: State, { leader, round }: Following, rules: Rules, out: Out): boolean {
  if (leader === null || !s.ring.includes(leader) || round < s.round) return false;
  if (round === s.round && s.leader !== null && !outranks(leader, s.leader, rules.prefer)) return false;
  s.round = round;
  if (s.leader !== leader) {
    s.leader = leader;
    report(s, out);
  }
  return true;
}

export function report({ id, leader }: State, out: Out): void {
  const role = leader === id ? 'leader' : 'follower';
  out.push({ type: 'report', view: { role, leader, term: null, lease: null, version: 0, value: null } });
}
