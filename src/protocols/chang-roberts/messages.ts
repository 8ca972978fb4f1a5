import { type Definition, type MemberId, memberId, nullable, record } from '../../core/index.ts';
import { type Ack, type Passed, slip } from '../pass-on.ts';

/** What travels around the ring. */
export type Body =
  /** "a message in the direction of the ring, indicating that it is the leader"; null while nobody stands */
  | { readonly type: 'election'; readonly candidate: MemberId | null }
  /** "a message 'leader elected'" */
  | { readonly type: 'elected'; readonly leader: MemberId };

export type Message = Passed<Body> | Ack | { readonly type: 'heartbeat' };

export const messages: Definition<never, never, Message>['messages'] = {
  election: record({ candidate: nullable(memberId), ...slip }),
  elected: record({ leader: memberId, ...slip }),
  ack: record({ ...slip }),
  heartbeat: record({}),
};
