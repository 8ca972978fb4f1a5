/** `caucus run --shards` with a shard whose lease the test writes, and real processes. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { OwnedShard, Partition } from '../../src/election/index.ts';
import { noted } from './run-log.ts';

const RUNNER = new URL('../../dist/cli/commands/run/shard-runner.js', import.meta.url).href;
const { ShardRunner } = (await import(RUNNER)) as typeof import('../../src/cli/commands/run/shard-runner.ts');

const LEASE_MS = 3000;
const nowMs = (): number => Number(process.hrtime.bigint()) / 1e6;

/** One shard that stays ours until the runner is stopped. Its lease is renewed whenever it is looked at, but not while `isLate`. */
function owned(): { readonly partition: Partition; isLate(late: boolean): void } {
  const over = new AbortController();
  let endsAtMs: number | null = null;
  const shard = {
    shard: 0,
    token: 7n,
    signal: over.signal,
    lost: null,
    isValid: () => !over.signal.aborted,
    get expiresInMs() {
      return endsAtMs === null ? LEASE_MS : endsAtMs - nowMs();
    },
  };
  const own: Partition['own'] = async (work, { signal } = {}) => {
    signal?.addEventListener('abort', () => over.abort());
    await work(shard as unknown as OwnedShard);
    // As a partition does: the shard stays ours, and the work is not called again.
    if (!over.signal.aborted) await new Promise((resolve) => over.signal.addEventListener('abort', resolve));
  };
  const partition = { name: 'orders', shards: 1, self: 'a', own } as unknown as Partition;
  return {
    partition,
    isLate(late) {
      endsAtMs = late ? nowMs() + LEASE_MS : null;
    },
  };
}

it('runs the command again when the lease, which was renewed too late for it, goes on after all', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'caucus-shard-runner-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, 'notes');
  const lease = owned();
  const told: string[] = [];
  const child = path.resolve(import.meta.dirname, 'run-child.mjs');
  const line = { command: process.execPath, args: [child, file], env: process.env as Record<string, string> };
  const rules = { killAfterMs: 1000, settleMs: 0, onExit: 'resign' as const };
  const runner = new ShardRunner(lease.partition, line, rules, ({ event }) => void told.push(event));
  const code = runner.run();

  const first = await noted(file, ({ what }) => what === 'tick');
  lease.isLate(true);
  await noted(file, ({ what }) => what === 'end');
  lease.isLate(false);
  const second = await noted(file, ({ what, pid }) => what === 'tick' && pid !== first.pid);
  expect([first.token, second.token]).toEqual([7n, 7n]);

  runner.stop('SIGTERM');
  expect(await code).toBe(128 + 15);
  expect(told).toEqual(['started', 'ended', 'started', 'ended']);
}, 30_000);
