/**
 * Rules of one member that no run can show to be broken: what they guard against is excluded by others as well, or is not
 * promised. Each is a short conversation with one member of the given `quorum`; true if it keeps the rule.
 */
import type { Definition, Input } from '../../src/core/index.ts';
import type { Age, Register } from '../../src/protocols/quorum/messages.ts';
import {
  accepted,
  answer,
  at,
  by,
  candidate,
  diskOf,
  five,
  heartbeat,
  leader,
  NEVER,
  preVote,
  register,
  saved,
  seats,
  Voter,
  vacant,
  vote,
} from '../support/quorum.ts';
import { type DeputyRuleName, deputyRules } from './deputy-rules.ts';
import { type TimingRuleName, timingRules } from './timing-rules.ts';

export type RuleName =
  | 'an answer to an earlier process renews no lease'
  | 'an answer to an earlier process commits nothing'
  | 'names give no lease'
  | 'a promise lasts as long as before the restart'
  | 'a copy brings its term'
  | 'a joiner is waited for'
  | 'a disk that answers keeps its seat'
  | 'the founders never change'
  | 'starts are counted'
  | 'a copied disk is told so'
  | 'two copies do not tell each other so without end'
  | 'a copied disk takes a new identity'
  | 'a copied disk takes a new identity where its seat is needed'
  | 'a disk with a new identity believes the present members'
  | 'a leader supports no other leader of its term'
  | 'one member cannot take an identity away'
  | 'all are told of a later start'
  | 'all are asked when one tells of a copy'
  | 'a copied disk takes a new identity when half of the members tell it so'
  | 'members that tell of a copy are counted among the present ones'
  | 'a process that a majority does not take for a copy takes a later start'
  | 'a minority that answers does not outweigh one that tells of a copy'
  | 'two processes on one disk do not outdo each other without end'
  | 'a heartbeat that consent has overtaken ends no candidacy'
  | 'a member that is bound to a leader takes registers from it alone'
  | 'founders are waited for'
  | 'the first lease waits for the first seats'
  | 'a member that is being removed does not vote'
  | 'a member that was removed can be added again'
  | 'a member that was removed is not made a majority with a liar'
  | 'a member that is bound to a leader supports no other'
  | 'a leader that has handed over does not compete'
  | 'a member that leads again leads as any other'
  | 'a transfer in vain ends no candidacy'
  | 'a leader that has handed over in vain asks another member'
  | 'consent to an earlier round ends no newer promise'
  | 'a late heartbeat replaces no newer promise'
  | 'a late request for a vote replaces no newer promise'
  | 'proof that comes after the suspicion frees the promise, and what was refused is granted'
  | 'proof after the suspicion frees no promise to another process'
  | 'a member that asks in vain asks again once there is proof'
  | 'a candidate claims no consent'
  | 'a leader would vote for no other'
  | 'a leader of an older term is told of the newer one'
  | 'no register of a term out of all proportion is believed'
  | DeputyRuleName
  | TimingRuleName;

export const rules: Readonly<Record<RuleName, (definition: Definition) => boolean>> = {
  'an answer to an earlier process renews no lease'(definition) {
    const solo = leader(undefined, { definition }).hears(2, answer(1, 2));
    solo.hears(3, { ...answer(1, 2), to: 'an earlier life' });
    return solo.state.leaseRound === 1;
  },
  'an answer to an earlier process commits nothing'(definition) {
    const solo = leader(undefined, { definition }).command({ type: 'publish', value: 'x' });
    solo.hears(2, accepted(1, 1)).hears(3, { ...accepted(1, 1), to: 'an earlier life' });
    return (solo.state.committed as Age).version === 0;
  },
  'names give no lease'(definition) {
    const solo = new Voter(1, [1, 2, 3], { definition }).timer('promise').timer('election');
    for (const id of [2, 3]) solo.hears(id, preVote(0));
    for (const id of [2, 3]) solo.hears(id, vote(1));
    return solo.state.role === 'leader' && solo.state.leaseRound === null;
  },
  'a promise lasts as long as before the restart'(definition) {
    const solo = new Voter(2, five, { saved: saved(2, 1, { promiseMs: 900 }), definition });
    return solo.timersSet().promise === 900;
  },
  'a copy brings its term'(definition) {
    const solo = at(2, saved(2, 1), { definition });
    return solo.hears(1, { type: 'publish/copy', register: register(5, 4) }).state.term === 5;
  },
  'a joiner is waited for'(definition) {
    const solo = leader(undefined, { definition });
    settle(solo);
    solo.command({ type: 'add', member: 6 });
    for (let i = 0; i < 3; i++) settle(solo);
    return membersOf(solo).length === 5;
  },
  'a disk that answers keeps its seat'(definition) {
    const solo = leader(undefined, { definition });
    for (let i = 0; i < 20; i++) settle(solo, { ...answer(1, roundOf(solo)), by: by(5, { disk: 'new' }) });
    return membersOf(solo)[4]!.disk === diskOf(5);
  },
  'the founders never change'(definition) {
    const founding = [...seats([1, 2, 3, 4]), ...vacant([5])];
    const first = register(0, 0, { founding });
    const solo = leader(saved(1, 0, { register: first, committed: first }), { definition });
    solo.command({ type: 'publish', value: 'x' });
    return JSON.stringify((solo.state.register as Register).founding) === JSON.stringify(founding);
  },
  'starts are counted'(definition) {
    const solo = new Voter(2, five, { saved: saved(2, 1, { start: 6 }), definition });
    return (solo.saved()[0] as { start: number }).start === 7;
  },
  'a copied disk is told so'(definition) {
    const solo = at(2, saved(2, 0), { definition });
    solo.hears(3, { type: 'probe', term: 0, by: by(3, { start: 4, life: 'd' }) });
    solo.hears(3, { type: 'probe', term: 0, by: by(3, { start: 4, life: 'x' }) });
    return solo.sent('copy').length === 1;
  },
  'two copies do not tell each other so without end'(definition) {
    const solo = at(1, saved(1, 0), { definition });
    solo.hears(2, { type: 'probe', term: 0, by: by(2, { start: 5, life: 'later' }) });
    solo.hears(2, { ...copied, by: by(2, { start: 4, life: 'earlier' }) });
    return solo.sent('copy').length === 0;
  },
  'a copied disk takes a new identity'(definition) {
    const solo = at(1, saved(1, 0), { definition });
    for (const id of [2, 3, 4]) solo.hears(id, copied);
    return solo.state.disk !== diskOf(1);
  },
  'a copied disk takes a new identity where its seat is needed'(definition) {
    const first = register(1, 1, { members: [...seats([1, 2]), ...vacant([3])] });
    const solo = at(1, saved(1, 1, { register: first, committed: first }), { definition });
    return solo.hears(2, copied).state.disk !== diskOf(1);
  },
  'a disk with a new identity believes the present members'(definition) {
    const first = register(1, 1, { members: seats([1, 2]), founding: seats([1, 2]) });
    const solo = at(1, saved(1, 1, { register: first, committed: first }), { definition });
    solo.hears(2, copied);
    const present = register(2, 3, { members: [...vacant([1]), ...seats([2, 3, 4])] });
    solo.hears(2, { type: 'publish/send', term: 2, register: present });
    return membersOf(solo).length === 4;
  },
  'a leader supports no other leader of its term'(definition) {
    const solo = leader(undefined, { definition });
    const { term } = solo.state as { term: number };
    solo.hears(2, heartbeat(term, 5));
    solo.hears(2, { type: 'publish/send', term, register: register(term, 1) });
    const answers = [...solo.sent('heartbeat/answer'), ...solo.sent('publish/answer')];
    return answers.length === 0 && solo.state.role === 'leader';
  },
  'one member cannot take an identity away'(definition) {
    const solo = at(1, saved(1, 0), { definition });
    return solo.hears(2, copied).hears(2, copied).state.disk === diskOf(1);
  },
  'all are told of a later start'(definition) {
    return new Voter(2, five, { saved: saved(2, 1), definition }).sent('probe').length === 4;
  },
  'all are asked when one tells of a copy'(definition) {
    return at(1, saved(1, 0), { definition }).hears(2, copied).sent('probe').length === 4;
  },
  'a copied disk takes a new identity when half of the members tell it so'(definition) {
    const four = register(0, 0, { members: seats([1, 2, 3, 4]) });
    const solo = at(1, saved(1, 0, { register: four, committed: four }), { definition });
    return solo.hears(2, copied).hears(3, copied).state.disk !== diskOf(1);
  },
  'members that tell of a copy are counted among the present ones'(definition) {
    const [three, two] = [
      [1, 2, 3],
      [1, 2],
    ].map((ids, i) => register(1, i, { members: seats(ids) }));
    const solo = at(1, saved(1, 1, { register: three!, committed: three! }), { definition });
    solo.hears(2, copied).hears(3, { type: 'publish/send', term: 1, register: two! });
    return solo.hears(2, copied).state.disk !== diskOf(1);
  },
  'a process that a majority does not take for a copy takes a later start'(definition) {
    const solo = at(1, saved(1, 0), { definition }).hears(2, { ...copied, start: 700 });
    for (const id of [3, 4]) solo.hears(id, { type: 'probe/answer', term: 9 });
    return solo.state.start === 701 && solo.sent('probe').length === 4 && solo.state.disk === diskOf(1);
  },
  'a minority that answers does not outweigh one that tells of a copy'(definition) {
    const solo = at(1, saved(1, 0), { definition }).hears(2, { ...copied, start: 700 });
    const { start } = solo.state;
    const stranger = { type: 'probe/answer', term: 0, by: by(4, { disk: 'new' }) };
    solo.hears(3, { type: 'probe/answer', term: 0 }).hears(4, stranger);
    return solo.state.start === start;
  },
  'two processes on one disk do not outdo each other without end'(definition) {
    const solo = at(1, saved(1, 0), { definition });
    for (let start = 100; start < 1000; start += 100) {
      solo.hears(2, { ...copied, start });
      for (const id of [3, 4]) solo.hears(id, { type: 'probe/answer', term: 0 });
    }
    return solo.state.start === 501;
  },
  'a heartbeat that consent has overtaken ends no candidacy'(definition) {
    const solo = at(2, saved(2, 1), { definition }).hears(1, heartbeat(1, 5));
    solo.hears(1, { type: 'transfer', term: 1, round: 6 });
    return solo.hears(1, heartbeat(1, 6)).state.role === 'candidate';
  },
  'a member that is bound to a leader takes registers from it alone'(definition) {
    const solo = at(2, saved(2, 1), { definition }).hears(1, heartbeat(1, 5));
    solo.hears(3, { type: 'publish/copy', register: register(1, 7, { value: 'planted' }) });
    return (solo.state.register as Register).version === 0;
  },
  'founders are waited for'(definition) {
    const solo = new Voter(1, five, { definition }).timer('promise').timer('election');
    for (const id of [2, 3, 4]) solo.hears(id, preVote(0));
    for (const id of [2, 3, 4]) solo.hears(id, vote(1));
    for (const id of [2, 3, 4]) solo.hears(id, answer(1, roundOf(solo), { age: { term: 1, version: 0 } }));
    return solo.state.role === 'leader' && (solo.state.register as Age).version === 0;
  },
  'a member that is being removed does not vote'(definition) {
    const without5 = register(1, 1, { members: seats([1, 2, 3, 4]) });
    const solo = candidate(saved(1, 1, { register: without5 }), { definition });
    const { seeking } = solo.state as { seeking: number };
    return solo.hears(2, vote(seeking)).hears(5, vote(seeking)).state.role === 'candidate';
  },
  'the first lease waits for the first seats'(definition) {
    const solo = new Voter(1, [1, 2, 3], { definition }).timer('promise').timer('election');
    for (const id of [2, 3]) solo.hears(id, preVote(0));
    for (const id of [2, 3]) solo.hears(id, vote(1));
    for (const id of [2, 3]) solo.hears(id, answer(1, 2));
    for (const id of [2, 3]) solo.hears(id, accepted(1, 0));
    solo.timer('heartbeat');
    for (const id of [2, 3]) solo.hears(id, answer(1, 3, { age: { term: 1, version: 0 } }));
    return (solo.state.register as Age).version === 1 && solo.state.leaseRound === null;
  },
  'a member that was removed can be added again'(definition) {
    const left = register(1, 2, { members: seats([2]) });
    const now = register(1, 5, { members: seats([1, 2, 3]) });
    const solo = at(1, saved(1, 1, { register: left, committed: left }), { definition });
    solo.hears(2, { type: 'publish/send', term: 1, register: now });
    return (solo.state.register as Register).version === 5;
  },
  'a member that was removed is not made a majority with a liar'(definition) {
    const left = register(1, 2, { members: seats([2, 3, 4, 5]) });
    const lie = register(1, 9, { members: seats([1, 2]) });
    const solo = at(1, saved(1, 1, { register: left, committed: left }), { definition });
    solo.hears(2, { type: 'publish/copy', register: lie });
    return (solo.state.register as Register).version === 2;
  },
  'a member that is bound to a leader supports no other'(definition) {
    const beat = (term: number) => ({ type: 'heartbeat', term, round: 2, age: NEW, committed: NEW });
    const solo = at(2, saved(2, 1), { definition }).hears(1, beat(1)).hears(3, beat(2));
    return solo.state.leader === 1 && solo.state.term === 1 && solo.sent('heartbeat/answer').length === 0;
  },
  'a leader of an older term is told of the newer one'(definition) {
    const solo = at(2, saved(2, 5), { definition });
    solo.hears(1, { type: 'heartbeat', term: 3, round: 2, age: NEW, committed: NEW });
    return solo.state.leader === null && solo.sent('term').length === 1;
  },
  // The host gives up a leadership whose lease has lapsed, so no run with it shows the next five: the old leader acts no more.
  'consent to an earlier round ends no newer promise'(definition) {
    const solo = at(2, saved(2, 1), { definition }).hears(1, heartbeat(1, 5));
    const release = { term: 1, round: 4 };
    return solo.hears(3, { type: 'vote', term: 2, age: NEVER, release }).sent('vote/answer').length === 0;
  },
  'a late heartbeat replaces no newer promise'(definition) {
    const solo = at(2, saved(2, 1), { definition }).hears(1, heartbeat(1, 5)).hears(1, heartbeat(1, 3));
    return promisedRound(solo) === 5;
  },
  'a late request for a vote replaces no newer promise'(definition) {
    const request = { type: 'vote', term: 1, age: NEVER, release: null };
    const solo = at(2, saved(2, 0), { definition })
      .hears(1, request)
      .hears(1, heartbeat(1, 5))
      .hears(1, request);
    return promisedRound(solo) === 5;
  },
  'proof that comes after the suspicion frees the promise, and what was refused is granted'(definition) {
    const solo = suspicious(definition, 4);
    solo.hears(3, { type: 'pre-vote', term: 1, age: NEVER });
    return solo.take(gone(by(1).life, true)).sent('pre-vote/answer').length === 1;
  },
  'proof after the suspicion frees no promise to another process'(definition) {
    return suspicious(definition, 4).take(gone('another life', true)).state.promise !== null;
  },
  'a member that asks in vain asks again once there is proof'(definition) {
    // Of five members without the leader, 5 has the first slot in term 1.
    const solo = suspicious(definition, 5);
    const isAsking = solo.sent('pre-vote').length > 0 && solo.state.role === 'pre-candidate';
    solo.take(gone(by(1).life, true));
    return isAsking && solo.sent('pre-vote').length > 0 && Object.hasOwn(solo.state.votes as object, 5);
  },
  'a leader would vote for no other'(definition) {
    const solo = leader(undefined, { definition });
    const { term } = solo.state as { term: number };
    const answers = solo
      .hears(2, { type: 'pre-vote', term, age: { term, version: 9 } })
      .sent('pre-vote/answer');
    return answers.every(({ message }) => (message as unknown as { granted: boolean }).granted === false);
  },
  'a candidate claims no consent'(definition) {
    const solo = candidate(undefined, { definition });
    const requests = solo.sent('vote').map(({ message }) => message as unknown as { release: unknown });
    return requests.length > 0 && requests.every(({ release }) => release === null);
  },
  'a leader that has handed over does not compete'(definition) {
    const solo = leader(undefined, { definition }).hears(2, answer(1, 2)).hears(3, answer(1, 2));
    solo.command({ type: 'resign' });
    return solo.command({ type: 'campaign' }).sent('pre-vote').length === 0;
  },
  'a member that leads again leads as any other'(definition) {
    const solo = successorDied(definition);
    const { seeking } = solo.state as { seeking: number };
    for (const id of [3, 4]) solo.hears(id, vote(seeking));
    const isTold = solo.effects.some((effect) => effect.type === 'answer');
    return isTold && solo.sent('heartbeat').length > 0 && solo.timer('transfer').state.role === 'leader';
  },
  'a transfer in vain ends no candidacy'(definition) {
    return successorDied(definition).timer('transfer').state.role === 'candidate';
  },
  'a leader that has handed over in vain asks another member'(definition) {
    const solo = leader(undefined, { definition });
    for (const id of [2, 3]) solo.hears(id, answer(1, roundOf(solo)));
    const asked = solo.command({ type: 'transfer', to: 2 }).timer('transfer').sent('transfer');
    const [fromMs] = solo.timersSet().election as readonly number[];
    return solo.state.role === 'follower' && asked.map(({ to }) => to).join() === '3' && fromMs! < 300;
  },
  'no register of a term out of all proportion is believed'(definition) {
    const solo = at(2, saved(2, 1), { definition });
    return solo.hears(1, { type: 'publish/copy', register: register(2 ** 53 - 1, 1) }).state.term === 1;
  },
  ...deputyRules,
  ...timingRules,
};

/** 1 has handed over to 2, which has died before it led; 1 asks for votes again. */
function successorDied(definition: Definition): Voter {
  const solo = leader(undefined, { definition });
  for (const id of [2, 3]) solo.hears(id, answer(1, roundOf(solo)));
  const release = { term: 1, round: roundOf(solo) };
  solo.command({ type: 'transfer', to: 2 }).hears(2, { type: 'vote', term: 2, age: NEVER, release });
  solo.take({ type: 'peer-gone', peer: 2, life: by(2).life, proof: true }).timer('election');
  for (const id of [3, 4]) solo.hears(id, preVote(2));
  return solo;
}

const copied = { type: 'copy', disk: diskOf(1), start: 9, life: 'another' };

function promisedRound(solo: Voter): number | undefined {
  return (solo.state.promise as { round: number } | null)?.round;
}

function roundOf(solo: Voter): number {
  return solo.state.round as number;
}

function membersOf(solo: Voter): Register['members'] {
  return (solo.state.register as Register).members;
}

/** All others answer a round, and have what the leader has; after them another disk of the fifth member, if given. */
function settle(solo: Voter, other: Parameters<Voter['hears']>[1] | null = null): void {
  const { term, version } = solo.state.register as Age;
  for (const id of [2, 3, 4, 5]) solo.hears(id, answer(1, roundOf(solo), { age: { term, version } }));
  if (other !== null) solo.hears(5, other);
  solo.timer('heartbeat');
}

const NEW = { term: 0, version: 0 };

function gone(life: string, proof: boolean): Input {
  return { type: 'peer-gone', peer: 1, proof, life };
}

/** A member that is bound to the leader 1, and was told without proof that it is gone. */
function suspicious(definition: Definition, id: number): Voter {
  return at(id, saved(id, 1), { definition })
    .hears(1, heartbeat(1, 5))
    .take(gone(by(1).life, false));
}
