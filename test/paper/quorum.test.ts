import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/core/index.ts';
import { quorum } from '../../src/protocols/quorum/index.ts';
import { Solo } from '../support/solo.ts';

const five = [1, 2, 3, 4, 5];
const age = { term: 0, version: 0 };
const release = null;

/** The disk of a member that has been in `term` and voted for `votedFor`. */
function disk(term: number, votedFor: number | null = null, version = 0): Json {
  const register = {
    term: version === 0 ? 0 : term,
    version,
    members: five,
    value: version === 0 ? null : version,
  };
  return { term, votedFor, register, committed: register, life: 0, lives: {} };
}

/** A member that has been running for a while: what it might have promised before it started has run out. */
function at(id: number, saved: Json = disk(0), more: object = {}): Solo {
  return new Solo(quorum, id, five, { saved, ...more }).timer('promise');
}

function candidate(saved?: Json, more?: object): Solo {
  const solo = at(1, saved, more).timer('election');
  const { term } = solo.state as { term: number };
  for (const from of [2, 3]) solo.hears(from, { type: 'pre-vote/answer', term, granted: true, leader: null });
  return solo;
}

const granted = (term: number) => ({ type: 'vote/answer', term, life: 0, lives: {} });

function leader(saved?: Json, more?: object): Solo {
  const solo = candidate(saved, more);
  const { term } = solo.state as { term: number };
  return solo.hears(2, granted(term)).hears(3, granted(term));
}

const answer = (term: number, round: number, more: object = {}) => ({
  type: 'heartbeat/answer',
  term,
  round,
  age,
  priority: 1,
  ...more,
});

const outcome = (solo: Solo) => solo.effects.find((effect) => effect.type === 'answer')?.outcome;
const lease = (solo: Solo) => solo.effects.filter((effect) => effect.type === 'report').at(-1)?.view.lease;

describe('pre-vote', () => {
  it('asks without moving the term', () => {
    const solo = at(1).timer('election');
    expect(solo.sent('pre-vote').map(({ to }) => to)).toEqual([2, 3, 4, 5]);
    expect(solo.sent('pre-vote')[0]!.message).toEqual({ type: 'pre-vote', term: 0, age });
    expect(solo.saved()).toEqual([]);
    expect(solo.reported()).toMatchObject({ role: 'candidate', term: 0 });
  });

  it('is granted in a term and to a register that are not older, and changes nothing', () => {
    const solo = at(2, disk(3, null, 4));
    for (const term of [3, 7]) {
      solo.hears(1, { type: 'pre-vote', term, age: { term: 3, version: 4 } });
      expect(solo.sent()).toEqual([
        { to: 1, message: { type: 'pre-vote/answer', term, granted: true, leader: null } },
      ]);
      expect(solo.saved()).toEqual([]);
    }
  });

  it('is refused to an older register, to an older term, and while a leader is heard', () => {
    const solo = at(2, disk(3, null, 4));
    const ask = (term: number, older: object) =>
      solo.hears(1, { type: 'pre-vote', term, age: { term: 3, version: 4, ...older } }).sent()[0]?.message;
    expect(ask(3, { version: 3 })).toMatchObject({ type: 'publish/copy' });
    expect(ask(3, { term: 2 })).toMatchObject({ type: 'publish/copy' });
    expect(ask(2, {})).toEqual({ type: 'term', term: 3 });
    solo.hears(5, { type: 'heartbeat', term: 3, round: 1, age: { term: 3, version: 4 }, committed: 4 });
    expect(ask(3, {})).toMatchObject({ granted: false, leader: 5 });
  });

  it('that was refused only for a promise is granted when the promise ends', () => {
    const solo = at(2).hears(5, { type: 'heartbeat', term: 1, round: 1, age, committed: 0 });
    solo.hears(1, { type: 'pre-vote', term: 1, age });
    expect(solo.timer('promise').sent()).toEqual([
      { to: 1, message: { type: 'pre-vote/answer', term: 1, granted: true, leader: null } },
    ]);
  });

  it('is not granted by a leader whose lease has run out before it steps down', () => {
    const solo = leader().timer('lease/1');
    const ask = () => solo.hears(4, { type: 'pre-vote', term: 1, age }).sent()[0]!.message;
    expect(ask()).toMatchObject({ granted: false, leader: 1 });
    solo.timer('quorum');
    expect(ask()).toMatchObject({ granted: true });
  });

  it('tells one who cannot hear the leader who it is', () => {
    const solo = at(1, disk(3)).timer('election');
    solo.hears(2, { type: 'pre-vote/answer', term: 3, granted: false, leader: 5 });
    expect(solo.reported()).toMatchObject({ role: 'follower', leader: 5, term: 3 });
  });

  it('is not even asked by a member of priority 0', () => {
    const solo = at(1, disk(0), { settings: { priority: 0 } }).timer('election');
    expect(solo.sent()).toEqual([]);
    expect(solo.command({ type: 'campaign' }).effects).toMatchObject([
      { type: 'answer', outcome: { status: 'refused', reason: 'this member may not lead' } },
    ]);
  });
});

describe('votes', () => {
  it('a majority of pre-votes begins a term, and the own vote is saved before anybody is asked', () => {
    const solo = candidate();
    const kinds = solo.effects.map((effect) => effect.type);
    expect(kinds.indexOf('save')).toBeLessThan(kinds.indexOf('send'));
    expect(solo.saved().at(-1)).toMatchObject({ term: 1, votedFor: 1 });
    expect(solo.sent('vote')).toHaveLength(4);
  });

  it('one a term, first come first served, saved before it is sent, also after a restart', () => {
    const ask = { type: 'vote', term: 1, age, release };
    const voter = at(3).hears(1, ask);
    const kinds = voter.effects.map((effect) => effect.type);
    expect(kinds.lastIndexOf('save')).toBeLessThan(kinds.indexOf('send'));
    expect(voter.saved().at(-1)).toMatchObject({ term: 1, votedFor: 1 });
    expect(voter.timer('promise').hears(2, ask).sent()).toEqual([]);
    expect(at(3, disk(1, 1)).hears(2, ask).sent()).toEqual([]);
    expect(at(3, disk(1, 1)).hears(1, ask).sent()).toMatchObject([{ to: 1, message: granted(1) }]);
  });

  it('are refused within a promise, and then the newer term is not even adopted', () => {
    const solo = at(3).hears(5, { type: 'heartbeat', term: 1, round: 1, age, committed: 0 });
    solo.hears(1, { type: 'vote', term: 9, age, release });
    expect(solo.sent()).toEqual([]);
    expect(solo.state.term).toBe(1);
  });

  it('a restarted member helps nobody until what it may have promised has run out', () => {
    const solo = new Solo(quorum, 3, five, { saved: disk(4) });
    expect(solo.timersSet()).toMatchObject({ promise: 125 });
    const ask = { type: 'vote', term: 5, age, release };
    expect(solo.hears(1, ask).sent()).toEqual([]);
    expect(solo.timer('promise').hears(1, ask).sent('vote/answer')).toHaveLength(1);
  });

  it('who lacks the newest register is given a copy, which binds nobody', () => {
    const solo = at(2, disk(3, null, 4)).hears(1, {
      type: 'pre-vote',
      term: 4,
      age: { term: 3, version: 3 },
    });
    const copy = solo.sent('publish/copy')[0]!.message as unknown as { register: { version: number } };
    expect(copy.register.version).toBe(4);
    const behind = at(1, disk(3)).hears(2, { ...copy, type: 'publish/copy' });
    expect(behind.saved().at(-1)).toMatchObject({ register: { version: 4 }, committed: { version: 0 } });
    expect(behind.sent()).toEqual([]);
  });

  it('are refused to an older register', () => {
    const solo = at(3, disk(4, null, 7)).hears(1, {
      type: 'vote',
      term: 5,
      age: { term: 4, version: 6 },
      release,
    });
    expect(solo.sent()).toEqual([]);
    expect(solo.saved().at(-1)).toMatchObject({ term: 5, votedFor: null });
  });

  it('count once each, only from members, only of this term', () => {
    const solo = candidate();
    solo.hears(2, granted(1)).hears(2, granted(1)).hears(9, granted(1)).hears(4, granted(0));
    expect(solo.state.role).toBe('candidate');
    expect(solo.hears(3, granted(1)).reported()).toMatchObject({ role: 'leader', term: 1 });
  });

  it('of an earlier life of a voter that lost its disk do not count', () => {
    const solo = candidate().hears(2, granted(1));
    solo.hears(3, { ...granted(1), lives: { 2: 7 } });
    expect(solo.state.role).toBe('candidate');
    expect(solo.hears(4, granted(1)).reported()).toMatchObject({ role: 'leader' });
  });

  it('a newer term ends a candidacy', () => {
    const solo = candidate().hears(2, { type: 'term', term: 5 });
    expect(solo.reported()).toMatchObject({ role: 'follower', term: 5 });
  });

  it('whoever gives one no longer asks for itself', () => {
    // Found by the explorer: the pre-votes that it had asked for earlier came in after it had promised itself to
    // another, and it broke its promise to become a candidate. Two could act.
    const solo = at(2, disk(1)).timer('election').hears(1, { type: 'vote', term: 1, age, release });
    expect(solo.sent('vote/answer')).toHaveLength(1);
    for (const from of [3, 4])
      solo.hears(from, { type: 'pre-vote/answer', term: 1, granted: true, leader: null });
    expect(solo.state).toMatchObject({ role: 'follower', term: 1, votedFor: 1 });
  });
});

describe('the lease', () => {
  it('is shorter than the promise by the drift bound, and measured from the sending', () => {
    const solo = candidate(disk(0), { options: { maxDrift: 0.1 }, timing: { leaseMs: 110 } });
    expect(solo.timersSet()).toMatchObject({ 'lease/1': (110 * 0.9) / 1.1 });
    const order = solo.effects.map((effect) => effect.type);
    expect(order.indexOf('set-timer')).toBeLessThan(order.indexOf('send'));
  });

  it('of the vote lets a winner act at once; if it has run out, it waits for a heartbeat', () => {
    expect(candidate().hears(2, granted(1)).hears(3, granted(1)).state.leaseRound).toBe(1);
    const slow = candidate().timer('lease/1').hears(2, granted(1)).hears(3, granted(1));
    expect(slow.state).toMatchObject({ role: 'leader', leaseRound: null });
    expect(lease(slow)).toBe('lease/none');
  });

  it('moves to the newest round that a majority answered', () => {
    const solo = leader().timer('heartbeat');
    expect(solo.sent('heartbeat')[0]!.message).toMatchObject({ round: 3 });
    expect(lease(solo.hears(2, answer(1, 3)))).toBeUndefined();
    expect(lease(solo.hears(3, answer(1, 2)))).toBe('lease/2');
    expect(lease(solo.hears(4, answer(1, 3)))).toBe('lease/3');
  });

  it('a repeated answer is one answer', () => {
    const solo = leader();
    expect(lease(solo.hears(2, answer(1, 2)).hears(2, answer(1, 2)))).toBeUndefined();
  });

  it('that ends stops the acting but not the asking; a majority renews it', () => {
    const solo = leader().timer('lease/1');
    expect(solo.reported()).toMatchObject({ role: 'leader' });
    expect(lease(solo)).toBe('lease/none');
    expect(lease(solo.hears(2, answer(1, 2)).hears(3, answer(1, 2)))).toBe('lease/2');
  });

  it('cannot be renewed by answers to a round whose own lease has run out', () => {
    const solo = leader().timer('lease/1').timer('lease/2');
    expect(lease(solo.hears(2, answer(1, 2)).hears(3, answer(1, 2)))).toBeUndefined();
  });

  it('a late or repeated heartbeat renews no promise', () => {
    const solo = at(2).hears(5, { type: 'heartbeat', term: 1, round: 4, age, committed: 0 });
    expect(solo.timersSet()).toMatchObject({ promise: 125 });
    expect(solo.hears(5, { type: 'heartbeat', term: 1, round: 4, age, committed: 0 }).timersSet()).toEqual(
      {},
    );
    expect(solo.hears(5, { type: 'heartbeat', term: 1, round: 3, age, committed: 0 }).timersSet()).toEqual(
      {},
    );
  });

  it('a late or repeated request for a vote puts no older promise in the place of a newer one', () => {
    const vote = { type: 'vote', term: 1, age, release };
    const solo = at(2).hears(5, vote).hears(5, { type: 'heartbeat', term: 1, round: 3, age, committed: 0 });
    expect(solo.hears(5, vote).effects).toEqual([]);
    // Consent that ends with round 2 does not release what was promised in round 3.
    expect(solo.hears(4, { ...vote, term: 2, release: { term: 1, round: 2 } }).sent()).toEqual([]);
  });
});

describe('check-quorum', () => {
  it('no majority for a time-out, and the leader steps down', () => {
    const solo = leader();
    expect(solo.timer('quorum').reported()).toMatchObject({ role: 'follower', leader: null });
  });

  it('an older leader is answered with the newer term and steps down', () => {
    const follower = at(2, disk(7)).hears(1, { type: 'heartbeat', term: 5, round: 1, age, committed: 0 });
    expect(follower.sent()).toEqual([{ to: 1, message: { type: 'term', term: 7 } }]);
    const deposed = leader().hears(2, { type: 'term', term: 7 });
    expect(deposed.reported()).toMatchObject({ role: 'follower', term: 7 });
  });
});

describe('a term out of all proportion', () => {
  it.each([
    { type: 'term', term: 2 ** 53 - 1 },
    { type: 'pre-vote', term: 2 ** 53 - 1, age },
    { type: 'vote', term: 2 ** 53 - 1, age, release },
    { type: 'heartbeat', term: 2 ** 53 - 1, round: 1, age, committed: 0 },
    { type: 'publish/send', term: 2 ** 53 - 1, register: { ...age, members: five, value: null } },
  ])('is not believed: $type', (message) => {
    expect(at(2, disk(3)).hears(5, message).effects).toEqual([]);
  });

  it('is a large one all the same to whoever was away for long', () => {
    const term = 2 ** 32;
    const solo = at(2, disk(3)).hears(5, { type: 'heartbeat', term, round: 1, age, committed: 0 });
    expect(solo.reported()).toMatchObject({ leader: 5, term });
  });
});

describe('slots', () => {
  it('the members time out one after the other, in another order each term, the silent leader left out', () => {
    const first = (term: number) =>
      [1, 2, 3, 4].map((id) => {
        const solo = at(id).hears(5, { type: 'heartbeat', term, round: 1, age, committed: 0 });
        return (solo.timersSet().election as number[])[0]!;
      });
    expect(first(4)).toEqual([150, 180, 210, 240]);
    expect(first(5)).toEqual([180, 210, 240, 150]);
  });
});

describe('transfer and resignation', () => {
  const ready = () => leader().hears(4, answer(1, 2)).hears(2, answer(1, 2)).hears(3, answer(1, 2));

  it('stops acting before it asks, and hands the target its consent', () => {
    const solo = ready().command({ type: 'transfer', to: 4 });
    expect(lease(solo)).toBe('lease/none');
    const kinds = solo.effects.map((effect) => effect.type);
    expect(kinds.indexOf('report')).toBeLessThan(kinds.indexOf('send'));
    expect(solo.sent()).toEqual([{ to: 4, message: { type: 'transfer', term: 1, round: 2 } }]);
    expect(solo.timersSet()).toEqual({ transfer: 150 });
  });

  it('the target asks for votes at once, and the consent releases promises up to that round only', () => {
    const target = at(4).hears(1, { type: 'heartbeat', term: 1, round: 2, age, committed: 0 });
    const consent = { term: 1, round: 2 };
    expect(target.hears(1, { type: 'transfer', ...consent }).sent('vote')[0]!.message).toMatchObject({
      term: 2,
      release: consent,
    });
    const voter = (round: number) => at(3).hears(1, { type: 'heartbeat', term: 1, round, age, committed: 0 });
    const ask = { type: 'vote', term: 2, age, release: consent };
    expect(voter(2).hears(4, ask).sent('vote/answer')).toHaveLength(1);
    expect(voter(3).hears(4, ask).sent()).toEqual([]);
  });

  it('that does not complete in time is aborted, and the old leader goes on', () => {
    const solo = ready().command({ type: 'transfer', to: 4 }).timer('transfer');
    expect(outcome(solo)).toMatchObject({ status: 'failed', effect: 'indefinite' });
    expect(solo.sent('heartbeat')[0]!.message).toMatchObject({ term: 1, round: 3 });
    expect(lease(solo.hears(2, answer(1, 3)).hears(3, answer(1, 3)))).toBe('lease/3');
  });

  it('is answered once somebody leads', () => {
    const solo = ready().command({ type: 'transfer', to: 4 });
    solo.hears(4, { type: 'vote', term: 2, age, release: { term: 1, round: 2 } });
    expect(solo.sent()[0]!.message).toMatchObject({ type: 'vote/answer', term: 2 });
    solo.hears(4, { type: 'heartbeat', term: 2, round: 2, age, committed: 0 });
    expect(outcome(solo)).toEqual({ status: 'done' });
  });

  it('to itself, to a stranger, to one who is silent or never leads does nothing but say so', () => {
    const solo = ready().hears(5, answer(1, 2, { priority: 0 }));
    const refusal = (to: number) => outcome(solo.command({ type: 'transfer', to }));
    expect(refusal(1)).toEqual({ status: 'refused', reason: '1 is the leader already' });
    expect(refusal(9)).toEqual({ status: 'refused', reason: '9 is not a member' });
    expect(refusal(5)).toEqual({ status: 'refused', reason: '5 has priority 0 and never leads' });
    for (let i = 0; i < 3; i++) solo.timer('heartbeat');
    expect(refusal(4)).toEqual({ status: 'refused', reason: '4 does not answer' });
    expect(solo.state.role).toBe('leader');
  });

  it('resign hands over to the best follower and holds back itself', () => {
    const solo = leader()
      .hears(2, answer(1, 2))
      .hears(3, answer(1, 2, { priority: 5 }))
      .command({ type: 'resign' });
    expect(solo.sent()).toEqual([{ to: 3, message: { type: 'transfer', term: 1, round: 2 } }]);
    expect(solo.reported()).toMatchObject({ role: 'follower', leader: null });
    expect((solo.timersSet().election as number[])[0]).toBeGreaterThanOrEqual(600);
    expect(outcome(solo)).toEqual({ status: 'done' });
  });

  it('resign with nobody fit sets everybody free', () => {
    const solo = leader();
    for (let i = 0; i < 5; i++) solo.timer('heartbeat');
    expect(
      solo
        .command({ type: 'resign' })
        .sent()
        .map(({ message }) => message.type),
    ).toEqual(Array(4).fill('resign'));
    const voter = at(3).hears(1, { type: 'heartbeat', term: 1, round: 2, age, committed: 0 });
    voter.hears(1, { type: 'resign', term: 1, round: 2 });
    expect(voter.hears(2, { type: 'pre-vote', term: 2, age }).sent()[0]!.message).toMatchObject({
      granted: true,
    });
  });

  it('a member of higher priority that answered long enough is handed the leadership', () => {
    const solo = leader(disk(0), { options: { preferAfter: 3 } });
    for (let round = 2; round <= 4; round++) {
      for (const from of [2, 3]) solo.hears(from, answer(1, round));
      solo.hears(4, answer(1, round, { priority: 2 }));
      expect(solo.sent('transfer')).toEqual([]);
      solo.timer('heartbeat');
    }
    solo.hears(2, answer(1, 5)).hears(3, answer(1, 5));
    expect(
      solo
        .hears(4, answer(1, 5, { priority: 2 }))
        .sent('transfer')
        .map(({ to }) => to),
    ).toEqual([4]);
  });
});

describe('evidence', () => {
  const follower = (id: number) =>
    at(id).hears(5, { type: 'heartbeat', term: 4, round: 1, age, committed: 0 });

  it('that the leader is gone starts the pre-vote at once, in the first slot', () => {
    expect(follower(1).take({ type: 'peer-gone', peer: 5, proof: false, life: null }).sent('pre-vote')).toHaveLength(4);
    const second = follower(2).take({ type: 'peer-gone', peer: 5, proof: false, life: null });
    expect(second.sent()).toEqual([]);
    expect(second.timersSet()).toEqual({ election: [30, 45] });
  });

  it('releases the promise only with proof', () => {
    const ask = { type: 'pre-vote', term: 5, age };
    const told = (proof: boolean) =>
      follower(2).take({ type: 'peer-gone', peer: 5, proof, life: null }).hears(1, ask).sent('pre-vote/answer');
    expect(told(false)).toEqual([]);
    expect(told(true)).toMatchObject([{ to: 1, message: { granted: true } }]);
  });

  it('about somebody else, or about the leader when leading, changes nothing', () => {
    expect(follower(1).take({ type: 'peer-gone', peer: 3, proof: true, life: null }).effects).toEqual([]);
    expect(leader().take({ type: 'peer-gone', peer: 1, proof: true, life: null }).effects).toEqual([]);
  });
});

describe('the register', () => {
  const published = () => leader().command({ type: 'publish', value: 'here' });

  it('is sent to all, saved first, and committed with a majority', () => {
    const solo = published();
    const register = { term: 1, version: 1, members: five, value: 'here' };
    expect(solo.saved().at(-1)).toMatchObject({ register });
    expect(solo.sent('publish/send').map(({ to }) => to)).toEqual([2, 3, 4, 5]);
    const accepted = { type: 'publish/answer', term: 1, age: { term: 1, version: 1 } };
    expect(solo.hears(2, accepted).hears(2, accepted).sent('publish/commit')).toEqual([]);
    solo.hears(3, accepted);
    expect(solo.sent('publish/commit')).toHaveLength(4);
    expect(solo.reported()).toMatchObject({ version: 1, value: 'here' });
    expect(outcome(solo)).toEqual({ status: 'done' });
  });

  it('is held by members, saved before they answer, and shown once committed', () => {
    const register = { term: 1, version: 1, members: five, value: 'here' };
    const solo = at(2).hears(1, { type: 'publish/send', term: 1, register });
    const kinds = solo.effects.map((effect) => effect.type);
    expect(kinds.lastIndexOf('save')).toBeLessThan(kinds.indexOf('send'));
    expect(solo.reported()).toMatchObject({ version: 0, value: null });
    solo.hears(1, { type: 'publish/commit', term: 1, age: { term: 1, version: 1 } });
    expect(solo.reported()).toMatchObject({ version: 1, value: 'here' });
  });

  it('a heartbeat commits it too, where the commit was lost', () => {
    const register = { term: 1, version: 1, members: five, value: 'here' };
    const solo = at(2).hears(1, { type: 'publish/send', term: 1, register });
    solo.hears(1, { type: 'heartbeat', term: 1, round: 5, age: { term: 1, version: 1 }, committed: 1 });
    expect(solo.reported()).toMatchObject({ version: 1, value: 'here' });
  });

  it('an older register, or an older term, changes nothing', () => {
    const register = { term: 3, version: 9, members: five, value: 'old' };
    const solo = at(2, disk(7, null, 4)).hears(1, { type: 'publish/send', term: 5, register });
    expect(solo.sent()[0]!.message).toEqual({ type: 'term', term: 7 });
    expect(solo.saved()).toEqual([]);
  });

  it('a new leader completes what it found, under its own term', () => {
    const found = { term: 1, version: 3, members: five, value: 'found' };
    const empty = { term: 0, version: 0, members: five, value: null };
    const solo = leader({ term: 1, votedFor: null, register: found, committed: empty, life: 0, lives: {} });
    expect(solo.sent('publish/send')[0]!.message).toMatchObject({ term: 2, register: { ...found, term: 2 } });
    const accepted = { type: 'publish/answer', term: 2, age: { term: 2, version: 3 } };
    expect(solo.hears(2, accepted).hears(3, accepted).reported()).toMatchObject({
      version: 3,
      value: 'found',
    });
  });

  it('what an earlier leader began and one member kept is superseded, or that member would help nobody', () => {
    const solo = leader(disk(3, null, 4));
    solo.hears(5, answer(4, 2, { age: { term: 3, version: 5 } }));
    expect(solo.sent('publish/send').map(({ to }) => to)).toEqual([2, 3, 4, 5]);
    expect(solo.sent('publish/send')[0]!.message).toMatchObject({
      register: { term: 4, version: 4, value: 4 },
    });
    const register = { term: 4, version: 4, members: five, value: 4 };
    const holder = at(5, disk(3, null, 5)).hears(1, { type: 'publish/send', term: 4, register });
    expect(holder.sent('publish/answer')[0]!.message).toMatchObject({ age: { term: 4, version: 4 } });
  });

  it('fails indefinitely without a majority in time, or with the leadership', () => {
    expect(outcome(published().timer('commit'))).toMatchObject({ status: 'failed', effect: 'indefinite' });
    expect(outcome(published().hears(2, { type: 'term', term: 9 }))).toMatchObject({
      status: 'failed',
      effect: 'indefinite',
    });
  });

  it('refuses at once, and so definitely, what it cannot do', () => {
    const refusal = (solo: Solo, value: Json = 1) => outcome(solo.command({ type: 'publish', value }));
    expect(refusal(at(2))).toEqual({ status: 'refused', reason: 'there is no leader' });
    expect(refusal(at(2).hears(1, { type: 'heartbeat', term: 1, round: 1, age, committed: 0 }))).toEqual({
      status: 'refused',
      reason: '1 is the leader',
    });
    expect(refusal(published())).toEqual({ status: 'refused', reason: 'another publication is under way' });
    expect(refusal(leader(), 'x'.repeat(70_000))).toEqual({
      status: 'refused',
      reason: 'a value has at most 65536 characters',
    });
    expect(refusal(leader().timer('lease/1').timer('lease/2'))).toEqual({
      status: 'refused',
      reason: 'a majority does not answer',
    });
  });

  it('is sent again to whoever lacks it', () => {
    const solo = published().timer('publish');
    expect(solo.sent('publish/send').map(({ to }) => to)).toEqual([2, 3, 4, 5]);
    const current = { type: 'publish/answer', term: 1, age: { term: 1, version: 1 } };
    for (const from of [2, 3, 4]) solo.hears(from, current);
    expect(
      solo
        .timer('publish')
        .sent()
        .map(({ to }) => to),
    ).toEqual([5]);
  });
});

describe('membership', () => {
  const accepted = (version: number) => ({ type: 'publish/answer', term: 1, age: { term: 1, version } });

  it('changes only after this term has committed something', () => {
    const solo = leader().command({ type: 'add', member: 6 });
    expect(solo.sent('publish/send')[0]!.message).toMatchObject({ register: { version: 1, members: five } });
    solo.hears(2, accepted(1)).hears(3, accepted(1));
    const change = solo
      .sent('publish/send')
      .filter(({ message }) => (message as { register?: { version: number } }).register?.version === 2);
    expect(change.map(({ to }) => to)).toEqual([2, 3, 4, 5, 6]);
    for (const from of [2, 3]) solo.hears(from, accepted(2));
    expect(outcome(solo)).toBeUndefined();
    expect(outcome(solo.hears(6, accepted(2)))).toEqual({ status: 'done' });
  });

  it('a leader that is removed tells the others first and then hands over', () => {
    const solo = leader().command({ type: 'remove', member: 1 });
    for (const version of [1, 2]) for (const from of [2, 3]) solo.hears(from, accepted(version));
    expect(solo.state.role).toBe('leader');
    solo.hears(4, { ...answer(1, 2), age: { term: 1, version: 2 } });
    expect(solo.reported()).toMatchObject({ role: 'none' });
    expect(solo.sent('transfer')).toHaveLength(1);
  });

  it('a removed member asks nobody for votes', () => {
    const register = { term: 1, version: 1, members: [1, 3, 4, 5], value: null };
    const solo = at(2).hears(1, { type: 'publish/send', term: 1, register });
    expect(solo.reported()).toMatchObject({ role: 'none' });
    expect(solo.timer('election').sent()).toEqual([]);
  });
});

describe('an empty disk', () => {
  const blank = () => new Solo(quorum, 3, five);
  const recalled = (term: number, version = 0) => ({
    type: 'recall/answer',
    life: 1,
    term,
    register: { term: version, version, members: five, value: version },
    committed: version,
  });

  it('votes, answers and leads in nothing before it has recalled', () => {
    const solo = blank();
    expect(solo.reported()).toMatchObject({ role: 'none' });
    expect(solo.sent('recall').map(({ to }) => to)).toEqual([1, 2, 4, 5]);
    expect(solo.hears(1, { type: 'vote', term: 1, age, release }).effects).toEqual([]);
    expect(solo.hears(1, { type: 'heartbeat', term: 1, round: 1, age, committed: 0 }).effects).toEqual([]);
    expect(solo.timer('recall').sent('recall')).toHaveLength(4);
    expect(solo.hears(1, answer(9, 1)).effects, 'an answer to its earlier life').toEqual([]);
  });

  it('needs as many others as make a majority, and takes the newest of all it hears', () => {
    const solo = blank().hears(1, recalled(4, 2)).hears(2, recalled(6, 1));
    expect(solo.saved()).toEqual([]);
    solo.hears(4, recalled(5, 3));
    expect(solo.saved().at(-1)).toMatchObject({ term: 6, votedFor: 3, register: { version: 3 }, life: 1 });
    expect(solo.reported()).toMatchObject({ role: 'follower', term: 6, version: 3 });
  });

  it('does not vote in a term in which it may have voted', () => {
    const solo = blank().timer('promise');
    for (const from of [1, 2, 4]) solo.hears(from, recalled(6));
    const votes = (term: number) =>
      solo
        .hears(1, { type: 'vote', term, age, release })
        .sent('vote/answer')
        .map(({ message }) => message);
    expect(votes(6)).toEqual([]);
    expect(votes(7)).toMatchObject([{ term: 7, life: 1 }]);
  });

  it('is remembered, durably, by those who answered it', () => {
    const solo = at(1, disk(4)).hears(3, { type: 'recall', life: 9 });
    const kinds = solo.effects.map((effect) => effect.type);
    expect(kinds).toEqual(['save', 'send']);
    expect(solo.saved()[0]).toMatchObject({ lives: { 3: 9 } });
    const vote = solo.hears(2, { type: 'vote', term: 5, age, release }).sent()[0]!.message;
    expect(vote).toMatchObject({ type: 'vote/answer', lives: { 3: 9 } });
  });

  it('of one who joins does not make it a member: what others have counts', () => {
    const solo = new Solo(quorum, 9, [1, 2, 3, 4, 5, 9]);
    for (const from of [1, 2, 4]) solo.hears(from, recalled(0));
    expect(solo.reported()).toMatchObject({ role: 'none', members: five });
  });

  it('asks also those whom only the others know', () => {
    const register = { term: 4, version: 4, members: [1, 8, 9], value: null };
    const solo = blank().hears(1, { ...recalled(4), register });
    expect(
      solo
        .timer('recall')
        .sent('recall')
        .map(({ to }) => to),
    ).toEqual([2, 4, 5, 8, 9]);
  });

  it('of an only member needs nobody', () => {
    expect(new Solo(quorum, 1, [1]).reported()).toMatchObject({ role: 'follower' });
    expect(new Solo(quorum, 1, [1]).timer('promise').timer('election').reported()).toMatchObject({
      role: 'leader',
      term: 1,
    });
  });
});
