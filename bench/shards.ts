/** Shards: one of five replicas is killed, then one is added; and what a partition costs at rest. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePorts } from '../test/support/free-ports.ts';
import { ShardLab } from '../test/support/shard-lab.ts';
import type { ShardPlan } from '../test/support/shard-replica.ts';
import { etcdBed, postgresBed, redisBed } from './engines.ts';
import { printTable } from './table.ts';

const SIZES = [64, 1000];
const REPLICAS = 5;
const TRIALS = 3;
const REST_MS = 5000;
const LEASE_MS = 2000;

interface Bed {
  readonly name: string;
  planOf(replica: number): Partial<ShardPlan>;
  /** The replica that is added: members come back under their ids. */
  added(killed: number): number;
  close(): Promise<void>;
}

export async function benchShards(): Promise<void> {
  const beds = [memberBed, localBed, onStore(postgresBed), onStore(redisBed), onStore(etcdBed)];
  for (const shards of SIZES) {
    const rows: Record<string, string | number>[] = [];
    for (const open of beds) {
      const bed = await open();
      try {
        rows.push(await benchBed(bed, shards));
      } finally {
        await bed.close();
      }
    }
    const lease = `the lease is ${LEASE_MS} ms on stores, 1500 ms on members`;
    printTable(`${shards} shards, five replicas, medians of ${TRIALS}; ${lease}`, rows);
  }
}

async function benchBed(bed: Bed, shards: number): Promise<Record<string, string | number>> {
  const figures = new Map<string, number[]>();
  const note = (what: string, figure: number): void => {
    figures.set(what, [...(figures.get(what) ?? []), figure]);
  };
  for (let trial = 0; trial < TRIALS; trial++) {
    const lab = new ShardLab(shards);
    const plan = (replica: number): ShardPlan => ({
      partition: `bench-${process.pid}-${trial}-${shards}`,
      shards,
      writes: null,
      ...bed.planOf(replica),
    });
    try {
      for (let i = 0; i < REPLICAS; i++) lab.start(i, plan(i));
      await lab.balanced();
      await sleep(1000);
      const before = cpuMs(lab.pids);
      await sleep(REST_MS);
      note('CPU of a replica at rest %', ((cpuMs(lab.pids) - before) / REST_MS / REPLICAS) * 100);
      const killedAtMs = await lab.kill(trial);
      await lab.owned();
      const begun = lab.begunSince(killedAtMs);
      note('first owned again ms', begun[0]! - killedAtMs);
      note('all owned again ms', begun.at(-1)! - killedAtMs);
      note('from first to last ms', begun.at(-1)! - begun[0]!);
      await lab.balanced();
      lab.start(bed.added(trial), plan(bed.added(trial)));
      const upAtMs = await lab.up(bed.added(trial));
      note('one added, balanced ms', (await lab.balanced()) - upAtMs);
    } finally {
      await lab.close();
    }
  }
  const row: Record<string, string | number> = { on: bed.name };
  for (const [what, all] of figures) row[what] = all.sort((a, b) => a - b)[TRIALS >> 1]!;
  return row;
}

/** The processor time of these processes so far. */
function cpuMs(pids: readonly number[]): number {
  const TICK_MS = 10;
  return pids.reduce((sum, pid) => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
    return sum + (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  }, 0);
}

async function memberBed(): Promise<Bed> {
  const folder = mkdtempSync(path.join(tmpdir(), 'caucus-shards-'));
  const ports = await freePorts(REPLICAS);
  const peers = ports.map((port, i) => ({ id: `m${i}`, url: `http://127.0.0.1:${port}` }));
  return {
    name: 'five members',
    planOf: (i) => ({
      member: { id: `m${i}`, listen: { port: ports[i]! }, peers, data: path.join(folder, `m${i}`) },
    }),
    added: (killed) => killed,
    close: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

async function localBed(): Promise<Bed> {
  const folder = mkdtempSync(path.join(tmpdir(), 'caucus-shards-'));
  return {
    name: 'one machine',
    planOf: (i) => ({ engine: { url: `local:${folder}`, options: { name: `r${i}` } } }),
    added: () => REPLICAS,
    close: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

function onStore(
  open: () => Promise<{ readonly name: string; readonly url: string; close(): Promise<void> }>,
): () => Promise<Bed> {
  return async () => {
    const { name, url, close } = await open();
    return {
      name,
      planOf: (i) => ({ engine: { url, options: { name: `r${i}`, leaseMs: LEASE_MS } } }),
      added: () => REPLICAS,
      close,
    };
  };
}
