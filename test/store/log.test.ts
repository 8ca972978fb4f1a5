/** The log of many elections: its rules, and bugs planted in it, each of which breaks one of them. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as store from '../../src/store/index.ts';
import { logMutants } from './log-mutants.ts';
import { Bench, found, type LogRuleName, logRules } from './log-rules.ts';
import { load } from './mutate.ts';

describe('the log', () => {
  it.each(Object.keys(logRules) as LogRuleName[])('keeps the rule: %s', (name) => {
    expect(logRules[name](store)).toBe(true);
  });

  it('holds after a crash at any moment all that was answered, and nothing that was not saved', () => {
    const saves = fc.array(fc.record({ election: fc.constantFrom('x', 'y', 'z'), ends: fc.nat(2) }), {
      maxLength: 40,
    });
    fc.assert(
      fc.property(saves, (steps) => {
        const bench = new Bench(store);
        const answered: Record<string, number> = {};
        for (const [term, { election, ends }] of steps.entries()) {
          bench.commit.save(
            { election, saved: { protocol: 'quorum', text: JSON.stringify({ term }) } },
            () => {
              answered[election] = term;
            },
          );
          if (ends > 0) bench.endTurn();
          if (ends > 1 && bench.files.syncing > 0) bench.files.endSync();
          // Whatever was written is on the disk, or nothing of it that was not synced.
          const terms = found(store, bench.bytes);
          if (terms === 'empty') expect(answered).toEqual({});
          else
            for (const [name, least] of Object.entries(answered)) {
              const kept = (terms as Record<string, number>)[name]!;
              expect(kept).toBeGreaterThanOrEqual(least);
              expect(steps[kept]!.election).toBe(name);
            }
        }
      }),
    );
  });

  it('takes records of any size', () => {
    for (const length of [1, 500, 4031, 4032, 4033, 70_000, 400_000]) {
      const bench = new Bench(store).batch(['x', 1]).batch(['x', 2, 'ä'.repeat(length)], ['y', 3]);
      expect(found(store, bench.bytes)).toEqual({ x: 2, y: 3 });
      expect(bench.batch(['x', 4]).answers.at(-1)).toBe('x 4 durable');
      expect(found(store, bench.bytes)).toEqual({ x: 4, y: 3 });
    }
  });
});

describe('a bug that is planted in the log is caught:', () => {
  it.each(logMutants.map((mutant) => [mutant.name, mutant] as const))('%s', async (_, { rule, ...bug }) => {
    const loaded = await load(bug);
    expect(keeps(() => logRules[rule](loaded.store))).toBe(false);
  });
});

/** A rule that ends with an error is not kept either. */
function keeps(rule: () => boolean): boolean {
  try {
    return rule();
  } catch {
    return false;
  }
}
