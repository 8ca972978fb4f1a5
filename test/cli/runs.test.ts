import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { catalogue } from '../../src/protocols/index.ts';
import { outcomeOf, RunTotals, readScenario, runWorld, simulate } from '../../src/simulation/index.ts';
import { percentiles } from '../../src/simulation/runs.ts';
import { caucus, end, MAIN, simulateJson, start } from './caucus.ts';

const given = {
  protocol: 'epoch',
  timing: { heartbeatMs: 50, timeoutMs: [150, 300] },
  network: { loss: 0.2 },
  untilMs: 3000,
  events: [{ atMs: 1000, do: 'crash', member: 'leader' }],
};
const scenario = readScenario(given, catalogue);
const FROM = 7;
const RUNS = 45;
const seeds = Array.from({ length: RUNS }, (_, i) => FROM + i);

describe('caucus simulate --runs', () => {
  it('is the sum of the single runs', async () => {
    const printed = await simulateJson(given, '--seed', String(FROM), '--runs', String(RUNS));
    const totals = new RunTotals('epoch', 3000, FROM);
    for (const seed of seeds) totals.add(outcomeOf(runWorld(scenario, seed)));
    expect(printed).toEqual(JSON.parse(JSON.stringify(totals.result())));

    // The same once more, from the results themselves.
    const results = seeds.map((seed) => simulate(scenario, seed));
    const sum = (of: (each: (typeof results)[number]) => number): number =>
      results.reduce((total, each) => total + of(each), 0);
    expect(printed).toMatchObject({
      protocol: 'epoch',
      seeds: { from: FROM, to: FROM + RUNS - 1 },
      runs: RUNS,
      untilMs: 3000,
      agreed: results.filter((each) => each.final.agreed).length,
      changes: sum((each) => each.changes),
      broken: { seeds: [], count: 0 },
    });
    expect(printed.darkMs).toBeCloseTo(sum((each) => each.darkMs));
    expect(printed.doubleMs).toBeCloseTo(sum((each) => each.doubleMs));
    expect(printed.messages.total).toBe(sum((each) => each.messages.total));
    const notAgreed = results.filter((each) => !each.final.agreed).map((each) => each.seed);
    expect(printed.notAgreed).toEqual({ seeds: notAgreed.slice(0, 20), count: notAgreed.length });
    const torn = results.filter((each) => each.violations.some((found) => found.property === 'S10'));
    const told = printed.violations.find((found: { property: string }) => found.property === 'S10');
    expect(told).toEqual({ property: 'S10', claimed: false, runs: torn.length, firstSeed: torn[0]!.seed });
  });

  it('gives the same on one thread and on many', async () => {
    const { runMany } = await import(
      new URL('../../dist/cli/commands/simulate/many-runs.js', import.meta.url).href
    );
    const onProgress = (): void => {};
    const [one, four] = await Promise.all(
      [1, 4].map((threads) => runMany({ scenario, given, fromSeed: FROM, runs: RUNS, threads, onProgress })),
    );
    expect(one).toEqual(four);
    expect(one.runs).toBe(RUNS);
  });

  it('names the command that shows the first run that did not settle', async () => {
    const split = {
      ...given,
      events: [
        {
          atMs: 1000,
          do: 'partition',
          groups: [
            [1, 2],
            [3, 4, 5],
          ],
        },
      ],
    };
    const { code, stdout } = await caucus(['simulate', '-', '--runs', '4'], JSON.stringify(split));
    expect(code).toBe(0);
    expect(stdout).toContain('0 of 4');
    expect(stdout).toContain('npx caucus simulate - --seed 1\n');
  });

  it('shows on a terminal how far it is, and ends at once, with 130, when it is interrupted', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'caucus-'));
    const file = path.join(folder, 'on-a-terminal.mjs');
    const terminal = 'process.stderr.isTTY = true; process.stderr.columns = 80;';
    writeFileSync(file, `${terminal} await import(${JSON.stringify(MAIN)});`);
    const child = start(['simulate', '--members', '50', '--runs', '10000000'], file);
    const ended = end(child);
    await once(child.stderr!, 'data'); // The first runs are done, all threads are at work.
    const before = performance.now();
    child.kill('SIGINT');
    const { code, stdout, stderr } = await ended;
    expect([code, stdout]).toEqual([130, '']);
    expect(performance.now() - before).toBeLessThan(5000);
    expect(stderr).toMatch(/░ [\d,]+ of 10,000,000 runs · [\d,]+ a second · [\d.]+ (min|h) left/);
    expect(stderr.endsWith('\r\x1b[2K')).toBe(true);
    rmSync(folder, { recursive: true });
  });
});

describe('the totals', () => {
  it('keep the seeds that broke a promise apart from those that broke none', () => {
    const totals = new RunTotals('epoch', 3000, 1);
    const outcome = outcomeOf(runWorld(scenario, 1));
    const found = (claimed: boolean, property = 'S1') => ({ property, claimed });
    totals.add({ ...outcome, violations: [found(false), found(false)] });
    totals.add({ ...outcome, seed: 2, violations: [found(false), found(true, 'S2')] });
    totals.add({ ...outcome, seed: 3, violations: [found(true, 'S2')] });
    expect(totals.result()).toMatchObject({
      broken: { seeds: [2, 3], count: 2 },
      violations: [
        { property: 'S2', claimed: true, runs: 2, firstSeed: 2 },
        { property: 'S1', claimed: false, runs: 2, firstSeed: 1 },
      ],
    });
  });

  it('name the first twenty seeds and count them all', () => {
    const totals = new RunTotals('epoch', 3000, 1);
    const outcome = outcomeOf(runWorld(scenario, 1));
    for (let seed = 1; seed <= 30; seed++) totals.add({ ...outcome, seed, agreed: false });
    const { notAgreed, agreed } = totals.result();
    expect([notAgreed.seeds.length, notAgreed.seeds.at(-1), notAgreed.count, agreed]).toEqual([
      20, 20, 30, 0,
    ]);
  });

  it('tell runs apart that differ in one hash, and in order', () => {
    const outcome = outcomeOf(runWorld(scenario, 1));
    const hashOf = (...hashes: readonly string[]): string => {
      const totals = new RunTotals('epoch', 3000, 1);
      for (const [i, hash] of hashes.entries()) totals.add({ ...outcome, seed: 1 + i, hash });
      return totals.result().hash;
    };
    const [a, b] = ['0123456789abcdef', '0123456789abcdee'];
    expect(new Set([hashOf(a!, b!), hashOf(b!, a!), hashOf(a!, a!), hashOf(a!)]).size).toBe(4);
  });

  it('take percentiles by nearest rank', () => {
    const hundred = Array.from({ length: 100 }, (_, i) => 100 - i);
    expect(percentiles(hundred)).toEqual({ count: 100, p50: 50, p90: 90, p99: 99, max: 100 });
    expect(percentiles([7])).toEqual({ count: 1, p50: 7, p90: 7, p99: 7, max: 7 });
    expect(percentiles([])).toEqual({ count: 0, p50: null, p90: null, p99: null, max: null });
  });
});
