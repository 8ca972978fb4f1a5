import type { Effect, MemberId, Self } from '../../core/index.ts';
import { noPassing, type Seat } from '../pass-on.ts';
import type { Body, Message } from './messages.ts';
import type { Rules } from './settings.ts';

export type Timer = 'ack' | 'heartbeat' | 'timeout';

export interface State extends Seat<Body> {
  participating: boolean;
  /** It stepped down and does not stand in the election that it takes part in. */
  abstaining: boolean;
  /** "The possible states are 'defined' (`elected == P`), or 'undefined' (`elected == @`)", here null. */
  leader: MemberId | null;
}

/** One input being handled: the state, where the effects go, and the settings. */
export interface Turn {
  readonly s: State;
  readonly out: Effect<Message, Timer>[];
  readonly rules: Rules;
}

/** "The initial state of a process is undefined." */
export function init({ id, members }: Self, rules: Rules): State {
  const ring = [...(rules.layout ?? members)];
  return { id, ring, participating: false, abstaining: false, leader: null, passing: noPassing() };
}

export function report({ s: { id, leader, participating }, out }: Turn): void {
  const role = leader === id ? 'leader' : participating ? 'candidate' : 'follower';
  out.push({ type: 'report', view: { role, leader, term: null, lease: null, version: 0, value: null } });
}
