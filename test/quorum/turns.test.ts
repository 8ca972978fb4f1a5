/** Elections that are one of many: their members campaign in an order of each election, and give way to one another. */
import { describe, expect, it } from 'vitest';
import { type Definition, type Input, idSet, type MemberId, textHash } from '../../src/core/index.ts';
import { quorum } from '../../src/protocols/quorum/index.ts';
import { runSeed } from '../../src/simulation/index.ts';
import { Solo } from '../support/solo.ts';
import { type ScenarioName, scenarios, tryScenario } from './scenarios.ts';

const MEMBERS: readonly MemberId[] = idSet(['a', 'b', 'c']);
const SEEDS = 100;

/** The protocol in an election with this turn. */
function quorumWith(turn: number): typeof quorum {
  return {
    ...quorum,
    create: (config) => {
      const protocol = quorum.create(config);
      return { ...protocol, init: (self) => protocol.init({ ...self, turn }) };
    },
  };
}

const by = (id: MemberId): object => ({ life: `life of ${id}`, disk: `disk of ${id}`, start: 1 });

/** Member a of three follows c, which is then proven dead. */
function orphan(turn: number): Solo {
  const register = {
    term: 1,
    version: 1,
    members: MEMBERS.map((id) => ({ id, disk: `disk of ${id}` })),
    founding: MEMBERS.map((id) => ({ id, disk: `disk of ${id}` })),
    value: null,
  };
  const saved = {
    disk: 'disk of a',
    start: 0,
    term: 1,
    votedFor: null,
    register,
    committed: register,
    promiseMs: 0,
    seen: {},
  };
  const member = new Solo(quorumWith(turn) as unknown as Definition, 'a', MEMBERS, {
    options: { preset: 'lan' },
    settings: { priority: 1 },
    saved,
  });
  member.take({ type: 'timer', timer: 'promise' });
  const heartbeat = { term: 1, round: 2, age: { term: 1, version: 1 }, promiseMs: 150, register: null };
  member.hears('c', { type: 'heartbeat', ...heartbeat, committed: { term: 1, version: 1 }, by: by('c') });
  const gone: Input = { type: 'peer-gone', peer: 'c', proof: true, life: 'life of c' };
  return member.take(gone);
}

const asksFirst = (member: Solo): boolean => member.effects.some((effect) => effect.type === 'send');
const turns = Array.from({ length: 200 }, (_, i) => textHash(`election ${i}`) >>> 0);

describe('an election that is one of many', () => {
  it('keeps every promise in the swarm', () => {
    for (let seed = 1; seed <= SEEDS; seed++)
      expect(runSeed(quorumWith(seed), seed, { hash: 'moments' }).failure, `seed ${seed}`).toBeNull();
  });

  it('keeps every promise in the directed runs', () => {
    for (const name of Object.keys(scenarios) as ScenarioName[])
      for (let seed = 1; seed <= 3; seed++)
        expect(tryScenario(quorumWith(seed), name, seed), `${name}, seed ${seed}`).toBeNull();
  });

  it('is asked for first by each of the survivors about equally often', () => {
    const first = turns.filter((turn) => asksFirst(orphan(turn))).length;
    expect(first).toBeGreaterThan(70);
    expect(first).toBeLessThan(130);
  });

  const first = turns.find((turn) => asksFirst(orphan(turn)))!;
  const second = turns.find((turn) => !asksFirst(orphan(turn)))!;
  const types = ({ effects }: Solo): string[] =>
    effects.flatMap((effect) => (effect.type === 'send' ? [effect.message.type] : []));
  const preVote = { type: 'pre-vote', term: 1, age: { term: 1, version: 1 }, by: by('b') };
  const vote = { ...preVote, type: 'vote', term: 2, release: null, promiseMs: 150 };

  /** Member a asks for votes in term 2. */
  function candidate(turn: number): Solo {
    const member = orphan(turn);
    if (!asksFirst(member)) member.take({ type: 'timer', timer: 'election' });
    const granted = { to: member.state.life, term: 1, granted: true, leader: null, by: by('b') };
    member.hears('b', { type: 'pre-vote/answer', ...granted });
    expect(member.state).toMatchObject({ role: 'candidate', seeking: 2 });
    return member;
  }

  it('has no split vote: of two candidates in a term the second one votes for the first', () => {
    const gaveWay = candidate(second).hears('b', vote);
    expect(types(gaveWay)).toEqual(['vote/answer']);
    expect(gaveWay.state).toMatchObject({ role: 'follower', term: 2, votedFor: { id: 'b' }, votes: {} });
    // An answer to its own request makes it no leader any more.
    const late = { to: gaveWay.state.life, term: 2, by: by('b') };
    expect(gaveWay.hears('b', { type: 'vote/answer', ...late }).state.role).toBe('follower');
    expect(types(candidate(first).hears('b', vote))).toEqual([]);
  });

  it('is not asked for by the second member once it has heard the first, once in a term', () => {
    const member = orphan(second).take({ type: 'timer', timer: 'election' });
    expect(member.hears('b', preVote).state).toMatchObject({ role: 'follower', votes: {} });
    member.take({ type: 'timer', timer: 'election' });
    expect(member.hears('b', preVote).state.role).toBe('pre-candidate');
    expect(orphan(first).hears('b', preVote).state.role).toBe('pre-candidate');
  });
});
