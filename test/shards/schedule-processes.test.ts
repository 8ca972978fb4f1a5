/** Schedules of shards on three member processes, of which one is killed in the middle of its runs and comes back. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { freePorts } from '../support/free-ports.ts';
import { ShardLab } from '../support/shard-lab.ts';
import type { ShardPlan } from '../support/shard-replica.ts';

const SHARDS = 6;
const SECOND_MS = 1000;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'caucus-shard-schedule-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Line {
  readonly what: 'begin' | 'end' | 'recorded';
  readonly shard: number;
  readonly atMs: number;
  readonly token: bigint;
}

function linesIn(file: string): Line[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  return lines.map((line) => {
    const [what, shard, occasion, token] = line.split(' ');
    return {
      what: what as Line['what'],
      shard: Number(shard),
      atMs: Date.parse(occasion!),
      token: BigInt(token!),
    };
  });
}

/** Waits until so many occasions of each shard were recorded after now. */
async function recordsMore(file: string, count: number): Promise<void> {
  const countsIn = (): number[] =>
    Array.from(
      { length: SHARDS },
      (_, shard) => linesIn(file).filter((each) => each.what === 'recorded' && each.shard === shard).length,
    );
  const before = countsIn();
  await expect
    .poll(() => countsIn().every((each, i) => each >= before[i]! + count), { timeout: 90_000 })
    .toBe(true);
}

describe('a schedule of six shards on three members', () => {
  it('is done exactly once for each shard and fire time, also if an owner is killed in the middle', {
    timeout: 240_000,
  }, async () => {
    const file = path.join(folder, 'runs');
    const ports = await freePorts(3);
    const peers = ports.map((port, i) => ({ id: `m${i}`, url: `http://127.0.0.1:${port}` }));
    const lab = new ShardLab(SHARDS);
    const start = (i: number): void => {
      const plan: ShardPlan = {
        partition: 'orders',
        shards: SHARDS,
        member: { id: `m${i}`, listen: { port: ports[i]! }, peers, data: path.join(folder, `m${i}`) },
        writes: null,
        schedule: { line: '* * * * * *', file, runMs: 400 },
      };
      lab.start(i, plan);
    };
    try {
      for (let i = 0; i < 3; i++) start(i);
      await lab.balanced();
      await recordsMore(file, 2);
      // In the middle of a run.
      const begun = linesIn(file).length;
      await expect
        .poll(
          () =>
            linesIn(file)
              .slice(begun)
              .some(({ what }) => what === 'begin'),
          { interval: 20 },
        )
        .toBe(true);
      await lab.kill(1);
      await recordsMore(file, 3);
      start(1);
      await lab.balanced();
      await recordsMore(file, 2);
    } finally {
      await lab.close();
    }
    for (let shard = 0; shard < SHARDS; shard++) {
      const lines = linesIn(file).filter((each) => each.shard === shard);
      const of = (what: Line['what']): Line[] => lines.filter((each) => each.what === what);
      const recorded = of('recorded').map(({ atMs }) => atMs);
      expect(new Set(recorded).size).toBe(recorded.length);
      // Every second is done. An end whose process was killed before it could tell is not among those that were told.
      const ends = of('end').map(({ atMs }) => atMs);
      for (let atMs = recorded[0]!; atMs <= recorded.at(-1)!; atMs += SECOND_MS) {
        if (recorded.includes(atMs)) continue;
        expect(ends.filter((each) => each === atMs)).toHaveLength(1);
      }
      const tokens = of('begin').map(({ token }) => token);
      for (const [i, token] of tokens.entries()) if (i > 0) expect(token >= tokens[i - 1]!).toBe(true);
    }
    expect(new Set(linesIn(file).map(({ token }) => token)).size).toBeGreaterThan(1);
  });
});
