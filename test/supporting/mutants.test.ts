/** Every bug that is planted in support falls to what is known to catch it; support as it is stands before all of them. */
import { describe, expect, it } from 'vitest';
import { quorum } from '../../src/protocols/quorum/index.ts';
import { drawManyStorm, runManyStorm } from '../../src/simulation/index.ts';
import { Support } from '../../src/support/index.ts';
import { type Mutant, mutants } from './mutants.ts';
import { type Loaded, load } from './mutate.ts';
import { type RuleName, rules } from './rules.ts';

function isCaught(loaded: Loaded, { killer }: Mutant): boolean {
  if ('rule' in killer) return !rules[killer.rule](loaded);
  try {
    return loaded.runManyStorm(loaded.quorum, loaded.drawManyStorm(killer.seed)).failure !== null;
  } catch {
    return true; // The protocol was given a state that cannot be.
  }
}

describe('a planted bug is caught:', () => {
  it.each(mutants.map((mutant) => [mutant.name, mutant] as const))('%s', async (_, mutant) => {
    expect(isCaught(await load(mutant), mutant)).toBe(true);
  });
});

describe('support as it is', () => {
  const asItIs: Loaded = { Support, quorum, drawManyStorm, runManyStorm };

  it.each(Object.keys(rules) as RuleName[])('keeps the rule: %s', (name) => {
    expect(rules[name](asItIs)).toBe(true);
  });

  it.each([1, 61, 121, 181].map((first) => [first] as const))(
    'breaks no promise in storms over several elections, from seed %i on',
    (first) => {
      let rests = 0;
      for (let seed = first; seed < first + 60; seed++) {
        const outcome = runManyStorm(quorum, drawManyStorm(seed));
        expect(outcome.failure, `runManyStorm(quorum, drawManyStorm(${seed}))`).toBeNull();
        rests += outcome.rests;
      }
      expect(rests).toBeGreaterThan(0);
    },
  );

  it('breaks no promise in storms in which members, times, disks and clocks change', () => {
    const first = 1_000_000;
    for (let seed = first; seed < first + 60; seed++) {
      const outcome = runManyStorm(quorum, drawManyStorm(seed));
      expect(outcome.failure, `runManyStorm(quorum, drawManyStorm(${seed}))`).toBeNull();
    }
  });

  it('sends fewer messages than elections with heartbeats of their own', () => {
    const sent = (support: boolean): number => {
      const storm = {
        ...drawManyStorm(1, support),
        elections: 40,
        stormMs: 10_000,
        faultEveryMs: 1e9,
        lossRate: 0,
      };
      const { messages, supportMessages } = runManyStorm(quorum, storm);
      return messages + supportMessages;
    };
    expect(sent(true)).toBeLessThan(sent(false) / 5);
  });

  it('does not unsettle elections whose answers take longer than a heartbeat', () => {
    const leaderships = (support: boolean): number =>
      runManyStorm(quorum, {
        ...drawManyStorm(1, support),
        elections: 20,
        stormMs: 2000,
        calmMs: 0,
        faultEveryMs: 1e9,
        lossRate: 0,
        duplicateRate: 0,
        saveMs: 0,
        drift: 0,
        latencyMs: [26, 30],
      }).leaderships;
    expect(leaderships(true)).toBe(leaderships(false));
  });

  it('shows nothing to the storms that catch planted bugs', () => {
    for (const { killer } of mutants)
      if ('seed' in killer) expect(runManyStorm(quorum, drawManyStorm(killer.seed)).failure).toBeNull();
  });

  it('has bugs that each have a name of their own', () => {
    expect(mutants.length).toBeGreaterThanOrEqual(25);
    expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length);
  });
});
