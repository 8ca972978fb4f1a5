import {
  anyJson,
  byMember,
  flag,
  type Json,
  listOf,
  type MemberId,
  memberId,
  natural,
  nullable,
  record,
  type Shape,
} from '../../core/index.ts';

/** The replicated register: who votes, and the value that the leader published. It grows by versions. */
export interface Register {
  /** The term whose leader sent it. Of two registers, the one with the newer (term, version) is the newer. */
  readonly term: number;
  readonly version: number;
  readonly members: readonly MemberId[];
  readonly value: Json;
}

/** How new a register is. */
export interface Age {
  readonly term: number;
  readonly version: number;
}

/** A leader's consent that promises made to it, up to this round of this term, no longer bind. */
export interface Release {
  readonly term: number;
  readonly round: number;
}

export type Message =
  /** The answer to whatever comes from an older term, so that nobody stays a leader by not hearing. */
  | { readonly type: 'term'; readonly term: number }
  /** `term`: the one that the asker is in and would leave. */
  | { readonly type: 'pre-vote'; readonly term: number; readonly age: Age }
  /** `leader`: whom the refusing member supports, so that one who cannot hear the leader still learns of it. */
  | {
      readonly type: 'pre-vote/answer';
      readonly term: number;
      readonly granted: boolean;
      readonly leader: MemberId | null;
    }
  | {
      readonly type: 'vote';
      readonly term: number;
      readonly age: Age;
      readonly release: Release | null;
    }
  /** A vote. Who refuses keeps silent. */
  | {
      readonly type: 'vote/answer';
      readonly term: number;
      readonly life: number;
      readonly lives: Lives;
    }
  | {
      readonly type: 'heartbeat';
      readonly term: number;
      readonly round: number;
      readonly age: Age;
      readonly committed: number;
    }
  | {
      readonly type: 'heartbeat/answer';
      readonly term: number;
      readonly round: number;
      readonly age: Age;
      readonly priority: number;
    }
  | { readonly type: 'publish/send'; readonly term: number; readonly register: Register }
  | { readonly type: 'publish/answer'; readonly term: number; readonly age: Age }
  | { readonly type: 'publish/commit'; readonly term: number; readonly age: Age }
  /** An accepted register that the receiver lacks. It binds nobody: no answer, no part in a majority. */
  | { readonly type: 'publish/copy'; readonly register: Register }
  | { readonly type: 'transfer'; readonly term: number; readonly round: number }
  | { readonly type: 'resign'; readonly term: number; readonly round: number }
  | { readonly type: 'recall'; readonly life: number }
  | {
      readonly type: 'recall/answer';
      readonly life: number;
      readonly term: number;
      readonly register: Register;
      readonly committed: number;
    };

/** The latest life of each member that is known to have lost its disk. */
export type Lives = Readonly<Record<string, number>>;

const age = record<Age>({ term: natural, version: natural });
const release = record<Release>({ term: natural, round: natural });
const register = record<Register>({
  term: natural,
  version: natural,
  members: listOf(memberId),
  value: anyJson,
});

export const messages: { readonly [K in Message['type']]: Shape<object> } = {
  term: record({ term: natural }),
  'pre-vote': record({ term: natural, age }),
  'pre-vote/answer': record({ term: natural, granted: flag, leader: nullable(memberId) }),
  vote: record({ term: natural, age, release: nullable(release) }),
  'vote/answer': record({ term: natural, life: natural, lives: byMember(natural) }),
  heartbeat: record({ term: natural, round: natural, age, committed: natural }),
  'heartbeat/answer': record({ term: natural, round: natural, age, priority: natural }),
  'publish/send': record({ term: natural, register }),
  'publish/answer': record({ term: natural, age }),
  'publish/commit': record({ term: natural, age }),
  'publish/copy': record({ register }),
  transfer: record({ term: natural, round: natural }),
  resign: record({ term: natural, round: natural }),
  recall: record({ life: natural }),
  'recall/answer': record({ life: natural, term: natural, register, committed: natural }),
};
