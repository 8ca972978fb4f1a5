import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/core/index.ts';
import { successorsOf } from '../../src/protocols/quorum/handover.ts';
import type { State } from '../../src/protocols/quorum/state.ts';
import {
  accepted,
  answer,
  at,
  candidate,
  five,
  heartbeat,
  holding,
  leader,
  lease,
  ME,
  NEVER,
  outcome,
  preVote,
  register,
  saved,
  Voter,
  vote,
} from '../support/quorum.ts';

const age = NEVER;
const release = null;
const ask = (term: number, more: object = {}) => ({ type: 'vote', term, age, release, ...more });

describe('pre-vote', () => {
  it('asks without moving the term', () => {
    const solo = at(1).timer('election');
    expect(solo.sent('pre-vote').map(({ to }) => to)).toEqual([2, 3, 4, 5]);
    expect(solo.sent('pre-vote')[0]!.message).toMatchObject({ term: 0, age });
    expect(solo.saved()).toEqual([]);
    expect(solo.reported()).toMatchObject({ role: 'candidate', term: 0 });
  });

  it('is granted in a term and to a register that are not older, and changes nothing', () => {
    const solo = at(2, holding(2, 3, 4));
    for (const term of [3, 7]) {
      solo.hears(1, { type: 'pre-vote', term, age: { term: 3, version: 4 } });
      expect(solo.sent()).toMatchObject([
        { to: 1, message: { type: 'pre-vote/answer', to: 'life 1', term, granted: true, leader: null } },
      ]);
      expect(solo.saved()).toEqual([]);
    }
  });

  it('is refused to an older register, to an older term, and while a leader is heard', () => {
    const solo = at(2, holding(2, 3, 4));
    const asked = (term: number, older: object) =>
      solo.hears(1, { type: 'pre-vote', term, age: { term: 3, version: 4, ...older } }).sent()[0]?.message;
    expect(asked(3, { version: 3 })).toMatchObject({ type: 'publish/copy' });
    expect(asked(3, { term: 2 })).toMatchObject({ type: 'publish/copy' });
    expect(asked(2, { term: 2 })).toMatchObject({ type: 'term', term: 3 });
    solo.hears(5, heartbeat(3, 1));
    expect(asked(3, {})).toMatchObject({ granted: false, leader: 5 });
  });

  it('that was refused only for a promise is granted when the promise ends, to the process that asked', () => {
    const solo = at(2).hears(5, heartbeat(1, 1));
    solo.hears(1, { type: 'pre-vote', term: 1, age });
    expect(solo.timer('promise').sent()).toMatchObject([
      { to: 1, message: { type: 'pre-vote/answer', to: 'life 1', term: 1, granted: true } },
    ]);
  });

  it('is not granted by a leader whose lease has run out before it steps down', () => {
    const solo = leader().timer('lease/1');
    const asked = () => solo.hears(4, { type: 'pre-vote', term: 1, age }).sent()[0]!.message;
    expect(asked()).toMatchObject({ granted: false, leader: 1 });
    solo.timer('quorum');
    expect(asked()).toMatchObject({ granted: true });
  });

  it('tells a member that cannot hear the leader which one it is', () => {
    const solo = at(1, saved(1, 3)).timer('election');
    solo.hears(2, { type: 'pre-vote/answer', term: 3, granted: false, leader: 5 });
    expect(solo.reported()).toMatchObject({ role: 'follower', leader: 5, term: 3 });
  });

  it('is not even asked for by a member of priority 0', () => {
    const solo = at(1, saved(1, 0), { settings: { priority: 0 } }).timer('election');
    expect(solo.sent()).toEqual([]);
    expect(outcome(solo.command({ type: 'campaign' }))).toEqual({
      status: 'refused',
      reason: 'this member may not lead',
    });
  });

  it('apart, a member of priority 0 no longer shows a leader that is silent, or said to be gone', () => {
    const observer = () => at(1, saved(1, 0), { settings: { priority: 0 } }).hears(5, heartbeat(4, 1));
    expect(observer().reported()).toMatchObject({ role: 'follower', leader: 5 });
    expect(observer().timer('election').reported()).toMatchObject({ role: 'follower', leader: null });
    const gone = { type: 'peer-gone', peer: 5, proof: true, life: 'life 5' } as const;
    expect(observer().take(gone).reported()).toMatchObject({ role: 'follower', leader: null });
  });
});

describe('votes', () => {
  it('are asked for in the next term once a majority would give them; the own term stays until they are won', () => {
    const solo = candidate();
    expect(solo.sent('vote').map(({ message }) => message)).toMatchObject(Array(4).fill({ term: 1 }));
    expect(solo.saved()).toEqual([]);
    expect(solo.state).toMatchObject({ role: 'candidate', term: 0, votedFor: null });
  });

  it('are won with a majority; the own vote and term are saved before anything is said in that term', () => {
    const solo = leader();
    const kinds = solo.effects.map((effect) => effect.type);
    expect(kinds.indexOf('save')).toBeLessThan(kinds.indexOf('report'));
    expect(kinds.indexOf('save')).toBeLessThan(kinds.indexOf('send'));
    expect(solo.saved()[0]).toMatchObject({ term: 1, votedFor: { id: 1, life: ME } });
  });

  it('whose requests are all lost leave no trace: a candidate that gives up keeps its term and deposes no leader with it', () => {
    const solo = candidate().timer('election');
    for (const from of [2, 3]) solo.hears(from, preVote(0));
    // Each request is for a term of its own, so that no vote for the first counts with the lease of the second.
    expect(solo.sent('vote')[0]!.message).toMatchObject({ term: 2 });
    expect(solo.hears(5, heartbeat(1, 4)).reported()).toMatchObject({ role: 'follower', leader: 5, term: 1 });
  });

  it('one a term, first come first served, saved before it is sent, also after a restart', () => {
    const voter = at(3).hears(1, ask(1));
    const kinds = voter.effects.map((effect) => effect.type);
    expect(kinds.lastIndexOf('save')).toBeLessThan(kinds.indexOf('send'));
    expect(voter.saved().at(-1)).toMatchObject({ term: 1, votedFor: { id: 1, life: 'life 1' } });
    expect(voter.timer('promise').hears(2, ask(1)).sent()).toEqual([]);
    const voted = saved(3, 1, { votedFor: { id: 1, life: 'life 1' } });
    expect(at(3, voted).hears(2, ask(1)).sent()).toEqual([]);
    expect(at(3, voted).hears(1, ask(1)).sent()).toMatchObject([
      { to: 1, message: { type: 'vote/answer', to: 'life 1', term: 1 } },
    ]);
  });

  it('are refused by a candidate in its own term', () => {
    const solo = candidate().hears(2, ask(1));
    expect(solo.sent()).toEqual([]);
    expect(solo.state.role).toBe('candidate');
  });

  it('are refused within a promise, and then the newer term is not even adopted', () => {
    const solo = at(3).hears(5, heartbeat(1, 1)).hears(1, ask(9));
    expect(solo.sent()).toEqual([]);
    expect(solo.state.term).toBe(1);
  });

  it('are given to no member after a restart until what may have been promised before has run out', () => {
    const solo = new Voter(3, five, { saved: saved(3, 4) });
    expect(solo.timersSet()).toMatchObject({ promise: 125 });
    expect(solo.hears(1, ask(5)).sent()).toEqual([]);
    expect(solo.timer('promise').hears(1, ask(5)).sent('vote/answer')).toHaveLength(1);
  });

  it('are refused to an older register', () => {
    const solo = at(3, holding(3, 4, 7)).hears(1, ask(5, { age: { term: 4, version: 6 } }));
    expect(solo.sent()).toEqual([]);
    expect(solo.saved().at(-1)).toMatchObject({ term: 5, votedFor: null });
  });

  it('count once each, only from members, only of this term', () => {
    const solo = candidate();
    solo.hears(2, vote(1)).hears(2, vote(1)).hears(9, vote(1)).hears(4, vote(0));
    expect(solo.state.role).toBe('candidate');
    expect(solo.hears(3, vote(1)).reported()).toMatchObject({ role: 'leader', term: 1 });
  });

  it('a newer term ends a candidacy', () => {
    const solo = candidate().hears(2, { type: 'term', term: 5 });
    expect(solo.reported()).toMatchObject({ role: 'follower', term: 5 });
  });

  it('a member that gives one no longer asks for itself', () => {
    // Found by the explorer: the pre-votes that it had asked for earlier came in after it had promised itself to
    // another, and it broke its promise to become a candidate. Two could act.
    const solo = at(2, saved(2, 1)).timer('election').hears(1, ask(2));
    expect(solo.sent('vote/answer')).toHaveLength(1);
    for (const from of [3, 4]) solo.hears(from, preVote(2));
    expect(solo.state).toMatchObject({ role: 'follower', term: 2, votedFor: { id: 1 } });
  });
});

describe('the lease', () => {
  it('is shorter than the promise by the drift bound, and measured from the sending', () => {
    const solo = candidate(saved(1, 0), { options: { maxDrift: 0.1 }, timing: { leaseMs: 110 } });
    expect(solo.timersSet()).toMatchObject({ 'lease/1': (110 * 0.9) / 1.1 });
    const order = solo.effects.map((effect) => effect.type);
    expect(order.indexOf('set-timer')).toBeLessThan(order.indexOf('send'));
  });

  it('of the vote lets a winner act at once; if it has run out, it waits for a heartbeat', () => {
    expect(candidate().hears(2, vote(1)).hears(3, vote(1)).state.leaseRound).toBe(1);
    const slow = candidate().timer('lease/1').hears(2, vote(1)).hears(3, vote(1));
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
    const solo = at(2).hears(5, heartbeat(1, 4));
    expect(solo.timersSet()).toMatchObject({ promise: 125 });
    expect(solo.hears(5, heartbeat(1, 4)).timersSet()).toEqual({});
    expect(solo.hears(5, heartbeat(1, 3)).timersSet()).toEqual({});
  });

  it('a late or repeated request for a vote puts no older promise in the place of a newer one', () => {
    const solo = at(2).hears(5, ask(1)).hears(5, heartbeat(1, 3));
    expect(solo.hears(5, ask(1)).effects).toEqual([]);
    // Consent that ends with round 2 does not release what was promised in round 3.
    expect(solo.hears(4, ask(2, { release: { term: 1, round: 2 } })).sent()).toEqual([]);
  });
});

describe('check-quorum', () => {
  it('no majority for a timeout, and the leader steps down', () => {
    expect(leader().timer('quorum').reported()).toMatchObject({ role: 'follower', leader: null });
  });

  it('an older leader is answered with the newer term and steps down', () => {
    const follower = at(2, saved(2, 7)).hears(1, heartbeat(5, 1));
    expect(follower.sent()).toMatchObject([{ to: 1, message: { type: 'term', term: 7 } }]);
    const deposed = leader().hears(2, { type: 'term', term: 7 });
    expect(deposed.reported()).toMatchObject({ role: 'follower', term: 7 });
  });
});

describe('a term out of all proportion', () => {
  it.each([
    { type: 'term', term: 2 ** 53 - 1 },
    { type: 'pre-vote', term: 2 ** 53 - 1, age },
    ask(2 ** 53 - 1),
    heartbeat(2 ** 53 - 1, 1),
    { type: 'publish/send', term: 2 ** 53 - 1, register: register(0, 0) },
    { type: 'publish/send', term: 4, register: register(2 ** 53 - 1, 1) },
    { type: 'publish/copy', register: register(2 ** 53 - 1, 1) },
  ])('is not believed: $type', (message) => {
    expect(at(2, saved(2, 3)).hears(5, message).effects).toEqual([]);
  });

  it('is a large one all the same to a member that was away for long', () => {
    const term = 2 ** 32;
    expect(at(2, saved(2, 3)).hears(5, heartbeat(term, 1)).reported()).toMatchObject({ leader: 5, term });
  });
});

describe('slots', () => {
  it('the members time out one after the other, in another order each term, the silent leader left out', () => {
    const first = (term: number) =>
      [1, 2, 3, 4].map((id) => {
        const solo = at(id).hears(5, heartbeat(term, 1));
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
    expect(solo.sent()).toMatchObject([{ to: 4, message: { type: 'transfer', term: 1, round: 2 } }]);
    expect(solo.timersSet()).toEqual({ transfer: 150 });
  });

  it('the target asks for votes at once, and the consent releases promises up to that round only', () => {
    const target = at(4).hears(1, heartbeat(1, 2));
    const consent = { term: 1, round: 2 };
    expect(target.hears(1, { type: 'transfer', ...consent }).sent('vote')[0]!.message).toMatchObject({
      term: 2,
      release: consent,
    });
    const voter = (round: number) => at(3).hears(1, heartbeat(1, round));
    expect(
      voter(2)
        .hears(4, ask(2, { release: consent }))
        .sent('vote/answer'),
    ).toHaveLength(1);
    expect(
      voter(3)
        .hears(4, ask(2, { release: consent }))
        .sent(),
    ).toEqual([]);
  });

  it('that does not complete in time ends the leadership: a consent on its way would free members of later promises', () => {
    const solo = ready().command({ type: 'transfer', to: 4 }).timer('transfer');
    expect(outcome(solo)).toMatchObject({ status: 'failed', effect: 'indefinite' });
    expect(solo.sent('heartbeat')).toEqual([]);
    expect(solo.state).toMatchObject({ role: 'follower', term: 1, transfer: null });
  });

  it('that comes to nothing leaves the target in the old term, and the leader takes it back', () => {
    const target = at(4).hears(1, heartbeat(1, 2)).hears(1, { type: 'transfer', term: 1, round: 2 });
    expect(target.state).toMatchObject({ role: 'candidate', term: 1 });
    expect(target.hears(1, heartbeat(1, 3)).reported()).toMatchObject({
      role: 'follower',
      leader: 1,
      term: 1,
    });
  });

  it('is answered once there is a leader', () => {
    const solo = ready().command({ type: 'transfer', to: 4 });
    solo.hears(4, ask(2, { release: { term: 1, round: 2 } }));
    expect(solo.sent()[0]!.message).toMatchObject({ type: 'vote/answer', term: 2 });
    solo.hears(4, heartbeat(2, 2));
    expect(outcome(solo)).toEqual({ status: 'done' });
  });

  it('is possible to members that answer, stand, have the register, and are not less preferred', () => {
    const of = ({ state }: { state: object }): readonly unknown[] => successorsOf(state as State);
    expect(of(ready().hears(5, answer(1, 2, { priority: 0 })))).toEqual([2, 3, 4]);
    expect(of(ready().command({ type: 'priority', priority: 2 }))).toEqual([]);
    expect(of(ready().hears(5, answer(1, 2, { priority: 7 })))).toEqual([2, 3, 4, 5]);
    expect(of(ready().command({ type: 'transfer', to: 4 }))).toEqual([]);
    expect(of(ready().timer('heartbeat').timer('heartbeat').timer('heartbeat'))).toEqual([]);
    expect(of(at(4).hears(1, heartbeat(1, 2)))).toEqual([]);
  });

  it('to itself, to one that is no member, that is silent or never leads does nothing but say so', () => {
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
    expect(solo.sent()).toMatchObject([{ to: 3, message: { type: 'transfer', term: 1, round: 2 } }]);
    expect(solo.reported()).toMatchObject({ role: 'follower', leader: null });
    expect((solo.timersSet().election as number[])[0]).toBeGreaterThanOrEqual(600);
    expect(outcome(solo)).toEqual({ status: 'done' });
  });

  it('resign without a fit follower sets all free', () => {
    const solo = leader();
    for (let i = 0; i < 5; i++) solo.timer('heartbeat');
    const sent = solo.command({ type: 'resign' }).sent();
    expect(sent.map(({ message }) => message.type)).toEqual(Array(4).fill('resign'));
    const voter = at(3).hears(1, heartbeat(1, 2)).hears(1, { type: 'resign', term: 1, round: 2 });
    expect(voter.hears(2, { type: 'pre-vote', term: 2, age }).sent()[0]!.message).toMatchObject({
      granted: true,
    });
  });
});

describe('a preferred member', () => {
  /** The fourth member has a higher priority and has answered long enough. */
  function preferring(): Voter {
    const solo = leader(saved(1, 0), { options: { preferAfter: 3 } });
    for (let round = 2; round <= 5; round++) {
      for (const from of [2, 3]) solo.hears(from, answer(1, round));
      expect(solo.sent('transfer/ask')).toEqual([]);
      solo.hears(4, answer(1, round, { priority: 2 }));
      if (round < 5) solo.timer('heartbeat');
    }
    return solo;
  }
  /** The fourth member, asked by the first. */
  const asked = () => at(4).hears(1, heartbeat(1, 5)).hears(1, { type: 'transfer/ask', term: 1 });

  it('that answered long enough is asked whether it reaches a majority, and is not handed the lead yet', () => {
    const solo = preferring();
    expect(solo.sent('transfer/ask').map(({ to }) => to)).toEqual([4]);
    expect(solo.state.transfer).toBeNull();
  });

  it('asks all others, and answers the leader once a majority has answered', () => {
    const solo = asked();
    expect(solo.sent('probe').map(({ to }) => to)).toEqual([1, 2, 3, 5]);
    expect(solo.hears(1, { type: 'probe/answer', term: 1 }).sent()).toEqual([]);
    expect(solo.hears(2, { type: 'probe/answer', term: 1 }).sent()).toMatchObject([
      { to: 1, message: { type: 'transfer/ready', to: 'life 1', term: 1 } },
    ]);
  });

  it('that reaches the leader alone is not handed the lead: it could not win, and the lead would come back', () => {
    const solo = asked().hears(1, { type: 'probe/answer', term: 1 });
    solo.hears(1, { type: 'probe/answer', term: 1 });
    expect(solo.sent()).toEqual([]);
  });

  it('counts no answer to an earlier process, of another term, or of a disk without a seat', () => {
    const solo = asked().hears(1, { type: 'probe/answer', term: 1 });
    solo.hears(2, { type: 'probe/answer', term: 1, to: 'an earlier life' });
    solo.hears(3, { type: 'probe/answer', term: 0 });
    solo.hears(5, { type: 'probe/answer', term: 1, by: { disk: 'new', start: 1, life: 'new' } });
    expect(solo.sent()).toEqual([]);
  });

  it('that is ready is handed the lead', () => {
    const solo = preferring().hears(4, { type: 'transfer/ready', term: 1 });
    expect(solo.sent('transfer').map(({ to }) => to)).toEqual([4]);
  });

  it('is not handed it by a later process, nor without a lease', () => {
    const ready = { type: 'transfer/ready', term: 1 };
    expect(
      preferring()
        .hears(4, { ...ready, to: 'an earlier life' })
        .sent('transfer'),
    ).toEqual([]);
    expect(preferring().timer('lease/5').hears(4, ready).sent('transfer')).toEqual([]);
  });

  it('is answered by all members, with the term that they are in', () => {
    for (const term of [2, 3]) {
      expect(at(2, saved(2, 3)).hears(4, { type: 'probe', term }).sent()).toMatchObject([
        { to: 4, message: { type: 'probe/answer', to: 'life 4', term: 3 } },
      ]);
    }
  });

  it('counts only the answers of its own term', () => {
    const asked = at(2, saved(2, 3)).hears(1, heartbeat(3, 1)).hears(1, { type: 'transfer/ask', term: 3 });
    for (const id of [4, 5]) asked.hears(id, { type: 'probe/answer', term: 2 });
    expect(asked.sent('transfer/ready')).toEqual([]);
  });
});

describe('evidence', () => {
  const follower = (id: number) => at(id).hears(5, heartbeat(4, 1));
  const gone = (proof: boolean, life: string | null = 'life 5') =>
    ({ type: 'peer-gone', peer: 5, proof, life }) as const;

  it('that the leader is gone starts the pre-vote at once, in the first slot', () => {
    expect(follower(1).take(gone(false)).sent('pre-vote')).toHaveLength(4);
    const second = follower(2).take(gone(false));
    expect(second.sent()).toEqual([]);
    expect(second.timersSet()).toEqual({ election: [30, 45] });
  });

  it('releases the promise only with proof, and only about the process to which it was made', () => {
    const told = (proof: boolean, life: string | null) =>
      follower(2)
        .take(gone(proof, life))
        .hears(1, { type: 'pre-vote', term: 5, age })
        .sent('pre-vote/answer');
    expect(told(false, 'life 5')).toEqual([]);
    expect(told(true, 'another process of 5')).toEqual([]);
    expect(told(true, null)).toEqual([]);
    expect(told(true, 'life 5')).toMatchObject([{ to: 1, message: { granted: true } }]);
  });

  it('about another member, or about the leader when leading, changes nothing', () => {
    expect(follower(1).take({ type: 'peer-gone', peer: 3, proof: true, life: 'life 3' }).effects).toEqual([]);
    expect(leader().take({ type: 'peer-gone', peer: 1, proof: true, life: ME }).effects).toEqual([]);
  });
});

describe('the register', () => {
  const published = () => leader().command({ type: 'publish', value: 'here' });
  const here = register(1, 1, { value: 'here' });

  it('is sent to all, saved first, and committed with a majority', () => {
    const solo = published();
    expect(solo.saved().at(-1)).toMatchObject({ register: here });
    expect(solo.sent('publish/send').map(({ to }) => to)).toEqual([2, 3, 4, 5]);
    expect(solo.hears(2, accepted(1, 1)).hears(2, accepted(1, 1)).sent('publish/commit')).toEqual([]);
    solo.hears(3, accepted(1, 1));
    expect(solo.sent('publish/commit')).toHaveLength(4);
    expect(solo.reported()).toMatchObject({ version: 1, value: 'here' });
    expect(outcome(solo)).toEqual({ status: 'done' });
  });

  it('is held by members, saved before they answer, and shown once committed', () => {
    const solo = at(2).hears(1, { type: 'publish/send', term: 1, register: here });
    const kinds = solo.effects.map((effect) => effect.type);
    expect(kinds.lastIndexOf('save')).toBeLessThan(kinds.indexOf('send'));
    expect(solo.sent('publish/answer')[0]!.message).toMatchObject({
      to: 'life 1',
      age: { term: 1, version: 1 },
    });
    expect(solo.reported()).toMatchObject({ version: 0, value: null });
    solo.hears(1, { type: 'publish/commit', term: 1, age: { term: 1, version: 1 } });
    expect(solo.reported()).toMatchObject({ version: 1, value: 'here' });
  });

  it('a heartbeat commits it too, where the commit was lost', () => {
    const solo = at(2).hears(1, { type: 'publish/send', term: 1, register: here });
    const newest = { term: 1, version: 1 };
    expect(solo.hears(1, heartbeat(1, 4, { age: newest })).saved()).toEqual([]);
    solo.hears(1, heartbeat(1, 5, { age: newest, committed: newest }));
    expect(solo.reported()).toMatchObject({ version: 1, value: 'here' });
  });

  it('an older register, or an older term, changes nothing', () => {
    const old = register(3, 9, { value: 'old' });
    const solo = at(2, holding(2, 7, 4)).hears(1, { type: 'publish/send', term: 5, register: old });
    expect(solo.sent()[0]!.message).toMatchObject({ type: 'term', term: 7 });
    expect(solo.saved()).toEqual([]);
  });

  it('a member that lacks the newest is given a copy, which binds no majority', () => {
    const solo = at(2, holding(2, 3, 4)).hears(1, {
      type: 'pre-vote',
      term: 4,
      age: { term: 3, version: 3 },
    });
    const [copy] = solo.sent('publish/copy');
    const behind = at(1, saved(1, 3)).hears(2, copy!.message as never);
    expect(behind.saved().at(-1)).toMatchObject({ register: { version: 4 }, committed: { version: 0 } });
    expect(behind.sent()).toEqual([]);
  });

  it('a copy brings its term with it: a member that holds it must not vote in an earlier one', () => {
    const copy = { type: 'publish/copy', register: register(5, 4) };
    const solo = at(3, saved(3, 3)).hears(2, copy);
    expect(solo.saved().at(-1)).toMatchObject({ term: 5, register: { term: 5, version: 4 } });
    expect(solo.hears(1, ask(4, { age: { term: 5, version: 4 } })).sent('vote/answer')).toEqual([]);
  });

  it('a new leader completes what it found, under its own term', () => {
    const found = register(1, 3, { value: 'found' });
    const solo = leader(saved(1, 1, { register: found }));
    expect(solo.sent('publish/send')[0]!.message).toMatchObject({ term: 2, register: { ...found, term: 2 } });
    expect(solo.hears(2, accepted(2, 3)).hears(3, accepted(2, 3)).reported()).toMatchObject({
      version: 3,
      value: 'found',
    });
  });

  it('a pause keeps what a new leader has found, although it may not show it yet', () => {
    const found = register(1, 3, { value: 'found' });
    const solo = leader(saved(1, 1, { register: found }));
    expect(solo.state.committed).toMatchObject({ value: null });
    solo.command({ type: 'publish', value: null, paused: true });
    expect(solo.sent('publish/send').at(-1)!.message).toMatchObject({
      register: { term: 2, version: 4, value: 'found', paused: true },
    });
  });

  it('what an earlier leader began and one member kept is superseded, or that member would help no other', () => {
    const solo = leader(holding(1, 3, 4));
    solo.hears(5, answer(4, 2, { age: { term: 3, version: 5 } }));
    expect(solo.sent('publish/send').map(({ to }) => to)).toEqual([2, 3, 4, 5]);
    expect(solo.sent('publish/send')[0]!.message).toMatchObject({
      register: { term: 4, version: 4, value: 4 },
    });
    const begun = { register: register(3, 5, { value: 5 }), committed: register(2, 4, { value: 4 }) };
    const holder = at(5, saved(5, 3, begun)).hears(1, {
      type: 'publish/send',
      term: 4,
      register: register(4, 4),
    });
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
    const refusal = (solo: Voter, value: Json = 1) => outcome(solo.command({ type: 'publish', value }));
    expect(refusal(at(2))).toEqual({ status: 'refused', reason: 'there is no leader' });
    expect(refusal(at(2).hears(1, heartbeat(1, 1)))).toEqual({
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

  it('is sent again to members that lack it', () => {
    const solo = published().timer('publish');
    expect(solo.sent('publish/send').map(({ to }) => to)).toEqual([2, 3, 4, 5]);
    for (const from of [2, 3, 4]) solo.hears(from, accepted(1, 1));
    const again = solo.timer('publish').sent();
    expect(again.map(({ to }) => to)).toEqual([5]);
  });
});
