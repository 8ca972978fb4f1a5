/**
 * Directed runs keep every promise. `CAUCUS_SEEDS=1000 npx vitest run test/quorum/scenarios.test.ts` tries each with as many seeds
 * (three minutes).
 */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { quorum } from '../../src/protocols/quorum/index.ts';
import { type Directed, type ScenarioName, scenarios, tryScenario } from './scenarios.ts';

const asked: number | null = process.env.CAUCUS_SEEDS === undefined ? null : Number(process.env.CAUCUS_SEEDS);
const SEEDS = 50;
const PATIENCE_MS = 600_000;

const directed = Object.entries(scenarios) as [ScenarioName, Directed][];

describe('every promise holds:', () => {
  it.each(directed)(
    '%s',
    (name, { seeds = SEEDS }) => {
      for (let seed = 1; seed <= (asked ?? seeds); seed++) {
        expect(tryScenario(quorum, name, seed), `seed ${seed}`).toBeNull();
      }
    },
    PATIENCE_MS,
  );
});

describe('the scenarios', () => {
  it('are all tried', () => {
    const files = readdirSync(path.join(import.meta.dirname, 'scenarios'));
    expect(files.sort()).toEqual(
      Object.keys(scenarios)
        .map((name) => `${name}.json`)
        .sort(),
    );
  });
});
