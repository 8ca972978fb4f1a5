import {
  BadInput,
  choice,
  type Effect,
  integer,
  listOf,
  type MemberId,
  memberId,
  natural,
  nullable,
  optional,
  record,
  type Shape,
  show,
} from '../../core/index.ts';
import type { MembershipMessage } from './membership.ts';

/** The seed's roles LEADER, FOLLOWER and NONE. */
export type DrawRole = 'leader' | 'follower' | 'none';

/** "The health response is a StatusDto object": what a voter says of itself, unasked in every heartbeat too. */
export interface Status {
  readonly role: DrawRole;
  readonly leader: MemberId | null;
  /** The number of the election that made `leader` the leader; of the last known one, if there is none now. */
  readonly term: number;
  /** The newest election this voter has heard of. */
  readonly election: number;
  readonly knownVoters: readonly MemberId[];
  /**
   * The known voters that it has not heard for as many heartbeats as are tolerated. A voter that doubts the leader
   * asks one heartbeat later, so by then all who lost it at the same moment say so.
   */
  readonly offline: readonly MemberId[];
}

export type Message =
  | MembershipMessage
  /** `configured` are the voters whose majority counts, which a voter that was added later cannot know by itself. */
  | ({ readonly type: 'register/answer'; readonly configured: readonly MemberId[] } & Status)
  | ({ readonly type: 'status/answer' } & Status)
  | ({ readonly type: 'heartbeat' } & Status)
  /** Without a number it is a call from outside: whoever receives it starts an election. */
  | { readonly type: 'election/start'; readonly election?: number; readonly voters?: readonly MemberId[] }
  /** `number` is an unsigned 64-bit integer in decimal. `round` counts the recasts of ties. */
  | {
      readonly type: 'election/cast';
      readonly election: number;
      readonly voters: readonly MemberId[];
      readonly round: number;
      readonly number: string;
    }
  | { readonly type: 'election/result'; readonly election: number; readonly winner: MemberId }
  /** Goes to the winner alone: "I certify that you have won". */
  | { readonly type: 'election/certify'; readonly election: number; readonly winner: MemberId };

export type MessageOf<T extends Message['type']> = Extract<Message, { type: T }>;

export type Timer = 'heartbeat' | 'status' | 'check' | 'election';
export type Out = Effect<Message, Timer>[];

const decimal64: Shape<string> = {
  expected: 'an unsigned 64-bit integer in decimal, as text',
  read(value, path) {
    const isDecimal = typeof value === 'string' && /^(0|[1-9][0-9]{0,19})$/.test(value);
    if (isDecimal && BigInt(value) < 1n << 64n) return value;
    throw new BadInput(path, this.expected, show(value));
  },
};

const voters = listOf(memberId);
const status = {
  role: choice('leader', 'follower', 'none'),
  leader: nullable(memberId),
  term: natural,
  election: natural,
  knownVoters: voters,
  offline: voters,
};

export const messages: { readonly [K in Message['type']]: Shape<object> } = {
  register: record({}),
  'register/answer': record({ ...status, configured: voters }),
  remove: record({ voterId: memberId, reason: optional(choice('no-answer')) }),
  status: record({}),
  'status/answer': record(status),
  heartbeat: record(status),
  reconcile: record({ knownVoters: voters }),
  'election/start': record({ election: optional(natural), voters: optional(voters) }),
  'election/cast': record({
    election: natural,
    voters,
    round: integer(1, Number.MAX_SAFE_INTEGER),
    number: decimal64,
  }),
  'election/result': record({ election: natural, winner: memberId }),
  'election/certify': record({ election: natural, winner: memberId }),
};
