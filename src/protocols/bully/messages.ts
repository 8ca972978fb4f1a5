import {
  anyJson,
  type Definition,
  flag,
  type Json,
  type MemberId,
  memberId,
  natural,
  nullable,
  record,
} from '../../core/index.ts';

/**
 * The messages. `election`, `ok` and `coordinator` are the algorithm (seed 003: "ELECT", "OK", "RESULT"); `heartbeat`
 * is how seed 000 checks a leader's health, `alive` its answer. The rest belongs to the cures and to publishing.
 * Every message carries the sender's epoch, which is always 0 without `quorum`.
 */
export type Message =
  | Request
  | { readonly type: 'ok'; readonly epoch: number }
  | {
      readonly type: 'alive';
      readonly epoch: number;
      readonly leader: MemberId | null;
      readonly version: number;
    }
  | { readonly type: 'resign'; readonly epoch: number }
  | { readonly type: 'leader-gone/answer'; readonly epoch: number; readonly gone: boolean }
  /** A member acknowledges this winner in this epoch, and sends the newest state that it knows to be committed. */
  | {
      readonly type: 'coordinator/ack';
      readonly epoch: number;
      readonly version: number;
      readonly value: Json;
    }
  /** The answer to any message of an older epoch. */
  | { readonly type: 'newer-epoch'; readonly epoch: number }
  | { readonly type: 'publish/ack'; readonly epoch: number; readonly version: number }
  /** The member has already held or applied `version`, so the leader must choose a higher one. */
  | { readonly type: 'publish/refused'; readonly epoch: number; readonly version: number }
  | { readonly type: 'publish/applied'; readonly epoch: number; readonly version: number };

/** The messages that expect an answer. Only these are counted as "in flight". */
export type Request =
  /** `leader` is the leader that the sender follows: itself, when a leader looks for others. */
  | {
      readonly type: 'heartbeat';
      readonly epoch: number;
      readonly leader: MemberId | null;
      readonly version: number;
    }
  | { readonly type: 'leader-gone'; readonly epoch: number }
  | { readonly type: 'election'; readonly epoch: number }
  | { readonly type: 'coordinator'; readonly epoch: number }
  | { readonly type: 'publish/send'; readonly epoch: number; readonly version: number; readonly value: Json }
  | { readonly type: 'publish/commit'; readonly epoch: number; readonly version: number }
  /** A whole state that is known to be committed: it needs no second phase. */
  | {
      readonly type: 'publish/state';
      readonly epoch: number;
      readonly version: number;
      readonly value: Json;
    };

export type MessageOf<T extends Message['type']> = Extract<Message, { type: T }>;

const epoch = natural;
const version = natural;
const value = anyJson;
const leader = nullable(memberId);

export const messages: Definition<never, never, Message>['messages'] = {
  election: record({ epoch }),
  ok: record({ epoch }),
  coordinator: record({ epoch }),
  'coordinator/ack': record({ epoch, version, value }),
  heartbeat: record({ epoch, leader, version }),
  alive: record({ epoch, leader, version }),
  resign: record({ epoch }),
  'leader-gone': record({ epoch }),
  'leader-gone/answer': record({ epoch, gone: flag }),
  'newer-epoch': record({ epoch }),
  'publish/send': record({ epoch, version, value }),
  'publish/ack': record({ epoch, version }),
  'publish/refused': record({ epoch, version }),
  'publish/commit': record({ epoch, version }),
  'publish/applied': record({ epoch, version }),
  'publish/state': record({ epoch, version, value }),
};
