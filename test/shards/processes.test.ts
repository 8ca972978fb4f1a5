/** Five replicas in processes of their own: one is killed, one is added, and no work acts on a shard that another has. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { freePorts } from '../support/free-ports.ts';
import { hasPostgres, PostgresServer } from '../support/servers/postgres.ts';
import { ShardLab, staleWrites } from '../support/shard-lab.ts';
import type { ShardPlan } from '../support/shard-replica.ts';

const SHARDS = 32;
const REPLICAS = 5;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'caucus-shards-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Kills one of five, adds another, and checks who wrote when. `planOf` is that of a replica; members come back under their ids. */
async function trial(planOf: (replica: number) => Partial<ShardPlan>, added: number): Promise<void> {
  const file = path.join(folder, 'writes');
  const lab = new ShardLab(SHARDS);
  const plan = (replica: number): ShardPlan => ({
    partition: 'orders',
    shards: SHARDS,
    writes: { file, everyMs: 20 },
    ...planOf(replica),
  });
  try {
    for (let i = 0; i < REPLICAS; i++) lab.start(i, plan(i));
    await lab.balanced();
    await lab.kill(1);
    await lab.balanced();
    expect(lab.loads.length).toBe(REPLICAS - 1);
    lab.start(added, plan(added));
    await lab.balanced();
    expect(lab.loads.length).toBe(REPLICAS);
  } finally {
    await lab.close();
  }
  expect(staleWrites(readFileSync(file, 'utf8'))).toEqual([]);
}

describe('five replicas of which one is killed and one is added', () => {
  it('own every shard again, and none acts on a shard of another: members', {
    timeout: 240_000,
  }, async () => {
    const ports = await freePorts(REPLICAS);
    const peers = ports.map((port, i) => ({ id: `m${i}`, url: `http://127.0.0.1:${port}` }));
    const planOf = (i: number): Partial<ShardPlan> => ({
      member: { id: `m${i}`, listen: { port: ports[i]! }, peers, data: path.join(folder, `m${i}`) },
    });
    await trial(planOf, 1);
  });

  it.runIf(hasPostgres())('the same on PostgreSQL', { timeout: 240_000 }, async () => {
    const server = await PostgresServer.start();
    const planOf = (i: number): Partial<ShardPlan> => ({
      engine: { url: server.url, options: { name: `r${i}`, leaseMs: 4000 } },
    });
    try {
      await trial(planOf, REPLICAS);
    } finally {
      await server.close();
    }
  });
});
