/** Who counts in `quorum`, how the first seats are filled, and how seats change hands. */
import { describe, expect, it } from 'vitest';
import type { Json, MemberId } from '../../src/core/index.ts';
import type { Age } from '../../src/protocols/quorum/messages.ts';
import { hasMajorityOfSeats, isQuorum, namesNeeded } from '../../src/protocols/quorum/seats.ts';
import {
  accepted,
  answer,
  at,
  by,
  diskOf,
  five,
  leader,
  lease,
  ME,
  NEVER,
  outcome,
  preVote,
  register,
  saved,
  seats,
  Voter,
  vacant,
  vote,
} from '../support/quorum.ts';

const ids = (n: number): number[] => Array.from({ length: n }, (_, i) => i + 1);
const supporters = (names: readonly number[], disk: (id: number) => string = diskOf) =>
  Object.fromEntries(names.map((id) => [id, disk(id)]));
/** Another disk under the name of a member that has a seat. */
const fresh = (id: MemberId) => by(id, { disk: `new disk ${id}`, life: `new life ${id}` });

type Members = readonly { readonly id: MemberId; readonly disk: string | null }[];
/** The members of the register that it sent with the latest input. */
function sentMembers(solo: Voter): Members | undefined {
  const sent = solo.sent('publish/send').at(-1)?.message as { register?: { members: Members } } | undefined;
  return sent?.register?.members;
}

/** Members answer the present round and say how new their register is: if nothing else is said, as new as the leader's. */
function agree(solo: Voter, from: readonly number[], age: Age = ageOf(solo)): Voter {
  const { term, round } = solo.state as { term: number; round: number };
  for (const id of from) solo.hears(id, answer(term, round, { age }));
  return solo;
}

function ageOf(solo: Voter): Age {
  const { term, version } = solo.state.register as Age;
  return { term, version };
}

describe('a quorum', () => {
  it.each([
    [2, 2, 2],
    [3, 2, 3],
    [4, 3, 4],
    [5, 3, 4],
    [6, 4, 5],
    [7, 4, 5],
  ])('of %i members is %i seats, or %i names whatever their disks', (n, ofSeats, ofNames) => {
    const members = register(0, 0, { members: seats(ids(n)) });
    const other = (id: number) => `new disk ${id}`;
    expect(isQuorum(members, supporters(ids(ofSeats)))).toBe(true);
    if (ofSeats > 1) expect(isQuorum(members, supporters(ids(ofSeats - 1)))).toBe(false);
    expect(isQuorum(members, supporters(ids(ofNames), other))).toBe(true);
    if (ofNames > 1) expect(isQuorum(members, supporters(ids(ofNames - 1), other))).toBe(false);
    expect(hasMajorityOfSeats(members, supporters(ids(ofNames), other))).toBe(false);
  });

  const seatsOf = (n: number) => Array.from({ length: n }, (_, i) => ({ id: i + 1, disk: `d${i}` }));

  it('are none for a single member whose disk is gone: what it knew, no other member knows', () => {
    expect(namesNeeded([{ id: 1, disk: null }])).toBe(1);
    expect(namesNeeded([{ id: 1, disk: 'lost' }])).toBe(2);
  });

  it('and any other share a name besides the one that may have lost its disk', () => {
    for (let n = 2; n <= 7; n++) {
      const majority = Math.floor(n / 2) + 1;
      expect(namesNeeded(seatsOf(n)) + majority - n, `${n} members`).toBeGreaterThanOrEqual(2);
      expect(2 * namesNeeded(seatsOf(n)) - n, `${n} members`).toBeGreaterThanOrEqual(2);
    }
  });

  it('and one of the neighbouring membership share as many, from three members on', () => {
    for (let n = 3; n <= 7; n++) {
      const shared = (names: number, ofSeats: number) => names + Math.floor(ofSeats / 2) + 1 - (n + 1);
      expect(shared(namesNeeded(seatsOf(n)), n + 1), `${n} names and ${n + 1} seats`).toBeGreaterThanOrEqual(
        2,
      );
      expect(shared(namesNeeded(seatsOf(n + 1)), n), `${n + 1} names and ${n} seats`).toBeGreaterThanOrEqual(
        2,
      );
    }
  });

  it('counts a vacant seat among the members but no answer for it, so that no majority gets smaller', () => {
    const members = register(0, 0, { members: [...seats([1, 2]), ...vacant([3, 4, 5])] });
    expect(isQuorum(members, supporters([1, 2]))).toBe(false);
    expect(isQuorum(members, supporters([1, 2, 3]))).toBe(false);
    expect(isQuorum(members, supporters([1, 2, 3, 4]))).toBe(true);
  });

  it('counts no name that is not a member', () => {
    const members = register(0, 0, { members: seats([1, 2, 3]) });
    expect(isQuorum(members, supporters([1, 8, 9]))).toBe(false);
  });
});

describe('a first start, on empty disks', () => {
  const empty = (id: number, n: number) => new Voter(id, ids(n)).timer('promise');

  /** The first of n members asks for votes, and some of the others are there. */
  function elected(n: number, present: readonly number[]): Voter {
    const solo = empty(1, n).timer('election');
    for (const id of present) solo.hears(id, { ...preVote(0), by: fresh(id) });
    for (const id of present) solo.hears(id, { ...vote(1), by: fresh(id) });
    return solo;
  }

  it('names the disk after the process and saves it before anything is said', () => {
    const solo = new Voter(3);
    expect(solo.saved()).toMatchObject([
      { disk: ME, start: 1, term: 0, register: { term: 0, version: 0, members: vacant(five) } },
    ]);
    expect(solo.reported()).toMatchObject({ role: 'none' });
  });

  it.each([
    [2, [2], []],
    [3, [2, 3], [2]],
    [4, [2, 3, 4], [2, 3]],
    [5, [2, 3, 4], [2, 3]],
  ])(
    'of %i members is decided by the names of %j and the first, not without one of them',
    (n, all, fewer) => {
      expect(elected(n, all).state.role).toBe('leader');
      expect(elected(n, fewer).state.role).not.toBe('leader');
    },
  );

  it('of one member needs no other: it leads, fills its seat, and acts', () => {
    const solo = empty(1, 1).timer('election');
    expect(solo.reported()).toMatchObject({ role: 'leader', term: 1 });
    solo.timer('heartbeat').timer('heartbeat');
    expect(solo.state).toMatchObject({ register: { members: [{ id: 1, disk: ME }] } });
    expect(solo.state.leaseRound).not.toBeNull();
  });

  it('gives a leader that may not act before the seats are filled: a lease is counted by seats alone', () => {
    const solo = elected(3, [2, 3]);
    expect(lease(solo)).toBe('lease/none');
    for (const id of [2, 3]) solo.hears(id, { ...answer(1, 2), by: fresh(id) });
    expect(solo.state).toMatchObject({ role: 'leader', leaseRound: null });
  });

  it('commits the founders as they are, then fills the seats of the names that answer', () => {
    const solo = elected(3, [2, 3]);
    for (const id of [2, 3]) solo.hears(id, { ...answer(1, 2), by: fresh(id) });
    expect(solo.state.register).toMatchObject({ term: 1, version: 0, members: vacant([1, 2, 3]) });
    for (const id of [2, 3]) solo.hears(id, { ...accepted(1, 0), by: fresh(id) });
    const members = [
      { id: 1, disk: ME },
      { id: 2, disk: 'new disk 2' },
      { id: 3, disk: 'new disk 3' },
    ];
    expect(sentMembers(solo)).toEqual(members);
    expect(solo.state.register).toMatchObject({ term: 1, version: 1, founding: members });
    solo.hears(2, { ...accepted(1, 1), by: fresh(2) });
    expect(solo.state.committed).toMatchObject({ version: 1 });
  });

  it('gives a leader that acts only once a majority holds the seats: the others could not go on without it', () => {
    const solo = elected(3, [2, 3]);
    for (const id of [2, 3]) solo.hears(id, { ...answer(1, 2), by: fresh(id) });
    for (const id of [2, 3]) solo.hears(id, { ...accepted(1, 0), by: fresh(id) });
    solo.timer('heartbeat');
    for (const id of [2, 3])
      solo.hears(id, { ...answer(1, 3, { age: { term: 1, version: 0 } }), by: fresh(id) });
    expect(solo.state.leaseRound).toBeNull();
    solo.hears(2, { ...accepted(1, 1), by: fresh(2) });
    expect(solo.state.leaseRound).toBe(3);
  });

  it('with one of five absent leaves its seat vacant, and fills it when it comes; the founders stay as they were', () => {
    const solo = elected(5, [2, 3, 4]);
    const others = [2, 3, 4];
    for (const id of others) solo.hears(id, { ...answer(1, 2), by: fresh(id) });
    for (const id of others) solo.hears(id, { ...accepted(1, 0), by: fresh(id) });
    // It is waited for, for a timeout: the founders are those with whom other elections begin.
    for (let round = 3; round <= 7; round++) {
      expect(solo.state).toMatchObject({ leaseRound: null, register: { version: 0 } });
      solo.timer('heartbeat');
      for (const id of others)
        solo.hears(id, { ...answer(1, round, { age: { term: 1, version: 0 } }), by: fresh(id) });
    }
    const founding = solo.state.register as { members: Members };
    expect(founding.members.at(-1)).toEqual({ id: 5, disk: null });
    for (const id of others) solo.hears(id, { ...accepted(1, 1), by: fresh(id) });
    solo.timer('heartbeat');
    for (const id of others)
      solo.hears(id, { ...answer(1, 8, { age: { term: 1, version: 1 } }), by: fresh(id) });
    expect(solo.state).toMatchObject({ leaseRound: 8, register: { version: 1 } });
    solo.hears(5, { ...answer(1, 8), by: fresh(5) });
    expect(sentMembers(solo)?.at(-1)).toEqual({ id: 5, disk: 'new disk 5' });
    expect(solo.state.register).toMatchObject({ version: 2, founding: founding.members });
  });

  it('shows a member as one only when its disk has a seat in what is committed', () => {
    const solo = empty(2, 3);
    const members = [
      { id: 1, disk: 'new disk 1' },
      { id: 2, disk: ME },
      { id: 3, disk: 'new disk 3' },
    ];
    const first = register(1, 1, { members, founding: members });
    solo.hears(1, { type: 'publish/send', term: 1, register: first, by: fresh(1) });
    expect(solo.reported()).toMatchObject({ role: 'none', leader: 1 });
    solo.hears(1, { type: 'publish/commit', term: 1, age: { term: 1, version: 1 }, by: fresh(1) });
    expect(solo.reported()).toMatchObject({ role: 'follower', leader: 1 });
  });
});

describe('a new disk under the name of a member', () => {
  it('counts for no majority of votes, and where names decide gives no lease', () => {
    const solo = at(1).timer('election').hears(2, preVote(0)).hears(3, preVote(0));
    solo.hears(2, { ...vote(1), by: fresh(2) }).hears(3, vote(1));
    expect(solo.state.role).toBe('candidate');
    solo.hears(4, { ...vote(1), by: fresh(4) });
    expect(solo.state).toMatchObject({ role: 'leader', leaseRound: null });
  });

  it('does not take the place of the one that has the seat', () => {
    const solo = at(1).timer('election').hears(2, preVote(0)).hears(3, preVote(0));
    solo.hears(2, vote(1)).hears(2, { ...vote(1), by: fresh(2) });
    expect(solo.hears(3, vote(1)).state.role).toBe('leader');
  });

  it('does not renew the lease', () => {
    const solo = leader();
    expect(lease(solo.hears(2, answer(1, 2)).hears(3, { ...answer(1, 2), by: fresh(3) }))).toBeUndefined();
    expect(lease(solo.hears(4, answer(1, 2)))).toBe('lease/2');
  });

  it('does not commit a value', () => {
    const solo = leader().command({ type: 'publish', value: 'here' });
    solo.hears(2, accepted(1, 1)).hears(3, { ...accepted(1, 1), by: fresh(3) });
    expect(solo.sent('publish/commit')).toEqual([]);
    expect(solo.hears(4, accepted(1, 1)).sent('publish/commit')).toHaveLength(4);
  });
});

describe('a seat', () => {
  const seat5 = (solo: Voter) => (solo.state.register as { members: Members }).members.at(-1)!.disk;
  const new5 = (solo: Voter) => {
    const { round } = solo.state as { round: number };
    return solo.hears(5, { ...answer(1, round), by: fresh(5) });
  };
  /** The first member leads, the disk of the fifth is silent, and a new one answers under its name, for so many rounds. */
  function without5(rounds: number): Voter {
    const solo = leader();
    for (let i = 0; i < rounds; i++) new5(agree(solo, [2, 3, 4])).timer('heartbeat');
    return solo;
  }
  /** In the fifth round the leader wants to vacate the seat, and renews its register first. */
  const wanting = () => without5(5);
  /** The seat was vacated, and that is not committed yet. */
  const vacated = () => agree(wanting().hears(2, accepted(1, 0)).hears(3, accepted(1, 0)), [2, 3]);

  it('is kept for a disk that is silent, as long as no other answers under its name', () => {
    const solo = leader();
    for (let i = 0; i < 30; i++) agree(solo, [2, 3]).timer('heartbeat');
    expect(seat5(solo)).toBe(diskOf(5));
  });

  it('is kept for a disk that answers, whatever other disk does so too', () => {
    const solo = leader();
    for (let i = 0; i < 30; i++) new5(agree(solo, [2, 3, 5])).timer('heartbeat');
    expect(seat5(solo)).toBe(diskOf(5));
  });

  it('is vacated when its disk was silent for the longest timeout while another answers, and not before', () => {
    expect(ageOf(without5(4))).toEqual({ term: 0, version: 0 });
    expect(ageOf(wanting())).toEqual({ term: 1, version: 0 });
    expect(seat5(vacated())).toBeNull();
  });

  it('never goes from one disk to another in one step: two majorities would share no disk', () => {
    const solo = leader();
    const history: (string | null)[] = [];
    for (let i = 0; i < 80; i++) {
      if (i % 4 < 3) agree(solo, [2 + (i % 4)]);
      else new5(solo).timer('heartbeat');
      if (seat5(solo) !== history.at(-1)) history.push(seat5(solo));
    }
    expect(history).toEqual([diskOf(5), null, 'new disk 5']);
  });

  it('is vacated only once this term has committed the register: an earlier leader may have begun another change', () => {
    const solo = agree(wanting(), [2, 3, 4], NEVER);
    expect(ageOf(solo)).toEqual({ term: 1, version: 0 });
    expect(seat5(solo)).toBe(diskOf(5));
    solo.timer('heartbeat');
    expect(seat5(agree(new5(solo), [2, 3]))).toBeNull();
  });

  it('is vacated only once the lease rests on the present members', () => {
    const solo = wanting().hears(2, accepted(1, 0)).hears(3, accepted(1, 0));
    expect(solo.state.committed).toMatchObject({ term: 1, version: 0 });
    expect(seat5(solo)).toBe(diskOf(5));
    expect(seat5(agree(solo, [2, 3]))).toBeNull();
  });

  it('is filled only once the vacancy is committed', () => {
    const solo = vacated();
    new5(solo.timer('heartbeat'));
    agree(solo, [2, 3, 4], { term: 1, version: 0 });
    expect(seat5(solo)).toBeNull();
    solo.hears(2, accepted(1, 1)).hears(3, accepted(1, 1));
    expect(seat5(solo)).toBe('new disk 5');
  });

  it('is filled only once the lease was renewed under the vacancy', () => {
    const solo = vacated().hears(2, accepted(1, 1)).hears(3, accepted(1, 1));
    expect(solo.state.committed).toMatchObject({ term: 1, version: 1 });
    expect(seat5(new5(solo.timer('heartbeat')))).toBeNull();
    expect(seat5(agree(solo, [2, 3]))).toBe('new disk 5');
  });

  it('of the leader itself is vacated and filled too, when names alone made it the leader', () => {
    const members = seats(five);
    const first = register(1, 3, { members });
    const record = saved(1, 1, { disk: 'new disk 1', start: 1, register: first, committed: first });
    const solo = at(1, record).timer('election');
    for (const id of [2, 3, 4]) solo.hears(id, preVote(1));
    for (const id of [2, 3, 4]) solo.hears(id, vote(2));
    expect(solo.state).toMatchObject({ role: 'leader' });
    const seat1 = () => (solo.state.register as { members: Members }).members[0]!.disk;
    const history: (string | null)[] = [seat1()];
    for (let i = 0; i < 6; i++) {
      agree(solo, [2, 3, 4]).timer('heartbeat');
      if (seat1() !== history.at(-1)) history.push(seat1());
    }
    expect(history).toEqual([diskOf(1), null, 'new disk 1']);
  });
});

describe('a change of members', () => {
  const joiner = by(6, { disk: 'joins', life: 'joins' });

  it('is made only after this term has committed something and the lease was renewed under it', () => {
    const solo = leader().command({ type: 'remove', member: 5 });
    expect(sentMembers(solo)).toEqual(seats(five));
    expect(solo.state.register).toMatchObject({ term: 1, version: 0 });
    solo.hears(2, accepted(1, 0)).hears(3, accepted(1, 0));
    expect(solo.state).toMatchObject({ committed: { term: 1 }, register: { version: 0 } });
    agree(solo, [2, 3]);
    expect(solo.state.register).toMatchObject({ version: 1, members: seats([1, 2, 3, 4]) });
  });

  it('is not made on top of one that is not committed', () => {
    const solo = leader().command({ type: 'remove', member: 5 });
    agree(solo.hears(2, accepted(1, 0)).hears(3, accepted(1, 0)), [2, 3]);
    expect(solo.state.register).toMatchObject({ version: 1 });
    expect(outcome(solo.command({ type: 'remove', member: 4 }))).toEqual({
      status: 'refused',
      reason: 'another publication is under way',
    });
    solo.timer('commit').command({ type: 'remove', member: 4 });
    agree(solo.timer('heartbeat'), [2, 3], { term: 1, version: 0 });
    expect(solo.state.register).toMatchObject({ version: 1, members: seats([1, 2, 3, 4]) });
  });

  it('waits until the lease rests on the members of the change before: their majority has to have promised', () => {
    const solo = leader().command({ type: 'remove', member: 5 });
    solo.hears(2, accepted(1, 0)).hears(3, accepted(1, 0));
    agree(solo, [2, 3]);
    solo.hears(2, accepted(1, 1)).hears(3, accepted(1, 1));
    expect(solo.state.committed).toMatchObject({ version: 1 });
    solo.command({ type: 'remove', member: 4 });
    expect(solo.state.register).toMatchObject({ version: 1 });
    agree(solo.timer('heartbeat'), [2, 3]);
    expect(solo.state.register).toMatchObject({ version: 2, members: seats([1, 2, 3]) });
  });

  describe('that adds one', () => {
    it('waits for the joiner, which alone can say which disk it has', () => {
      const solo = leader().command({ type: 'add', member: 6 });
      expect(solo.sent('heartbeat').map(({ to }) => to)).toEqual([2, 3, 4, 5, 6]);
      agree(solo, [2, 3]);
      expect(solo.state.register).toMatchObject({ version: 0 });
      solo.hears(6, { ...answer(1, 3), by: joiner });
      solo.hears(2, accepted(1, 0)).hears(3, accepted(1, 0)).timer('heartbeat');
      agree(solo.hears(6, { ...answer(1, 4), by: joiner }), [2, 3]);
      expect(solo.state.register).toMatchObject({
        version: 1,
        members: [...seats(five), { id: 6, disk: 'joins' }],
      });
      for (const id of [2, 3]) solo.hears(id, accepted(1, 1));
      expect(outcome(solo)).toBeUndefined();
      expect(outcome(solo.hears(6, { ...accepted(1, 1), by: joiner }))).toEqual({ status: 'done' });
    });

    it('fails for certain if the joiner has not answered in time, and says what to do', () => {
      const solo = leader().command({ type: 'add', member: 6 });
      agree(solo, [2, 3]);
      expect(outcome(solo.timer('commit'))).toEqual({
        status: 'failed',
        effect: 'definite',
        reason: '6 has not answered: start it, with all members among its peers, and try again',
      });
      expect(solo.state.change).toBeNull();
      expect(
        solo
          .timer('heartbeat')
          .sent('heartbeat')
          .map(({ to }) => to),
      ).toEqual([2, 3, 4, 5]);
    });

    it('fails for certain with the leadership, as long as it was not sent', () => {
      const solo = leader().command({ type: 'add', member: 6 }).hears(2, { type: 'term', term: 9 });
      expect(outcome(solo)).toMatchObject({ status: 'failed', effect: 'definite' });
    });

    it('is refused for a member', () => {
      expect(outcome(leader().command({ type: 'add', member: 5 }))).toEqual({
        status: 'refused',
        reason: '5 is a member already',
      });
    });
  });

  describe('that leaves no healthy majority', () => {
    /** A leader of three of which the third does not answer. */
    function lame(): Voter {
      const members = [1, 2, 3];
      const first = register(0, 0, { members: seats(members) });
      const record = saved(1, 0, { register: first, committed: first });
      const solo = new Voter(1, members, { saved: record }).timer('promise').timer('election');
      solo.hears(2, preVote(0)).hears(2, vote(1));
      for (let i = 0; i < 5; i++) agree(solo, [2]).timer('heartbeat');
      return agree(solo, [2]);
    }

    it('is refused: removing a member that answers would stop the cluster', () => {
      expect(outcome(lame().command({ type: 'remove', member: 2 }))).toEqual({
        status: 'refused',
        reason: 'of the 2 members that there would be, 1 answer and 2 are needed',
      });
      const solo = lame().command({ type: 'remove', member: 3 });
      expect(outcome(solo)).toBeUndefined();
    });

    it('fails for certain if that shows only when it is made', () => {
      const solo = lame().command({ type: 'add', member: 4 });
      const { round } = solo.state as { round: number };
      solo
        .hears(4, answer(1, round))
        .timer('heartbeat')
        .hears(4, answer(1, round + 1));
      for (let i = 0; i < 4; i++) agree(solo.timer('heartbeat'), [2], NEVER);
      expect(solo.state.register).toMatchObject({ members: seats([1, 2, 3]) });
      expect(outcome(solo.hears(2, accepted(1, 0)))).toEqual({
        status: 'failed',
        effect: 'definite',
        reason: 'of the 4 members that there would be, 2 answer and 3 are needed',
      });
      expect(solo.state.register).toMatchObject({ members: seats([1, 2, 3]) });
    });
  });

  it('that removes the leader: it tells the others first and then hands over', () => {
    const solo = agree(leader(), [2, 3, 4]).command({ type: 'remove', member: 1 }).timer('heartbeat');
    agree(solo.hears(2, accepted(1, 0)).hears(3, accepted(1, 0)), [2, 3]);
    expect(solo.state.register).toMatchObject({ version: 1, members: seats([2, 3, 4, 5]) });
    for (const from of [2, 3]) solo.hears(from, accepted(1, 1));
    expect(solo.state.role).toBe('leader');
    solo.hears(4, accepted(1, 1));
    expect(solo.reported()).toMatchObject({ role: 'none' });
    expect(solo.sent('transfer')).toHaveLength(1);
  });

  it('that removes a member: it asks for no votes any more', () => {
    const smaller = register(1, 1, { members: seats([1, 3, 4, 5]) });
    const solo = at(2).hears(1, { type: 'publish/send', term: 1, register: smaller });
    expect(solo.reported()).toMatchObject({ leader: 1, members: [1, 3, 4, 5] });
    expect(solo.timer('election').sent()).toEqual([]);
    solo.hears(1, { type: 'publish/commit', term: 1, age: { term: 1, version: 1 } });
    expect(solo.reported()).toMatchObject({ role: 'none' });
  });

  it('that removes the last member, or one that is none, is refused', () => {
    const only = saved(1, 0, {
      register: register(0, 0, { members: seats([1]) }),
      committed: register(0, 0, { members: seats([1]) }),
    });
    const solo = new Voter(1, [1], { saved: only as Json }).timer('promise').timer('election');
    expect(outcome(solo.command({ type: 'remove', member: 1 }))).toEqual({
      status: 'refused',
      reason: 'it is the last member',
    });
    expect(outcome(leader().command({ type: 'remove', member: 9 }))).toEqual({
      status: 'refused',
      reason: '9 is not a member',
    });
  });
});
