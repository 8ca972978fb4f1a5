import {
  BadInput,
  choice,
  described,
  type Effect,
  flag,
  integer,
  listOf,
  type MemberId,
  matching,
  memberId,
  natural,
  nullable,
  openRecord,
  optional,
  record,
  type Shape,
  show,
} from '../../core/index.ts';
import { type ListedVoter, type MembershipMessage, MOST_VOTERS } from './membership.ts';

/** The seed's roles LEADER, FOLLOWER and NONE. */
export type DrawRole = 'leader' | 'follower' | 'none';

/** "The health response is a StatusDto object": the state of a voter, also part of every heartbeat. */
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
   * asks one heartbeat later, so by then all voters that lost it at the same moment report it.
   */
  readonly offline: readonly MemberId[];
  /** The known voters with their addresses, where voters have addresses. */
  readonly voters?: readonly ListedVoter[];
  /** The voters whose majority counts, once a leader of theirs was certified. */
  readonly configured?: readonly MemberId[];
  /** The election in which they were founded. */
  readonly since?: number;
  /** With `quorum`: how many voters there are, as the sender was told. */
  readonly voterCount?: number;
}

/** With `quorum`: the set of electors that the sender has certified for, and those that it has left. */
interface Certified {
  readonly electors?: readonly MemberId[];
  readonly releases?: readonly (readonly MemberId[])[];
}

export type Message =
  | MembershipMessage
  /** `configured` are the voters whose majority counts, which a voter that was added later cannot know by itself. */
  | ({ readonly type: 'register/answer' } & Status)
  | ({ readonly type: 'status/answer' } & Status)
  | ({ readonly type: 'heartbeat' } & Status)
  /** Without a number it is a request from outside: its receiver starts an election. */
  | { readonly type: 'election/start'; readonly election?: number; readonly voters?: readonly MemberId[] }
  /** `number` is an unsigned 64-bit integer in decimal. `round` counts the recasts of ties. */
  | {
      readonly type: 'election/cast';
      readonly election: number;
      readonly voters: readonly MemberId[];
      readonly round: number;
      readonly number: string;
    }
  | ({ readonly type: 'election/result'; readonly election: number; readonly winner: MemberId } & Certified)
  /** Goes to the winner alone: "I certify that you have won". With `quorum` it counts for these `electors`. */
  | ({ readonly type: 'election/certify'; readonly election: number; readonly winner: MemberId } & Certified);

export type MessageOf<T extends Message['type']> = Extract<Message, { type: T }>;

export type Timer = 'heartbeat' | 'status' | 'check' | 'election';
export type Out = Effect<Message, Timer>[];

/** A voter releases one set each time that the number of voters is changed before a leader was certified. */
const MOST_RELEASES = 100;

const DECIMAL = /^(0|[1-9][0-9]{0,19})$/;

const decimal64: Shape<string> = {
  expected: 'an unsigned 64-bit integer in decimal, as text',
  schema: { type: 'string', pattern: DECIMAL.source },
  read(value, path) {
    const isDecimal = typeof value === 'string' && DECIMAL.test(value);
    if (isDecimal && BigInt(value) < 1n << 64n) return value;
    throw new BadInput(path, this.expected, show(value));
  },
};

const voters = listOf(memberId, MOST_VOTERS);
/** What a URL may consist of, and how long the API lets it be. The host checks that it is one. */
const URL_TEXT = /^[Hh][Tt][Tt][Pp][Ss]?:\/\/[^\s?#@\\]{1,990}$/;
const url = described(
  matching(URL_TEXT, 'a URL like http://127.0.0.1:8008, without a user, ? and #'),
  'Where a voter answers, such as http://127.0.0.1:8008.',
);
const listed = described(
  // Members add more to each voter in their answers, such as the time of its last heartbeat.
  listOf(openRecord<ListedVoter>({ voterId: memberId, voterUrl: url }), MOST_VOTERS),
  'The same voters with their URLs.',
);
const configured = described(
  voters,
  'With the option quorum: the voters whose majority counts, once the first leader was certified.',
);
const election = described(natural, 'The number of the election.');
const certificate = { election, winner: memberId };
const releases = optional(
  described(
    listOf(voters, MOST_RELEASES),
    'Earlier electors: the sender certifies no leader of theirs any more.',
  ),
);
const status = {
  role: choice('leader', 'follower', 'none'),
  leader: nullable(memberId),
  term: described(
    natural,
    'The number of the election that made `leader` the leader, or of the last one known.',
  ),
  election: described(natural, 'The number of the newest election that the voter has heard of.'),
  knownVoters: voters,
  offline: described(voters, 'The known voters that it has not heard for longer than is tolerated.'),
  voters: optional(listed),
  configured: optional(configured),
  since: optional(
    described(natural, 'The election in which the first leader of `configured` was certified.'),
  ),
  voterCount: optional(
    described(
      integer(1, MOST_VOTERS),
      'With the option quorum: how many voters there are, as the voter was told.',
    ),
  ),
};

/** The descriptions are those of the HTTP API, for voters that are written in other languages. */
export const messages: { readonly [K in Message['type']]: Shape<object> } = {
  register: described(
    record({
      voterUrl: optional(url),
      again: optional(
        described(flag, 'It takes part already, and makes itself known to a voter that may not know it.'),
      ),
    }),
    'A voter registers. The answer contains the leader, the voters and their URLs.',
  ),
  'register/answer': record(status),
  remove: described(
    record({ voterId: memberId, reason: optional(choice('no-answer')) }),
    'The voter `voterId` is removed.',
  ),
  status: described(record({ voterUrl: optional(url) }), 'Asks a voter for its status.'),
  'status/answer': described(record(status), 'The status of a voter.'),
  heartbeat: described(
    record(status),
    'A voter shows that it is there, and what it knows. It is due once per heartbeat interval, to every other voter.',
  ),
  reconcile: described(
    record({ knownVoters: voters, voters: optional(listed) }),
    'The sender has another list of voters. The receiver asks those that it does not know for their /status. It adds those that answer, and tells the sender to /remove the others.',
  ),
  'election/start': described(
    record({
      election: optional(described(natural, 'Its number: larger than that of any other so far.')),
      voters: optional(voters),
    }),
    'An election begins: every voter in `voters` draws a number and casts it.',
  ),
  'election/cast': described(
    record({
      election,
      voters,
      round: described(
        integer(1, Number.MAX_SAFE_INTEGER),
        '1; one more for each time that a tie is recast.',
      ),
      number: described(decimal64, 'What the voter drew: 64 random bits, in decimal.'),
    }),
    'The number that a voter drew, to each of the others. A cast of an election that is new stands for its start as well.',
  ),
  'election/result': described(
    record({
      ...certificate,
      electors: optional(
        described(
          voters,
          'With the option quorum: the electors that the sender has certified for so far. Omitted if it has certified for none.',
        ),
      ),
      releases,
    }),
    'Once all have cast, the highest number has won. Every voter tells each other one its version of the result.',
  ),
  'election/certify': described(
    record({
      ...certificate,
      electors: optional(
        described(
          voters,
          'With the option quorum: the voters whose majority counts, as the sender knows them (`configured`, or all voters of the first election). Without it the certificate does not count.',
        ),
      ),
      releases,
    }),
    'Once all results are there and agree, every voter certifies it to the winner, which leads when all have (with the option quorum: a majority), and says so in its heartbeats.',
  ),
};
