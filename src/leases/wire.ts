/** What a participant and the lease manager say to each other: the bodies of `POST /leases/…` and of the answers. */
import {
  anyJson,
  anyText,
  choice,
  described,
  electionName,
  flag,
  type Json,
  listOf,
  matching,
  named,
  natural,
  nullable,
  number,
  openRecord,
  optional,
  record,
  type Shape,
  text,
} from '../core/index.ts';
import { holderName, LONGEST_REASON, leaseLength, tokenText } from './register.ts';

/** Elections that one stream may watch. */
const MOST_WATCHED = 1000;

const session: Shape<string> = described(
  matching(/^[\w-]{22,64}$/, '22 to 64 letters, digits, _ and -'),
  'A random text that the process of the participant has drawn. It proves that a request is from the holder, so it is secret.',
);
const token: Shape<string> = described(tokenText, 'The token of the leadership, as decimal text.');
const election: Shape<string> = described(electionName, 'The election of the participants.');

/** A grant: everything that follows a take names it. */
interface Granted {
  readonly election: string;
  readonly session: string;
  readonly token: string;
}

const granted = { election, session, token };

/** A value that is published with the lease, in one act, if none was published in this election since `after`. */
export interface FirstValue {
  readonly after: number;
  /** With `OWN_TOKEN` in place of the token of the lease. */
  readonly value: Json;
}

const firstValue: Shape<FirstValue> = record<FirstValue>({
  after: described(natural, 'The version of the value from which it follows.'),
  value: described(anyJson, 'A text "\\u0001token" in it is replaced by the token.'),
});

export interface Taking {
  readonly election: string;
  readonly session: string;
  readonly attempt: number;
  readonly name: string;
  readonly leaseMs: number;
  readonly first?: FirstValue | undefined;
}

export const taking: Shape<Taking> = named(
  'LeaseTake',
  record<Taking>({
    election,
    session,
    attempt: described(natural, 'Larger than in every earlier request of this session.'),
    name: described(holderName, 'The name of the participant, for people.'),
    leaseMs: described(leaseLength, 'How long the leadership lasts without a renewal.'),
    first: described(
      optional(firstValue),
      'Published with it, in one act, if none was published since. For members that say `opens`.',
    ),
  }),
);

/** The state of an election, at one moment during the request. */
export interface LeaseReading {
  readonly leader: string | null;
  readonly token: string | null;
  readonly freeInMs: number | null;
  readonly value: Json;
  readonly version: number;
  readonly opens?: boolean | undefined;
}

export const leaseReading: Shape<LeaseReading> = named(
  'LeaseReading',
  openRecord<LeaseReading>({
    leader: described(nullable(anyText), 'The name of the participant that leads.'),
    token: nullable(tokenText),
    freeInMs: described(
      nullable(number(0, Number.MAX_SAFE_INTEGER)),
      'How long until its lease expires if it is not renewed.',
    ),
    value: described(anyJson, 'The value that was published last.'),
    version: described(natural, 'Of that value; it grows with every publication. 0: there is none.'),
    opens: described(optional(flag), 'This member publishes `first` of a take.'),
  }),
);

export interface Taken {
  /** Null: it was not granted. */
  readonly token: string | null;
  readonly reading: LeaseReading;
}

export const taken: Shape<Taken> = named(
  'LeaseTaken',
  openRecord<Taken>({
    token: described(nullable(tokenText), 'The token of the new leadership; null if another one has it.'),
    reading: leaseReading,
  }),
);

export const renewing: Shape<Granted> = named('LeaseRenew', record<Granted>(granted));

export interface Renewal {
  readonly held: boolean;
  readonly asked: string | null;
}

export const renewal: Shape<Renewal> = named(
  'LeaseRenewal',
  openRecord<Renewal>({
    held: described(flag, 'False: the leadership is certainly lost.'),
    asked: described(nullable(anyText), 'Why its holder is asked to resign; null if it is not.'),
  }),
);

export type Releasing = Granted;
export const releasing: Shape<Releasing> = named('LeaseRelease', record<Releasing>(granted));

export const done: Shape<object> = named('LeaseDone', openRecord({}));

export interface Publishing extends Granted {
  readonly value: Json;
}

export const publishing: Shape<Publishing> = named(
  'LeasePublish',
  record<Publishing>({ ...granted, value: described(anyJson, 'Any JSON of at most 16 KiB.') }),
);

export const published: Shape<{ readonly version: number | null }> = named(
  'LeasePublished',
  openRecord<{ readonly version: number | null }>({
    version: described(nullable(natural), 'Null: the leadership is certainly lost.'),
  }),
);

export interface Asking {
  readonly election: string;
  readonly token: string;
  readonly reason: string;
}

export const asking: Shape<Asking> = named(
  'LeaseAsk',
  record<Asking>({
    election,
    token,
    reason: described(text(LONGEST_REASON), 'For the work of the leader, in one line; may be empty.'),
  }),
);

export interface Reading {
  readonly election: string;
}

export const reading: Shape<Reading> = named('LeaseRead', record<Reading>({ election }));

export interface Watching {
  readonly session: string;
  readonly elections: readonly string[];
}

export const watching: Shape<Watching> = named(
  'LeaseWatch',
  record<Watching>({ session, elections: listOf(electionName, MOST_WATCHED) }),
);

/** Something may have changed: a hint to read. `ours`: it is about the leadership of this session. */
export interface WatchEvent {
  readonly election: string;
  readonly news: 'changed' | 'ours';
}

export const watchEvent: Shape<WatchEvent> = named(
  'LeaseEvent',
  openRecord<WatchEvent>({ election, news: choice('changed', 'ours') }),
);
