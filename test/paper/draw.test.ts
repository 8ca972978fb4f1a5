import { describe, expect, it } from 'vitest';
import type { MemberId } from '../../src/core/index.ts';
import {
  cast,
  certify,
  following,
  knownTo,
  leading,
  registered,
  result,
  sentTo,
  status,
} from '../support/draw.ts';
import type { Solo } from '../support/solo.ts';

const three = [1, 2, 3];
const start = (election: number, voters: number[]) => ({ type: 'election/start', election, voters });
const drawn = (solo: Solo, draw: string, value: string) => solo.take({ type: 'drawn', draw, value });
const draws = (solo: Solo) =>
  solo.effects.filter((effect) => effect.type === 'draw').map((effect) => effect.draw);
const toAll = (voters: number[], message: object) => voters.map((to) => ({ to, message }));

/** Voter 1 in election 7 of the three, having drawn 500. */
const voting = () => drawn(registered(1, three).hears(2, start(7, three)), '7/1', '500');

/** The same with every number there. */
const counted = (of2: string, of3: string) =>
  voting()
    .hears(2, cast(7, three, of2))
    .hears(3, cast(7, three, of3));

describe('seed 002, casting', () => {
  it('"Each voter casts a vote by creating a random Long Integer and sending it to each of the voters"', () => {
    const voter = registered(1, three).hears(2, start(7, three));
    expect(draws(voter)).toEqual(['7/1']);
    expect(voter.sent()).toEqual([]);
    expect(drawn(voter, '7/1', '18446744073709551615').sent()).toEqual(
      toAll([2, 3], cast(7, three, '18446744073709551615')),
    );
  });

  it('a voter joins an election once: not an older one, not the same one again, not one that leaves it out', () => {
    const voter = voting();
    for (const message of [start(7, three), start(6, three), start(8, [2, 3])]) {
      expect(voter.hears(3, message).effects).toEqual([]);
    }
  });

  it('a cast that overtakes the start is as good as the start', () => {
    expect(draws(registered(1, three).hears(3, cast(7, three, '1')))).toEqual(['7/1']);
  });

  it('a draw for an election that was overtaken by a newer one is not cast', () => {
    const voter = registered(1, three).hears(2, start(7, three)).hears(3, start(8, three));
    expect(drawn(voter, '7/1', '500').effects).toEqual([]);
    expect(sentTo(drawn(voter, '8/1', '500'), 'election/cast')).toEqual([2, 3]);
  });
});

describe('seed 002, counting', () => {
  it('"The voter with the highest number wins the election", "Each voter sends their version of the results to each other voter"', () => {
    expect(counted('499', '501').sent()).toEqual(toAll([2, 3], result(7, 3)));
    expect(counted('501', '499').sent()).toEqual(toAll([2, 3], result(7, 2)));
    expect(counted('498', '499').sent()).toEqual(toAll([2, 3], result(7, 1)));
  });

  it('all 64 bits count: numbers that a JavaScript number cannot tell apart have a winner', () => {
    expect(counted('9007199254740992', '9007199254740993').sent()).toEqual(toAll([2, 3], result(7, 3)));
    expect(counted('18446744073709551615', '18446744073709551614').sent()).toEqual(
      toAll([2, 3], result(7, 2)),
    );
    expect(counted('1000', '999').sent()).toEqual(toAll([2, 3], result(7, 2)));
  });

  it('not before every number is there, each voter once, and no stranger', () => {
    const voter = voting().hears(2, cast(7, three, '600'));
    expect(voter.sent()).toEqual([]);
    expect(voter.hears(2, cast(7, three, '1')).sent()).toEqual([]);
    expect(voter.hears(9, cast(7, three, '999')).sent()).toEqual([]);
    expect(voter.hears(3, cast(7, three, '7')).sent()).toEqual(toAll([2, 3], result(7, 2)));
  });

  it('"Ties are recast", among the tied', () => {
    const tied = counted('500', '3');
    expect(tied.sent()).toEqual([]);
    expect(draws(tied)).toEqual(['7/2']);
    expect(drawn(tied, '7/2', '20').sent()).toEqual(toAll([2, 3], cast(7, three, '20', 2)));
    expect(tied.hears(2, cast(7, three, '21', 2)).sent()).toEqual(toAll([2, 3], result(7, 2)));
  });

  it('who is not among the tied waits for their new numbers, also if they came early', () => {
    const other = voting()
      .hears(2, cast(7, three, '800'))
      .hears(2, cast(7, three, '5', 2));
    other.hears(3, cast(7, three, '800'));
    expect(draws(other)).toEqual([]);
    expect(other.sent()).toEqual([]);
    expect(other.hears(3, cast(7, three, '6', 2)).sent()).toEqual(toAll([2, 3], result(7, 3)));
  });
});

describe('seed 002, certifying', () => {
  it('"If they all agree, then the election is certified": to the winner', () => {
    const voter = counted('499', '501').hears(2, result(7, 3));
    expect(voter.sent()).toEqual([]);
    expect(voter.hears(3, result(7, 3)).sent()).toEqual([{ to: 3, message: certify(7, 3) }]);
  });

  it('"the new leader takes on the role of LEADER": when all have certified, and everybody is told', () => {
    const winner = counted('1', '2').hears(2, result(7, 1)).hears(3, result(7, 1));
    expect(winner.reported()).toBeUndefined();
    expect(winner.hears(3, certify(7, 1)).reported()).toBeUndefined();
    expect(winner.hears(3, certify(7, 1)).reported()).toBeUndefined();
    expect(winner.hears(2, certify(7, 1)).reported()).toMatchObject({ role: 'leader', leader: 1, term: 7 });
    expect(winner.sent('heartbeat')).toMatchObject(toAll([2, 3], { role: 'leader', leader: 1, term: 7 }));
  });

  it('a certificate may arrive before the result that it certifies', () => {
    const winner = counted('1', '2').hears(2, certify(7, 1)).hears(3, certify(7, 1)).hears(2, result(7, 1));
    expect(winner.reported()).toBeUndefined();
    expect(winner.hears(3, result(7, 1)).reported()).toMatchObject({ role: 'leader', term: 7 });
  });

  it('"If the current leader is still running, its role is updated to FOLLOWER"', () => {
    const leader = leading(1, three);
    expect(leader.reported()).toMatchObject({ role: 'leader', term: 1 });
    drawn(leader.hears(2, start(2, three)), '2/1', '5');
    leader
      .hears(2, cast(2, three, '6'))
      .hears(3, cast(2, three, '4'))
      .hears(2, result(2, 2));
    expect(leader.reported()).toBeUndefined();
    expect(leader.hears(3, result(2, 2)).reported()).toMatchObject({
      role: 'follower',
      leader: null,
      term: 1,
    });
    expect(leader.sent()).toEqual([{ to: 2, message: certify(2, 2) }]);
    const told = { type: 'heartbeat', ...status(three, { role: 'leader', leader: 2, term: 2, election: 2 }) };
    expect(leader.hears(2, told).reported()).toMatchObject({ role: 'follower', leader: 2, term: 2 });
  });

  it('a leader that wins again leads on, in the new term', () => {
    const leader = leading(1, three);
    drawn(leader.hears(2, start(2, three)), '2/1', '7');
    for (const from of [2, 3]) leader.hears(from, cast(2, three, '6'));
    for (const from of [2, 3]) leader.hears(from, result(2, 1));
    for (const from of [2, 3]) leader.hears(from, certify(2, 1));
    expect(leader.reported()).toMatchObject({ role: 'leader', leader: 1, term: 2 });
  });

  it('if they do not agree, there is a new election with a higher number', () => {
    const voter = counted('499', '501').hears(2, result(7, 2)).hears(3, result(7, 3));
    expect(voter.sent()).toEqual(toAll([2, 3], start(8, three)));
  });
});

describe('answers that do not come', () => {
  it('what is missing is asked for again: the number and the result, from those whose result is not there', () => {
    const voter = voting().timer('election');
    expect(voter.sent()).toEqual(toAll([2, 3], cast(7, three, '500')));
    expect(voter.timersSet()).toEqual({ election: [250, 500] });
    voter
      .hears(2, cast(7, three, '499'))
      .hears(3, cast(7, three, '501'))
      .hears(3, result(7, 3));
    expect(voter.timer('election').sent()).toEqual([
      { to: 2, message: cast(7, three, '500') },
      { to: 2, message: result(7, 3) },
    ]);
    voter.hears(2, result(7, 3));
    expect(voter.timer('election').sent()).toEqual([{ to: 3, message: certify(7, 3) }]);
  });

  it('whoever casts again is told our result; whoever is still at a past election, who leads', () => {
    const voter = counted('499', '501');
    expect(voter.hears(2, cast(7, three, '499')).sent()).toEqual([{ to: 2, message: result(7, 3) }]);
    const told = { type: 'heartbeat', ...status(three, { role: 'leader', leader: 3, term: 7, election: 7 }) };
    voter.hears(3, told);
    expect(voter.hears(2, cast(7, three, '499')).sent()).toMatchObject([
      { to: 2, message: { type: 'heartbeat', leader: 3, term: 7 } },
    ]);
  });

  it('after a few times without any news, a new election is held without those that cast no number', () => {
    const voter = voting().hears(2, cast(7, three, '1'));
    for (let time = 1; time <= 3; time++) {
      expect(sentTo(voter.timer('election'), 'election/start')).toEqual([]);
    }
    expect(voter.timer('election').sent()).toEqual(toAll([2], start(8, [1, 2])));
  });

  it('but the leader is left out by nobody alone: such an election is given up', () => {
    const voter = following(3, 6, 1, three);
    drawn(voter.hears(2, start(7, three)), '7/1', '500').hears(2, cast(7, three, '1'));
    for (let time = 1; time <= 4; time++) voter.timer('election');
    expect(voter.sent()).toEqual([]);
    expect(knownTo(voter)).toEqual(three);
  });
});

describe('seed 002, when an election is started', () => {
  const healthy = (leader: MemberId) => status(three, { leader, term: 1, election: 1 });
  const doubting = (leader: MemberId) => ({ ...healthy(leader), offline: [leader] });

  function missesLeader(): Solo {
    const follower = following(2, 1, 1, three);
    for (let beat = 1; beat <= 3; beat++) {
      expect(follower.timer('heartbeat').sent('status')).toEqual([]);
      follower.hears(3, { type: 'heartbeat', ...healthy(2) });
    }
    return follower.timer('heartbeat');
  }

  it('"it first requests a health check from the other voters, including the leader"', () => {
    const follower = missesLeader();
    expect(sentTo(follower, 'status')).toEqual([2, 3]);
    expect(follower.timersSet()).toMatchObject({ check: [250, 500] });
  });

  it('"If the other voters agree …, then the leader is removed from the voter pool, and an election is started"', () => {
    const follower = missesLeader().hears(3, { type: 'status/answer', ...doubting(2) });
    expect(follower.timer('check').reported()).toMatchObject({ role: 'follower', leader: null, term: 1 });
    expect(follower.sent()).toEqual(toAll([3], start(2, [1, 3])));
    expect(draws(follower)).toEqual(['2/1']);
  });

  it('if another voter hears the leader, the leader stays', () => {
    const follower = missesLeader().hears(3, { type: 'status/answer', ...healthy(2) });
    expect(follower.timer('check').effects).toEqual([]);
    expect(knownTo(follower)).toEqual(three);
  });

  it('if the leader itself answers, it stays', () => {
    const follower = missesLeader().hears(3, { type: 'status/answer', ...doubting(2) });
    follower.hears(2, { type: 'status/answer', ...healthy(2), role: 'leader' });
    expect(follower.timer('check').effects).toEqual([]);
  });

  it('"Start an Election … on first bootstrap": a voter without a leader first asks whether the others know one', () => {
    const voter = registered(1, three).timer('heartbeat');
    expect(sentTo(voter, 'status')).toEqual([2, 3]);
    voter.hears(3, { type: 'status/answer', ...status(three) });
    expect(voter.timer('check').sent()).toEqual(toAll([2, 3], start(1, three)));
    const late = registered(1, three).timer('heartbeat');
    late.hears(3, { type: 'status/answer', ...healthy(2) });
    expect(late.timer('check').sent()).toEqual([]);
  });

  it('"Any voter can call an election", "through an external call": the command, or a start without a number', () => {
    const asked = following(2, 1, 1, three).command({ type: 'campaign' });
    expect(asked.sent()).toEqual(toAll([2, 3], start(2, three)));
    expect(asked.effects.at(-1)).toEqual({ type: 'answer', command: 1, outcome: { status: 'done' } });
    const called = following(2, 1, 1, three).hears(99, { type: 'election/start' });
    expect(called.sent()).toEqual(toAll([2, 3], start(2, three)));
    expect(called.hears(99, { type: 'election/start' }).effects).toEqual([]);
  });

  it('a new election has a higher number than any that was heard of', () => {
    const voter = following(2, 4, 1, three);
    voter.hears(3, { type: 'heartbeat', ...status(three, { leader: 2, term: 4, election: 9 }) });
    expect(voter.command({ type: 'campaign' }).sent()[0]!.message).toEqual(start(10, three));
  });

  it('a leader that starts anew leads no more: its registration or its next heartbeat says so', () => {
    expect(following(2, 1, 1, three).hears(2, { type: 'register' }).reported()).toMatchObject({
      leader: null,
    });
    const quiet = { type: 'heartbeat', ...status(three, { term: 1, election: 1 }) };
    expect(following(2, 1, 1, three).hears(2, quiet).reported()).toMatchObject({ leader: null });
    const older = { type: 'heartbeat', ...status(three) };
    expect(following(2, 1, 1, three).hears(2, older).reported()).toBeUndefined();
  });
});
