import {
  anyJson,
  BadInput,
  compareIds,
  durationMs,
  flag,
  integer,
  type Json,
  listOf,
  type MemberId,
  matching,
  memberId,
  natural,
  nullable,
  optional,
  type Reason,
  record,
  type Shape,
  show,
  text,
} from '../../core/index.ts';
import { type SetTiming, setTiming } from './settings.ts';

/**
 * A place in the membership: a member's name and the identity of the disk that votes for it. A disk that comes under the
 * same name with another identity (a wiped folder, a second process) is not this one. `null` is a vacant seat: it counts among
 * the members, so that no majority gets smaller, but no answer counts for it.
 */
export interface Seat {
  readonly id: MemberId;
  readonly disk: string | null;
  /** Where the member is reached. Only of members that were added while the cluster ran: the others are configured. */
  readonly url?: string | undefined;
}

/** The replicated register: who votes, and the value that the leader published. It grows by versions. */
export interface Register {
  /** The term whose leader sent it. Of two registers, the one with the newer (term, version) is the newer. */
  readonly term: number;
  readonly version: number;
  readonly members: readonly Seat[];
  /** The members with which the first seats were filled. It never changes: other elections on these disks begin with it. */
  readonly founding: readonly Seat[] | null;
  readonly value: Json;
  /**
   * No member asks for votes in a term up to this one: it may be that of a deputy, for which others voted before the members
   * changed. Omitted: none.
   */
  readonly taken?: number | undefined;
  /** An operator has paused takeovers. The protocol only keeps this: hosts obey it, by setting priorities. */
  readonly paused?: true | undefined;
  /** The times that an operator set while the cluster ran. Omitted: as configured. */
  readonly timing?: SetTiming | undefined;
}

/** How new a register is. */
export interface Age {
  readonly term: number;
  readonly version: number;
}

/**
 * A leader's consent that promises made to it, up to this round of this term, no longer bind; and why it resigns, if
 * it says so.
 */
export interface Release {
  readonly term: number;
  readonly round: number;
  readonly why?: Reason | undefined;
}

/** The successor that a leader names, the term in which it would lead, and the members whose support it needs besides. */
export interface Deputy {
  readonly id: MemberId;
  readonly term: number;
  readonly voters: readonly MemberId[];
}

/**
 * A leader that was a deputy says which process led before it, and with which consent; null if that process is proven
 * dead.
 */
export interface After {
  readonly life: string;
  readonly release: Release | null;
}

/** The sender: its disk, which of its starts (1, 2, …), and its process. */
export interface Origin {
  readonly disk: string;
  readonly start: number;
  readonly life: string;
}

/**
 * The content. In an answer, `to` is the life of the process that asked: no later process of its name counts it.
 * `promiseMs`: for how long a member that supports the sender is to help no other candidate. Earlier releases do not say
 * it, and mean what is configured, which is the same at all members then.
 */
type Body =
  /**
   * The answer to any message of an older term, so that no leader keeps leading because it did not hear of a newer
   * one.
   */
  | { readonly type: 'term'; readonly term: number }
  /** `term`: the term of the asking member, which it would leave. */
  | { readonly type: 'pre-vote'; readonly term: number; readonly age: Age }
  /**
   * `leader`: the leader that the refusing member supports, so that a member that cannot hear the leader still learns
   * of it.
   */
  | {
      readonly type: 'pre-vote/answer';
      readonly to: string;
      readonly term: number;
      readonly granted: boolean;
      readonly leader: MemberId | null;
    }
  | {
      readonly type: 'vote';
      readonly term: number;
      readonly age: Age;
      readonly release: Release | null;
      readonly promiseMs?: number | undefined;
    }
  /** A vote. A member that refuses does not answer. */
  | { readonly type: 'vote/answer'; readonly to: string; readonly term: number }
  | {
      readonly type: 'heartbeat';
      readonly term: number;
      readonly round: number;
      readonly age: Age;
      readonly committed: Age;
      readonly promiseMs?: number | undefined;
      readonly deputy?: Deputy | undefined;
      readonly after?: After | undefined;
    }
  | {
      readonly type: 'heartbeat/answer';
      readonly to: string;
      readonly term: number;
      readonly round: number;
      readonly age: Age;
      readonly priority: number;
      /** It can be a deputy, and support one. */
      readonly deputies?: true | undefined;
    }
  | { readonly type: 'publish/send'; readonly term: number; readonly register: Register }
  | { readonly type: 'publish/answer'; readonly to: string; readonly term: number; readonly age: Age }
  | { readonly type: 'publish/commit'; readonly term: number; readonly age: Age }
  /** An accepted register that the receiver lacks. It gets no answer, and counts for no majority. */
  | { readonly type: 'publish/copy'; readonly register: Register }
  | ({ readonly type: 'transfer' } & Release)
  | ({ readonly type: 'resign' } & Release)
  /** The leader asks a preferred member whether it reaches a majority; it probes, and answers `ready` if it does. */
  | { readonly type: 'transfer/ask'; readonly term: number }
  | { readonly type: 'transfer/ready'; readonly to: string; readonly term: number }
  | { readonly type: 'probe'; readonly term: number }
  | { readonly type: 'probe/answer'; readonly to: string; readonly term: number }
  /**
   * A deputy asks for a vote in advance, in the term `next`, and for support in a round of that term. `term` and `of`: the
   * leader that it follows, and its process.
   */
  | {
      readonly type: 'deputy/ask';
      readonly term: number;
      readonly of: string;
      readonly next: number;
      readonly round: number;
      readonly age: Age;
      readonly promiseMs: number;
    }
  | {
      readonly type: 'deputy/answer';
      readonly to: string;
      readonly term: number;
      readonly next: number;
      readonly round: number;
    }
  /** The leader asks its deputy to give up what it was promised in the term `next`. */
  | { readonly type: 'deputy/end'; readonly term: number; readonly next: number }
  /** The deputy counts on no promise up to this round any more. */
  | { readonly type: 'deputy/ended'; readonly term: number; readonly next: number; readonly round: number }
  /** "Your disk has been started later than you were": the receiver runs on a copy, or on a restored backup. */
  | { readonly type: 'copy'; readonly disk: string; readonly start: number; readonly life: string };

export type Message = Body & { readonly by: Origin };

export type Ask<T extends Message['type']> = Extract<Message, { type: T }>;

/** As many as can be configured. */
const MOST_MEMBERS = 1000;

/** Members are in the order of their ids, at least one and each once: one that appeared twice would count twice. */
function sortedSeats(list: Shape<readonly Seat[]>): Shape<readonly Seat[]> {
  return {
    expected: `1 to ${MOST_MEMBERS} members, sorted by id, each once`,
    schema: { ...list.schema, minItems: 1 },
    read(value, path) {
      const found = list.read(value, path);
      const isSorted = found.every(({ id }, i) => i === 0 || compareIds(found[i - 1]!.id, id) < 0);
      if (found.length > 0 && isSorted) return found;
      throw new BadInput(path, this.expected, show(found.map(({ id }) => id)));
    },
  };
}

/** Identities are created by our own hosts and are short; a longer one is forged. */
const identity = text(64);
const by = record<Origin>({ disk: identity, start: natural, life: identity });
const priority = integer(0, 1000);
const promiseMs = optional(durationMs);
const age = record<Age>({ term: natural, version: natural });
const why = optional(record<Reason>({ cause: text(40), detail: text(240) }));
const release = record<Release>({ term: natural, round: natural, why });
/** What it leads to is judged by the member that would call it. */
const url = optional(matching(/^https?:\/\/\S{1,500}$/, 'a URL that begins with http:// or https://'));
const seats = sortedSeats(
  listOf(record<Seat>({ id: memberId, disk: nullable(identity), url }), MOST_MEMBERS),
);
const matchingTrue: Shape<true> = {
  ...flag,
  expected: 'true',
  read(value, path) {
    if (value === true) return true;
    throw new BadInput(path, this.expected, show(value));
  },
};
const register = record<Register>({
  term: natural,
  version: natural,
  members: seats,
  founding: nullable(seats),
  value: anyJson,
  taken: optional(natural),
  paused: optional(matchingTrue),
  timing: optional(setTiming),
});

const voters = listOf(memberId, MOST_MEMBERS);
const deputy = optional(record<Deputy>({ id: memberId, term: natural, voters }));
const after = optional(record<After>({ life: identity, release: nullable(release) }));

export const messages: { readonly [K in Message['type']]: Shape<object> } = {
  term: record({ by, term: natural }),
  'pre-vote': record({ by, term: natural, age }),
  'pre-vote/answer': record({ by, to: identity, term: natural, granted: flag, leader: nullable(memberId) }),
  vote: record({ by, term: natural, age, release: nullable(release), promiseMs }),
  'vote/answer': record({ by, to: identity, term: natural }),
  heartbeat: record({ by, term: natural, round: natural, age, committed: age, promiseMs, deputy, after }),
  'heartbeat/answer': record({
    by,
    to: identity,
    term: natural,
    round: natural,
    age,
    priority,
    deputies: optional(matchingTrue),
  }),
  'publish/send': record({ by, term: natural, register }),
  'publish/answer': record({ by, to: identity, term: natural, age }),
  'publish/commit': record({ by, term: natural, age }),
  'publish/copy': record({ by, register }),
  transfer: record({ by, term: natural, round: natural, why }),
  resign: record({ by, term: natural, round: natural, why }),
  'transfer/ask': record({ by, term: natural }),
  'transfer/ready': record({ by, to: identity, term: natural }),
  probe: record({ by, term: natural }),
  'probe/answer': record({ by, to: identity, term: natural }),
  'deputy/ask': record({
    by,
    term: natural,
    of: identity,
    next: natural,
    round: natural,
    age,
    promiseMs: durationMs,
  }),
  'deputy/answer': record({ by, to: identity, term: natural, next: natural, round: natural }),
  'deputy/end': record({ by, term: natural, next: natural }),
  'deputy/ended': record({ by, term: natural, next: natural, round: natural }),
  copy: record({ by, disk: identity, start: natural, life: identity }),
};
