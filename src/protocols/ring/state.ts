import { type Effect, type MemberId, outranks, type Self } from '../../core/index.ts';
import { noPassing, type Seat } from '../pass-on.ts';
import type { Body, Following, Message } from './messages.ts';
import type { Rules } from './settings.ts';

/** `answer`: the leader's, to the check. `heartbeat`: the interval. `timeout`: the duty did not come by. */
export type Timer = 'ack' | 'answer' | 'heartbeat' | 'timeout';

export interface State extends Seat<Body> {
  leader: MemberId | null;
  round: number;
  /** How far the newest duty had come when it was here. Its rest modulo the members is this member's place. */
  step: number;
  /** While it holds the duty: whom it has asked, and how often again; null while the interval runs. */
  duty: { readonly asked: MemberId | null; missed: number } | null;
}

/** One input being handled: the state, where the effects go, and the settings. */
export interface Turn {
  readonly s: State;
  readonly out: Effect<Message, Timer>[];
  readonly rules: Rules;
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

/** Whom this member follows, to be told to others. */
export function following({ leader, round }: State): Following {
  return { leader, round };
}

/** Of two leaders, the later round's; of one round, the preferred. True if that is news here. */
export function follow(turn: Turn, { leader, round }: Following): boolean {
  const { s, rules } = turn;
  if (leader === null || !s.ring.includes(leader) || round < s.round) return false;
  if (round === s.round && s.leader !== null && !outranks(leader, s.leader, rules.prefer)) return false;
  s.round = round;
  if (s.leader !== leader) {
    s.leader = leader;
    report(turn);
  }
  return true;
}

export function report({ s: { id, leader }, out }: Turn): void {
  const role = leader === id ? 'leader' : 'follower';
  out.push({ type: 'report', view: { role, leader, term: null, lease: null, version: 0, value: null } });
}
