/** Which disk and which process a member of `quorum` is, and what becomes of answers that were meant for another. */
import { describe, expect, it } from 'vitest';
import { type Json, readSettings } from '../../src/core/index.ts';
import { quorum } from '../../src/protocols/quorum/index.ts';
import {
  accepted,
  answer,
  at,
  by,
  candidate,
  diskOf,
  five,
  heartbeat,
  holding,
  leader,
  lease,
  ME,
  NEVER,
  preVote,
  register,
  saved,
  seats,
  Voter,
  vacant,
  vote,
} from '../support/quorum.ts';

const ask = (term: number, more: object = {}) => ({
  type: 'vote',
  term,
  age: NEVER,
  release: null,
  ...more,
});

describe('a start', () => {
  it('is counted on the disk, and saved before all others are told of it', () => {
    const solo = new Voter(2, five, { saved: saved(2, 4, { start: 6 }) });
    const kinds = solo.effects.map(({ type }) => type);
    expect(kinds.indexOf('save')).toBeLessThan(kinds.indexOf('send'));
    expect(solo.sent('probe').map(({ to }) => to)).toEqual([1, 3, 4, 5]);
    expect(new Voter(2, five, { saved: null }).sent()).toEqual([]);
    expect(solo.saved()).toMatchObject([{ disk: diskOf(2), start: 7, term: 4 }]);
    expect(solo.timer('promise').timer('election').sent()[0]!.message).toMatchObject({
      by: { disk: diskOf(2), start: 7, life: ME },
    });
  });

  it('keeps a promise of the length that it may have had, if leases were longer before', () => {
    const longer = saved(2, 4, { promiseMs: 900 });
    const solo = new Voter(2, five, { saved: longer });
    expect(solo.timersSet()).toMatchObject({ promise: 900 });
    expect(solo.saved()).toMatchObject([{ promiseMs: 900 }]);
    expect(new Voter(2, five, { saved: saved(2, 4, { promiseMs: 20 }) }).timersSet()).toMatchObject({
      promise: 125,
    });
  });

  it('forgets the longer one only when it has run out: a crash before that must not shorten it', () => {
    const solo = new Voter(2, five, { saved: saved(2, 4, { promiseMs: 900 }) });
    expect(solo.hears(1, heartbeat(5, 2)).saved().at(-1)).toMatchObject({ promiseMs: 900 });
    expect(solo.timer('promise').hears(1, { type: 'term', term: 9 }).saved().at(-1)).toMatchObject({
      promiseMs: 125,
    });
  });
});

describe('an answer to an earlier process of the same name', () => {
  const earlier = { to: 'an earlier life' };

  it('is no pre-vote', () => {
    const solo = at(1).timer('election').hears(2, preVote(0));
    expect(solo.hears(3, { ...preVote(0), ...earlier }).sent('vote')).toEqual([]);
  });

  it('is no vote: what the earlier one was told does not bind the voter to this one', () => {
    const solo = candidate().hears(2, vote(1));
    solo.hears(3, { ...vote(1), ...earlier });
    expect(solo.state.role).toBe('candidate');
    expect(solo.hears(4, vote(1)).state.role).toBe('leader');
  });

  it('does not renew the lease', () => {
    const solo = leader().hears(2, answer(1, 2));
    expect(lease(solo.hears(3, { ...answer(1, 2), ...earlier }))).toBeUndefined();
    expect(lease(solo.hears(3, answer(1, 2)))).toBe('lease/2');
  });

  it('does not commit a value', () => {
    const solo = leader().command({ type: 'publish', value: 'here' }).hears(2, accepted(1, 1));
    expect(solo.hears(3, { ...accepted(1, 1), ...earlier }).sent('publish/commit')).toEqual([]);
    expect(solo.hears(3, accepted(1, 1)).sent('publish/commit')).toHaveLength(4);
  });
});

describe('a later process of a candidate', () => {
  const later = { by: by(1, { disk: 'new', life: 'later' }) };

  it('gets no vote in the term in which the earlier one got it: that one may have won', () => {
    const voter = at(3).hears(1, ask(1)).timer('promise');
    expect(voter.hears(1, { ...ask(1), ...later }).sent()).toEqual([]);
    expect(voter.hears(1, { ...ask(2), ...later }).sent('vote/answer')).toMatchObject([
      { message: { to: 'later', term: 2 } },
    ]);
  });

  it('is not the one to which a promise was made, and is refused within it', () => {
    const voter = at(3).hears(1, heartbeat(1, 4));
    expect(voter.hears(1, { ...ask(2), ...later }).sent()).toEqual([]);
    expect(voter.hears(1, { type: 'pre-vote', term: 1, age: NEVER, ...later }).sent()).toEqual([]);
    expect(voter.hears(1, ask(2)).sent('vote/answer')).toHaveLength(1);
  });
});

describe('a disk that was copied, or set back', () => {
  const third = (start: number, life: string) => ({ by: by(3, { start, life }) });
  const ping = (start: number, life: string) => ({ type: 'probe', term: 0, ...third(start, life) });
  /** A member that has heard of the fourth start of the third member's disk. */
  const knowing = () => at(2).hears(3, ping(4, 'd'));

  it('is known by its starts: the latest and its process are remembered, durably', () => {
    const solo = at(2).hears(3, ping(4, 'd'));
    expect(solo.effects.map((effect) => effect.type)).toEqual(['save', 'send']);
    expect(solo.saved()).toMatchObject([{ seen: { 3: { disk: diskOf(3), start: 4, life: 'd' } } }]);
    expect(solo.hears(3, ping(4, 'd')).saved()).toEqual([]);
  });

  it.each([
    ['an earlier start', 3, 'c'],
    ['the same start of another process', 4, 'x'],
  ])('is ignored and told so: %s', (_, start, life) => {
    const solo = knowing().hears(3, ping(start, life));
    expect(solo.sent()).toMatchObject([
      { to: 3, message: { type: 'copy', disk: diskOf(3), start: 4, life: 'd' } },
    ]);
    expect(solo.saved()).toEqual([]);
    expect(
      knowing()
        .hears(3, { ...ask(1), ...third(start, life) })
        .sent('vote/answer'),
    ).toEqual([]);
  });

  it('is told so after a restart of the member that knows, too', () => {
    const seen = { 3: by(3, { start: 4, life: 'd' }) };
    expect(
      at(2, saved(2, 0, { seen }))
        .hears(3, ping(4, 'x'))
        .sent('copy'),
    ).toHaveLength(1);
  });

  it('is not a disk that starts again, nor another disk under that name', () => {
    expect(knowing().hears(3, ping(5, 'e')).sent('probe/answer')).toHaveLength(1);
    const other = { ...ping(1, 'x'), by: by(3, { disk: 'new', start: 1, life: 'x' }) };
    expect(knowing().hears(3, other).sent('probe/answer')).toHaveLength(1);
  });

  describe('takes a new identity', () => {
    const told = (start = 2, life = 'the other') => ({ type: 'copy', disk: diskOf(1), start, life });

    it('when a majority says so, not before: one member may err', () => {
      const solo = at(1).hears(2, told()).hears(2, told()).hears(3, told()).hears(9, told());
      expect(solo.state.disk).toBe(diskOf(1));
      solo.hears(4, told());
      expect(solo.saved().at(-1)).toMatchObject({ disk: ME, start: 1, term: 0 });
      expect(solo.reported()).toMatchObject({ role: 'none' });
    });

    it('and asks all others as soon as one says so, since they may know the same', () => {
      const solo = at(1).hears(2, told());
      expect(solo.sent('probe').map(({ to }) => to)).toEqual([2, 3, 4, 5]);
      expect(solo.hears(3, told()).sent()).toEqual([]);
    });

    it('each time another one, also if it has named one after itself before', () => {
      const solo = at(1);
      for (const from of [2, 3, 4]) solo.hears(from, told());
      const again = { ...told(), disk: ME };
      for (const from of [2, 3, 4]) solo.hears(from, again);
      expect(solo.state.disk).not.toBe(ME);
      expect(solo.state.disk).not.toBe(diskOf(1));
    });

    it('and leads no longer', () => {
      const solo = leader();
      for (const from of [2, 3, 4]) solo.hears(from, told());
      expect(solo.state).toMatchObject({ role: 'follower', leaseRound: null });
    });

    it('of three members with both others, of two with the other', () => {
      const few = (n: number) => {
        const members = five.slice(0, n);
        const first = register(0, 0, { members: seats(members) });
        return new Voter(1, members, { saved: saved(1, 0, { register: first, committed: first }) });
      };
      expect(few(3).hears(2, told()).state.disk).toBe(diskOf(1));
      expect(few(3).hears(2, told()).hears(3, told()).state.disk).toBe(ME);
      expect(few(2).hears(2, told()).state.disk).toBe(ME);
    });

    it('but not because of a start before its own, about another disk, or about itself', () => {
      const solo = at(1, saved(1, 0, { start: 5 }));
      for (const from of [2, 3, 4]) solo.hears(from, told(5));
      for (const from of [2, 3, 4]) solo.hears(from, { ...told(9), disk: 'another' });
      for (const from of [2, 3, 4]) solo.hears(from, told(6, ME));
      expect(solo.state.disk).toBe(diskOf(1));
    });
  });
});

describe('a record of versions that knew members by name', () => {
  const old = (votedFor: number | null) =>
    ({
      term: 7,
      votedFor,
      register: { term: 6, version: 3, members: [1, 2, 3], value: 'here' },
      committed: { term: 6, version: 3, members: [1, 2, 3], value: 'here' },
      life: 0,
      lives: { 2: 1_700_000_000_000 },
    }) as unknown as Json;
  const started = (votedFor: number | null) => new Voter(1, [1, 2, 3], { saved: old(votedFor) });

  it('is carried over: term and value are kept, the disk gets an identity, every seat is vacant', () => {
    const solo = started(null);
    const kept = { term: 6, version: 3, members: vacant([1, 2, 3]), value: 'here', founding: null };
    expect(solo.saved()).toMatchObject([{ disk: ME, start: 1, term: 7, register: kept, committed: kept }]);
    expect(Object.keys(solo.saved()[0] as object)).not.toContain('lives');
    expect(solo.reported()).toMatchObject({ term: 7, version: 3, value: 'here' });
  });

  it('gives no vote in its term to any process, since it does not say which one had it', () => {
    const voter = started(2).timer('promise');
    const asks = ask(7, { age: { term: 6, version: 3 } });
    expect(voter.hears(2, asks).sent()).toEqual([]);
    expect(voter.hears(3, asks).sent()).toEqual([]);
    expect(voter.hears(2, { ...asks, term: 8 }).sent('vote/answer')).toHaveLength(1);
  });

  it('of all members needs the names of all three for the first election, and goes on from the same value', () => {
    const solo = started(null).timer('promise').timer('election');
    solo.hears(2, preVote(7));
    expect(solo.sent('vote')).toEqual([]);
    expect(solo.hears(3, preVote(7)).sent('vote')[0]!.message).toMatchObject({ term: 8 });
  });
});

describe('another election on the same disk', () => {
  const protocol = quorum.create({
    timing: readSettings(quorum.timing, {}, 'timing'),
    options: readSettings(quorum.options, {}, 'options'),
  });
  const inherit = (id: number, record: Json) =>
    protocol.inherit!({ id, members: [...five], settings: { priority: 1 } }, record) as unknown as Record<
      string,
      unknown
    > | null;
  /** The cluster was founded without the fifth member, and has grown since. */
  const founding = [...seats([1, 2, 3, 4]), ...vacant([5])];
  const main = (id: number, more: object = {}) => ({
    ...(holding(id, 9, 12, { members: seats([1, 2, 3, 4, 5, 6]), founding }) as object),
    promiseMs: 300,
    ...more,
  });

  it('begins with the founders, whatever became of them since, so that all begin with the same', () => {
    const record = inherit(1, main(1) as unknown as Json);
    const first = { term: 0, version: 0, members: founding, founding: null, value: null };
    expect(record).toEqual({
      disk: diskOf(1),
      start: 0,
      term: 0,
      votedFor: null,
      register: first,
      committed: first,
      promiseMs: 300,
      seen: {},
    });
  });

  it('has the disk take part under its identity if it founded the cluster, else as a new one', () => {
    expect(inherit(5, main(5) as unknown as Json)).toMatchObject({ disk: null, start: 0 });
    const replaced = inherit(2, main(2, { disk: 'new' }) as unknown as Json);
    expect(replaced).toMatchObject({ disk: null, start: 0 });
    const solo = new Voter(2, five, { saved: replaced as unknown as Json });
    expect(solo.saved()).toMatchObject([{ disk: ME, start: 1, register: { members: founding } }]);
  });

  it('counts the starts of the disk, and knows the starts of others: a copy is one in every election', () => {
    const seen = { 3: by(3, { start: 4, life: 'd' }) };
    const record = inherit(1, main(1, { start: 6, seen }) as unknown as Json) as unknown as Json;
    const solo = new Voter(1, five, { saved: record });
    expect(solo.saved()).toMatchObject([{ disk: diskOf(1), start: 6, seen }]);
  });

  it('is led by a majority of the founders at once', () => {
    const record = inherit(1, main(1) as unknown as Json) as unknown as Json;
    const solo = new Voter(1, five, { saved: record }).timer('promise').timer('election');
    for (const id of [2, 3]) solo.hears(id, preVote(0));
    for (const id of [2, 3]) solo.hears(id, vote(1));
    expect(solo.state).toMatchObject({ role: 'leader', leaseRound: 1 });
  });

  it('begins empty as long as no founders are committed, or the record is of an older version', () => {
    expect(inherit(1, saved(1, 3))).toBeNull();
    const uncommitted = main(1, { committed: register(0, 0) }) as unknown as Json;
    expect(inherit(1, uncommitted)).toBeNull();
    expect(inherit(1, main(1, { disk: undefined }) as unknown as Json)).toBeNull();
  });
});
