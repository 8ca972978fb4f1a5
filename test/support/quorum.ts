import type { Definition, Json, MemberId, Message } from '../../src/core/index.ts';
import { quorum } from '../../src/protocols/quorum/index.ts';
import type { Age, Origin, Register, Seat } from '../../src/protocols/quorum/messages.ts';
import { Solo } from './solo.ts';

/** The life of the process under test. */
export const ME = '1';

export const five: readonly MemberId[] = [1, 2, 3, 4, 5];
export const NEVER: Age = { term: 0, version: 0 };

/** The disk that has the seat of this member. */
export function diskOf(id: MemberId): string {
  return `disk ${id}`;
}

/** Which disk, start and process a message of this member comes from, if nothing else is said. */
export function by(id: MemberId, other: Partial<Origin> = {}): Origin {
  return { disk: diskOf(id), start: 1, life: `life ${id}`, ...other };
}

export function seats(ids: readonly MemberId[]): Seat[] {
  return ids.map((id) => ({ id, disk: diskOf(id) }));
}

export function vacant(ids: readonly MemberId[]): Seat[] {
  return ids.map((id) => ({ id, disk: null }));
}

export function register(term: number, version: number, more: Partial<Register> = {}): Register {
  return { term, version, members: seats(five), founding: null, value: null, ...more };
}

/** What the disk of a member holds that has been in `term`. */
export function saved(id: MemberId, term: number, more: object = {}): Json {
  const first = register(0, 0);
  return {
    disk: diskOf(id),
    start: 1,
    term,
    votedFor: null,
    register: first,
    committed: first,
    promiseMs: 0,
    seen: {},
    ...more,
  } as unknown as Json;
}

/** The same, with a register of that term that is known to be committed. */
export function holding(id: MemberId, term: number, version: number, more: Partial<Register> = {}): Json {
  const held = register(term, version, { value: version, ...more });
  return saved(id, term, { register: held, committed: held });
}

export interface Given {
  readonly timing?: object;
  readonly options?: object;
  readonly settings?: object;
  readonly saved?: Json;
  /** Another one than `quorum` as it is. */
  readonly definition?: Definition;
}

/** A member of `quorum` alone with its test, with the times of `lan`. What it hears comes from the disks that have the seats, if nothing else is said. */
export class Voter extends Solo {
  constructor(id: MemberId, members: readonly MemberId[] = five, given: Given = {}) {
    super(given.definition ?? quorum, id, members, {
      ...given,
      options: { preset: 'lan', ...given.options },
    });
  }

  override hears(from: MemberId, message: Message & Record<string, unknown>): this {
    const isAnswer = message.type.endsWith('/answer') || message.type === 'transfer/ready';
    return super.hears(from, { by: by(from), ...(isAnswer ? { to: ME } : {}), ...message });
  }
}

/** A member that has been running for a while: what it might have promised before it started has run out. */
export function at(id: MemberId, record: Json = saved(id, 0), given: Given = {}): Voter {
  return new Voter(id, five, { saved: record, ...given }).timer('promise');
}

/** The first member asks for votes in the next term. */
export function candidate(record: Json = saved(1, 0), given: Given = {}): Voter {
  const voter = at(1, record, given).timer('election');
  const { term } = voter.state as { term: number };
  for (const from of [2, 3]) voter.hears(from, preVote(term));
  return voter;
}

/** The first member leads, with the votes of the second and the third. */
export function leader(record?: Json, given?: Given): Voter {
  const voter = candidate(record, given);
  const { seeking } = voter.state as { seeking: number };
  return voter.hears(2, vote(seeking)).hears(3, vote(seeking));
}

type Told = Message & Record<string, unknown>;

export const preVote = (term: number): Told => ({
  type: 'pre-vote/answer',
  term,
  granted: true,
  leader: null,
});
export const vote = (term: number): Told => ({ type: 'vote/answer', term });

export const heartbeat = (term: number, round: number, more: object = {}): Told => ({
  type: 'heartbeat',
  term,
  round,
  age: NEVER,
  committed: NEVER,
  ...more,
});

export const answer = (term: number, round: number, more: object = {}): Told => ({
  type: 'heartbeat/answer',
  term,
  round,
  age: NEVER,
  priority: 1,
  ...more,
});

export const accepted = (term: number, version: number, more: object = {}): Told => ({
  type: 'publish/answer',
  term,
  age: { term, version },
  ...more,
});

/** How the command ended that was answered with the latest input. */
export function outcome(voter: Solo): object | undefined {
  return voter.effects.find((effect) => effect.type === 'answer')?.outcome;
}

/** The timer of the lease that it last reported; undefined if it reported nothing. */
export function lease(voter: Solo): string | null | undefined {
  return voter.effects.filter((effect) => effect.type === 'report').at(-1)?.view.lease;
}
