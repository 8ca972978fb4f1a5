/** Shards: one of five replicas is killed, then one is added; and what a partition costs at rest. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePorts } from '../test/support/free-ports.ts';
import { ShardLab } from '../test/support/shard-lab.ts';
import type { ShardPlan } from '../test/support/shard-replica.ts';
import { using } from './closing.ts';
import { etcdBed, postgresBed, redisBed } from './engines.ts';
import { at } from './floors.ts';
import { cpuMsOf } from './process-cost.ts';
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

type ShardFigure =
  | 'CPU of a replica at rest %'
  | 'first owned again ms'
  | 'all owned again ms'
  | 'from first to last ms'
  | 'one added, balanced ms';

/** Of each trial. */
export type ShardFigures = ReadonlyMap<ShardFigure, readonly number[]>;

export async function benchShards(): Promise<void> {
  const beds = [memberBed, localBed, onStore(() => postgresBed()), onStore(redisBed), onStore(etcdBed)];
  for (const shards of SIZES) {
    const rows: Record<string, string | number>[] = [];
    for (const open of beds) {
      const bed = await open();
      try {
        const figures = await benchBed(bed, shards, TRIALS, Number.POSITIVE_INFINITY);
        const row: Record<string, string | number> = { on: bed.name };
        for (const [what, all] of figures) row[what] = at(all, 0.5);
        rows.push(row);
      } finally {
        await bed.close();
      }
    }
    const lease = `the lease is ${LEASE_MS} ms on stores, 1500 ms on members`;
    printTable(`${shards} shards, five replicas, medians of ${TRIALS}; ${lease}`, rows);
  }
}

/** On five members, as many trials as fit into this time. */
export async function shardsOnMembers(
  shards: number,
  trials: number,
  budgetMs: number,
): Promise<ShardFigures> {
  return await using(memberBed(), (bed) => benchBed(bed, shards, trials, budgetMs));
}

/** Figures of each trial. */
async function benchBed(bed: Bed, shards: number, trials: number, budgetMs: number): Promise<ShardFigures> {
  const endMs = performance.now() + budgetMs;
  const figures = new Map<ShardFigure, number[]>();
  const note = (what: ShardFigure, figure: number): void => {
    figures.set(what, [...(figures.get(what) ?? []), figure]);
  };
  for (let trial = 0; trial < trials && performance.now() < endMs; trial++) {
    const victim = trial % REPLICAS;
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
      const killedAtMs = await lab.kill(victim);
      await lab.owned();
      const begun = lab.begunSince(killedAtMs);
      note('first owned again ms', begun[0]! - killedAtMs);
      note('all owned again ms', begun.at(-1)! - killedAtMs);
      note('from first to last ms', begun.at(-1)! - begun[0]!);
      await lab.balanced();
      const added = bed.added(victim);
      lab.start(added, plan(added));
      const upAtMs = await lab.up(added);
      note('one added, balanced ms', (await lab.balanced()) - upAtMs);
    } finally {
      await lab.close();
    }
  }
  return figures;
}

/** The processor time of these processes so far. */
function cpuMs(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + cpuMsOf(pid), 0);
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
