/** What no honest member can have sent to a member of `quorum`: it changes nothing, is not saved and not answered. */
import { describe, expect, it } from 'vitest';
import type { MemberId, Message } from '../../src/core/index.ts';
import { quorum } from '../../src/protocols/quorum/index.ts';
import type { Register, Seat } from '../../src/protocols/quorum/messages.ts';
import {
  accepted,
  answer,
  at,
  by,
  diskOf,
  five,
  heartbeat,
  holding,
  leader,
  NEVER,
  register,
  seats,
  type Voter,
  vacant,
} from '../support/quorum.ts';

type Told = Message & Record<string, unknown>;

const FAR = 2 ** 53 - 1;
/** In term 3, with version 4 of that term committed. */
const follower = (): Voter => at(2, holding(2, 3, 4, { founding: seats(five) }));
const founded = (term: number, version: number, more: Partial<Register> = {}): Register =>
  register(term, version, { founding: seats(five), ...more });
const age = { term: 3, version: 4 };

describe('a message that no honest member can have sent', () => {
  it.each<[why: string, message: Told]>([
    ['a term out of all proportion', { type: 'term', term: FAR }],
    ['a register of such a term', { type: 'publish/copy', register: founded(FAR, 5) }],
    ['a copy of such a start', { type: 'copy', disk: diskOf(2), start: FAR, life: 'the other' }],
    ['a version out of all proportion', { type: 'publish/copy', register: founded(4, FAR) }],
    ['the same, sent as a leader', { type: 'publish/send', term: 4, register: founded(4, FAR) }],
    [
      'a register of a later term than its leader',
      { type: 'publish/send', term: 4, register: founded(5, 5) },
    ],
    ['others as founders', { type: 'publish/copy', register: founded(4, 5, { founding: seats([2]) }) }],
    ['no founders any more', { type: 'publish/copy', register: founded(4, 5, { founding: null }) }],
    ['members gone at once', { type: 'publish/copy', register: founded(4, 5, { members: seats([2]) }) }],
    ['members new at once', { type: 'publish/copy', register: founded(4, 5, { members: seats([2, 7, 8]) }) }],
    [
      'unknown members in many versions',
      { type: 'publish/send', term: 4, register: founded(4, 99, { members: seats([2, 7, 8]) }) },
    ],
    [
      'one member alone in many versions',
      { type: 'publish/copy', register: founded(4, 99, { members: seats([2]) }) },
    ],
    [
      'a majority of strangers',
      { type: 'publish/copy', register: founded(4, 99, { members: seats([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]) }) },
    ],
    [
      'seats of a majority vacated',
      {
        type: 'publish/copy',
        register: founded(4, 5, { members: [...seats([1, 2]), ...vacant([3, 4, 5])] }),
      },
    ],
    ['a large value', { type: 'publish/copy', register: founded(4, 5, { value: 'x'.repeat(70_000) }) }],
    ['a commit of another term', { type: 'publish/commit', term: 4, age }],
    [
      'a pre-vote with a register of a later term',
      { type: 'pre-vote', term: 3, age: { term: 4, version: 4 } },
    ],
    [
      'a vote with a register of its term',
      { type: 'vote', term: 4, age: { term: 4, version: 5 }, release: null },
    ],
    ['consent of the term asked for', { type: 'vote', term: 4, age, release: { term: 4, round: 3 } }],
    ['a heartbeat with a register of a later term', heartbeat(4, 2, { age: { term: 5, version: 5 } })],
    ['a commit before it is accepted', heartbeat(4, 2, { age, committed: { term: 3, version: 5 } })],
    ['a round out of all proportion', heartbeat(4, FAR)],
    ['a disk that was never started', { ...heartbeat(4, 2), by: by(1, { start: 0 }) }],
    ['a disk that was started out of all proportion', { ...heartbeat(4, 2), by: by(1, { start: FAR }) }],
  ])('%s changes nothing', (_, message) => {
    const solo = follower();
    const before = JSON.stringify(solo.state);
    solo.hears(1, message);
    expect(solo.effects).toEqual([]);
    expect(JSON.stringify(solo.state)).toBe(before);
  });

  it('is told from the like of it that one can have sent', () => {
    const takes = (message: Told): object => follower().hears(1, message).state;
    expect(takes({ type: 'publish/copy', register: founded(4, 5) })).toMatchObject({ term: 4 });
    const changed = founded(4, 6, { members: seats([2, 3, 4, 5, 6]) });
    expect(takes({ type: 'publish/copy', register: changed })).toMatchObject({ register: { version: 6 } });
    expect(takes(heartbeat(4, 2, { age, committed: age }))).toMatchObject({ term: 4, leader: 1 });
    expect(takes({ type: 'vote', term: 4, age, release: null })).toMatchObject({ votedFor: { id: 1 } });
  });
});

describe('the leader of a term', () => {
  it('publishes once against what an earlier one began, and never against a register of its own term', () => {
    const lead = leader(holding(1, 3, 4));
    const { term, round } = lead.state as { term: number; round: number };
    const old = { age: { term: 3, version: 9 } };
    expect(lead.hears(2, answer(term, round, old)).sent('publish/send')).toHaveLength(4);
    const { version } = lead.state.register as Register;
    for (const message of [
      answer(term, round, { age: { term, version: version + 1 } }),
      answer(term, round, { age: { term: term + 1, version } }),
      accepted(term, version + 1),
      { ...accepted(term, version), age: { term: term + 1, version } },
    ]) {
      lead.hears(3, message);
      expect(lead.effects).toEqual([]);
    }
    expect(lead.hears(2, accepted(term, version)).sent('publish/send')).toEqual([]);
  });
});

describe('the members of a register', () => {
  const read = (members: readonly Seat[], founding: readonly Seat[] | null = null): unknown =>
    quorum.messages['publish/copy']!.read(
      { by: by(1), register: { ...register(4, 5), members, founding } },
      '',
    );
  const ids = (n: number): MemberId[] => Array.from({ length: n }, (_, i) => i);

  it('are at least one and at most a thousand, each once', () => {
    expect(() => read(seats(five), seats(five))).not.toThrow();
    expect(() => read(seats(ids(1000)))).not.toThrow();
    for (const wrong of [[], [1, 1, 1, 1], [2, 1], [1, 2, 1], ids(1001)]) {
      expect(() => read(seats(wrong))).toThrow(/members/);
      expect(() => read(seats(five), seats(wrong))).toThrow(/founding/);
    }
  });

  it('have a priority that can be configured', () => {
    const shape = quorum.messages['heartbeat/answer']!;
    const fields = { by: by(2), to: '1', term: 1, round: 2, age: NEVER };
    expect(() => shape.read({ ...fields, priority: 1000 }, '')).not.toThrow();
    expect(() => shape.read({ ...fields, priority: 1001 }, '')).toThrow(/priority/);
  });
});
