import { describe, expect, it } from 'vitest';
import { repeatCommand } from '../../src/cli/commands/simulate/repeat.ts';
import { runsSummary } from '../../src/cli/commands/simulate/runs-summary.ts';
import { summary } from '../../src/cli/commands/simulate/summary.ts';
import { plain } from '../../src/cli/terminal/colours.ts';
import { catalogue } from '../../src/protocols/index.ts';
import {
  outcomeOf,
  type RunsResult,
  RunTotals,
  readScenario,
  resultOf,
  runWorld,
  type Violation,
} from '../../src/simulation/index.ts';

const page = { columns: 120, paint: plain };

describe('the summary of one run', () => {
  const amnesia = (atMs: number, member: number) => ({ atMs, do: 'restart', member, amnesia: true });
  const told = (given: object, violations?: readonly Violation[]): string => {
    const world = runWorld(readScenario(given, catalogue), 1);
    const result = resultOf(world);
    return summary(world, violations === undefined ? result : { ...result, violations }, 'again', page).join(
      '\n',
    );
  };

  it('calls promises kept as long as all that they assume was so', () => {
    expect(told({ members: 3 })).toMatch(/^ {2}promises {12}S1 S2 S3 S4 S9 kept$/m);
    expect(told({ protocol: 'ring', members: 3 })).toMatch(/^ {2}promises {12}none: best effort$/m);
  });

  it('calls promises void whose assumption fell, and what did not hold of them too', () => {
    const lost = told({ members: 3, events: [amnesia(5000, 1)] });
    expect(lost).toMatch(/^ {2}promises {12}void \(an empty disk\): S1 S2 S3 S4 S9$/m);
    expect(lost).toMatch(/^ {2}void {16}S3 \(terms never go back\) did not hold, at 5,000 ms$/m);
    expect(lost).not.toMatch(/kept|not promised/);
  });

  it('names every reason', () => {
    const forged = { atMs: 6000, do: 'inject', from: 1, to: 2, message: { type: 'vote', epoch: 0 } };
    const both = told({ members: 3, events: [amnesia(5000, 1), forged] });
    expect(both).toContain('void (an empty disk and a forged message): S1 S2 S3 S4 S9');
  });

  it('tells apart what was broken, what was kept, and what was never promised', () => {
    const found = (property: string, claimed: boolean): Violation => ({
      property,
      claimed,
      atMs: 7,
      members: [1, 2],
      detail: 'so it was',
    });
    const lines = told({ members: 3 }, [found('S10', false), found('S4', true), found('S10', false)]).split(
      '\n',
    );
    const from = lines.findIndex((line) => line.includes('promises'));
    expect(lines.slice(from, from + 4)).toEqual([
      '  promises            broken 1 time',
      '                      S1 S2 S3 S9 kept',
      '  BROKEN              S4 at 7 ms, a majority behind every win: so it was',
      '  not promised        S10 (one leader at a time) did not hold, 2 times',
    ]);
  });
});

describe('the summary of many runs', () => {
  const scenario = readScenario({ untilMs: 5000 }, catalogue);
  const repeat = (seed: number): string => `again --seed ${seed}`;
  const totals = (runs: number, change: Partial<RunsResult> = {}): string[] => {
    const sum = new RunTotals('epoch', 5000, 1);
    for (let seed = 1; seed <= runs; seed++) sum.add(outcomeOf(runWorld(scenario, seed)));
    return runsSummary({ ...sum.result(), ...change }, repeat, page);
  };
  const found = (property: string, claimed = false, firstSeed = 3) => ({
    property,
    claimed,
    runs: 2,
    firstSeed,
  });

  it('speaks of one run as of one', () => {
    const lines = totals(1);
    expect(lines[0]).toBe('epoch: 1 run of 5 s, seed 1');
    expect(lines).toContain('  ended agreed        yes');
    expect(lines.join('\n')).not.toMatch(/p50|all 1\b/);
  });

  it('gives all times in the same units', () => {
    const { p50, p90, p99, max } = { p50: 184, p90: 1240, p99: 2960, max: 3000 };
    const lines = totals(2, { failoverMs: { count: 9, p50, p90, p99, max }, doubleMs: 84 });
    expect(lines).toContain('  failover            p50 184 ms · p90 1.2 s · p99 3 s · max 3 s (of 9)');
    expect(lines).toContain('  with two or more    42 ms a run');
  });

  it('tells properties in their order, and which were not promised and which void', () => {
    const lines = totals(2, { violations: [found('S10'), found('S2'), found('R1'), found('S9')] });
    const told = lines.join('\n').matchAll(/^ {2}(\w[\w ]*?) +(\w+) \(.*did not hold in 2 runs/gm);
    expect([...told].map(([, standing, property]) => `${standing} ${property}`)).toEqual([
      'void S2',
      'void S9',
      'not promised S10',
      'not promised R1',
    ]);
    expect(lines.join('\n')).toContain('none broken (S2 S9 void: something assumed was not so)');
  });

  it('names a run to look at, also where only unpromised properties broke', () => {
    expect(totals(2).join('\n')).not.toContain('look at one');
    expect(totals(2, { violations: [found('S10')] }).slice(-2)).toEqual([
      '  look at one         S10 did not hold there (not promised):',
      '                      again --seed 3',
    ]);
    const broken = { seeds: [9], count: 1 };
    expect(totals(2, { violations: [found('S1', true), found('S10')], broken }).at(-1)).toBe(
      '  look at one         again --seed 9',
    );
  });
});

describe('the command that shows a run again', () => {
  it('does not wait for standard input in vain', () => {
    expect(repeatCommand('-', {}, 4)).toBe('the same input | npx caucus simulate - --seed 4');
    expect(repeatCommand('a b.json', { until: '9' }, 4)).toBe(
      "npx caucus simulate 'a b.json' --until 9 --seed 4",
    );
  });
});
