import { describe, expect, it } from 'vitest';
import { type Bounds, type Exploration, type Exploring, explore } from '../../src/exploration/index.ts';
import { bent, epochBugs, epochProtocol } from '../support/bent.ts';
import { exploreNaively } from '../support/naive-explorer.ts';

const three = [1, 2, 3].map((id) => ({ id }));

function check(bounds: Partial<Bounds>, more: Partial<Exploring> = {}): Exploration {
  return explore({ protocol: epochProtocol(), members: three, bounds, samples: 50, ...more });
}

function verdicts({ violations }: Exploration): string[] {
  return violations
    .map(({ property, claimed }) => `${property} ${claimed ? 'promised' : 'not promised'}`)
    .sort();
}

describe('the epoch election, three members', () => {
  it('keeps its promises, and may have two leaders at once: "there may be 2 leaders at the same time"', () => {
    const result = check({ terms: 2, crashes: 1 });
    expect(result).toMatchObject({ complete: true, asymmetry: null, memory: null, covering: true });
    expect(verdicts(result)).toEqual(['S10 not promised', 'S6 not promised']);
    expect(Object.values(result.sometimes)).toEqual([true, true, true, true, true, true]);
    expect(result.eventually).toMatchObject({ tried: 50, agreed: 50, failed: null });
  });

  it('needs nine acts for two leaders: three starts, two timeouts, two votes cast and two received', () => {
    const { violations } = check({ terms: 2, crashes: 0 });
    const two = violations.find(({ property }) => property === 'S10')!;
    expect(two).toMatchObject({ shortest: true, claimed: false });
    expect(two.acts.map((act) => (act.kind === 'react' ? act.cause.type : act.kind))).toEqual([
      ...['start', 'start', 'start', 'timer', 'message', 'timer', 'message', 'message', 'message'],
    ]);
  });

  it('has two winners in one epoch once a disk is lost, which it does not promise to prevent', () => {
    const result = check({ terms: 1, crashes: 1, amnesia: 1 });
    expect(result.complete).toBe(true);
    expect(verdicts(result)).toEqual(
      ['S1', 'S10', 'S2', 'S3', 'S6', 'S9'].map((each) => `${each} not promised`),
    );
    expect(result.memory).toBe(null);
    const twice = result.violations.find(({ property }) => property === 'S1')!;
    expect(twice.detail).toBe('1 and 2 both won term 1');
    expect(result.eventually.failed).not.toBe(null); // Two leaders of one epoch take no notice of each other.
  });

  it('holds with three terms and two crashes, with messages lost, repeated and reordered at will', () => {
    const result = check({ terms: 3, crashes: 2 });
    expect(result.complete).toBe(true);
    expect(verdicts(result)).toEqual(['S10 not promised', 'S6 not promised']);
    expect(result.states).toBe(7248);
  });

  it('looks at the same number of states every time', () => {
    const counts = (more: Partial<Exploring>) => {
      const { states, transitions, beyond, depth } = check({ terms: 2, crashes: 1 }, more);
      return { states, transitions, beyond, depth };
    };
    expect(counts({})).toEqual({ states: 653, transitions: 4008, beyond: 752, depth: 13 });
    const exact = { covering: false };
    expect(counts(exact)).toEqual({ states: 1051, transitions: 6309, beyond: 1274, depth: 11 });
    const all = { ...exact, forgetting: false };
    expect(counts(all)).toEqual({ states: 2786, transitions: 14964, beyond: 4773, depth: 12 });
    const named = { ...all, symmetry: false };
    expect(counts(named)).toEqual({ states: 16410, transitions: 88176, beyond: 28149, depth: 12 });
  });
});

describe('the explorer', () => {
  const exactly = { covering: false, symmetry: false, forgetting: false, properties: ['S1'] } as const;

  for (const bounds of [
    { terms: 1, crashes: 0 },
    { terms: 1, crashes: 1 },
    { terms: 2, crashes: 0 },
  ]) {
    it(`reaches as many states as a naive one: ${JSON.stringify(bounds)}`, () => {
      const naive = exploreNaively(epochProtocol(), [1, 2, 3], bounds);
      expect(check({ ...bounds, unsynced: false }, exactly).states).toBe(naive.states);
      expect(naive.twoWinners).toBe(false);
    });
  }

  it('reaches one state in six where members can be exchanged, and a few that are their own mirror image', () => {
    const all = check({ terms: 2, crashes: 1 }, { ...exactly });
    const one = check({ terms: 2, crashes: 1 }, { ...exactly, symmetry: true });
    expect(all.states / one.states).toBeGreaterThan(5.5);
    expect(all.states / one.states).toBeLessThanOrEqual(6);
  });

  const bugs = {
    'without a bug': { breaks: null, protocol: epochProtocol(), bounds: { terms: 2, crashes: 1 } },
    ...epochBugs,
  };
  for (const [name, { breaks, protocol, bounds }] of Object.entries(bugs)) {
    it(`comes to the same verdicts by every short cut: ${name}`, () => {
      const plain = check(bounds, {
        protocol,
        covering: false,
        symmetry: false,
        forgetting: false,
        samples: 0,
      });
      expect(plain.complete).toBe(true);
      if (breaks === null) expect(plain.violations.filter(({ claimed }) => claimed)).toEqual([]);
      else expect(verdicts(plain)).toContain(`${breaks} promised`);
      for (const covering of [true, false]) {
        for (const symmetry of [true, false]) {
          for (const forgetting of [true, false]) {
            const quick = check(bounds, { protocol, covering, symmetry, forgetting, samples: 0 });
            expect(quick.complete).toBe(true);
            expect(verdicts(quick)).toEqual(verdicts(plain));
            const lengths = (of: Exploration) =>
              Object.fromEntries(
                of.violations.map((each) => [`${each.property} ${each.claimed}`, each.acts.length]),
              );
            expect(lengths(quick)).toEqual(lengths(plain));
          }
        }
      }
    });
  }

  it('sees that nothing happens where nothing can, and does not call that a proof', () => {
    const { sometimes, complete, violations } = check({ terms: 0, crashes: 1 });
    expect({ complete, violations }).toEqual({ complete: true, violations: [] });
    expect(sometimes['all agree on a leader']).toBe(false);
    expect(sometimes['a vote is cast after a restart']).toBe(false);
  });

  it('notices an election that never ends, and shows from where', () => {
    const mute = bent({ after: (effects) => effects.filter((each) => each.type !== 'send') });
    const { eventually, sometimes } = check({ terms: 2, crashes: 0 }, { protocol: mute });
    expect(eventually).toMatchObject({ agreed: 0 });
    expect(eventually.failed?.length).toBe(3);
    expect(sometimes['a member leads']).toBe(false);
  });

  it('stops where it is told to, and says that it is not complete', () => {
    expect(check({ terms: 3, crashes: 2 }, { maxStates: 500 }).complete).toBe(false);
    const shallow = check({ terms: 2, depth: 3 }, { covering: false });
    expect(shallow).toMatchObject({ complete: false, depth: 3 });
  });
});
