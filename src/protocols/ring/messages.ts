import {
  type Definition,
  listOf,
  type MemberId,
  memberId,
  natural,
  nullable,
  record,
} from '../../core/index.ts';
import { type Ack, type Passed, slip } from '../pass-on.ts';

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
