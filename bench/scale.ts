/**
 * Many elections on three candidates: what they cost at rest, and how soon they are led again when the candidate that leads most
 * of them is killed; ours beside those of others. And the shards of five replicas.
 * `CAUCUS_BENCH_ELECTIONS=1,100` measures other numbers of elections, `CAUCUS_BENCH_PRESET=lan` shorter times than the usual
 * ones, `CAUCUS_BENCH_TRIALS=5` and `CAUCUS_BENCH_BUDGET_S=60` fewer trials, `CAUCUS_BENCH_PEERS=none` only our own.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { ensureDebian } from '../test/support/debian.ts';
import { type Candidates, type Cost, nowMs } from './candidates.ts';
import { using } from './closing.ts';
import { etcdBed, postgresBed, redisBed } from './engines.ts';
import { at, measureFloors } from './floors.ts';
import { reportScale } from './scale-report.ts';
import { shardsOnMembers } from './shards.ts';
import { StoreCandidates } from './store-candidates.ts';
import { Cluster } from './takeover-cluster.ts';

const SIZES = (process.env.CAUCUS_BENCH_ELECTIONS ?? '1,100,1000,10000').split(',').map(Number);
const PRESET = process.env.CAUCUS_BENCH_PRESET ?? 'steady';
const TRIALS = Number(process.env.CAUCUS_BENCH_TRIALS ?? 30);
const HAS_PEERS = process.env.CAUCUS_BENCH_PEERS !== 'none';
/** Kills of one kind and size end after this time, and the table says how many there were. */
const BUDGET_S = Number(process.env.CAUCUS_BENCH_BUDGET_S ?? 300);
const PEER_SIZES = [100, 1000];
const SHARDS = 1000;

/** Histories are written, code is compiled and garbage collected for some seconds after all are led. */
const WARM_S = 12;
const IDLE_S = 5;
/** At rest, the processor time of two windows differs by less than this share, or by less than a thousandth of a core. */
const SAME_SHARE = 0.2;
const SAME_MS = 1;
const WINDOW_S = 2;
const MOST_WINDOWS = 30;
/** The processor is back to rest once a second takes no more than this much of what it took before, and 1 % of a core. */
const REST_FACTOR = 1.5;
const MOST_REST_S = 60;
/** Elections that are not all led by then are given up, and the table says so. */
const MOST_LED_S = Math.min(300, BUDGET_S);

/** One kill. Infinity: not within its limit. */
interface Kill {
  readonly lost: number;
  /** When the first 100 of them, or all if they are fewer, were led again. */
  readonly first100Ms: number;
  readonly allMs: number;
  /** From when all are led again. NaN: they were not. */
  readonly restS: number;
}

/** What was measured of a kind of candidates with a number of elections. */
export interface Scale {
  readonly kind: string;
  readonly elections: number;
  allLedS: number;
  /** The mean of the candidates, at rest. */
  cost: Cost | null;
  readonly kills: Kill[];
  leftOut: string | null;
}

interface ScaleKind {
  readonly name: string;
  /** Why it cannot be measured with so many elections, or null. */
  missing(elections: number): string | null;
  open(elections: number): Promise<Candidates>;
}

const ours: ScaleKind = {
  name: 'caucus',
  missing: () => null,
  open: (elections) => Cluster.open({ elections, preset: PRESET }),
};

/** A lock that is waited for takes a connection, so three candidates need three for each election. */
const MOST_CONNECTIONS = 400;

const PEERS: readonly ScaleKind[] = [
  {
    name: '`pg`, advisory lock',
    missing: (elections) =>
      3 * elections > MOST_CONNECTIONS
        ? `${3 * elections} connections, one for each lock that is held or waited for`
        : ensureDebian(['postgresql']),
    open: (elections) =>
      StoreCandidates.open(() => postgresBed({ max_connections: String(MOST_CONNECTIONS) }), {
        client: 'pg',
        leaseMs: 0,
        elections,
      }),
  },
  {
    name: '`redlock`, a lease of 5 s',
    missing: () => ensureDebian(['redis-server', 'redis-tools']),
    open: (elections) => StoreCandidates.open(redisBed, { client: 'redlock', leaseMs: 5000, elections }),
  },
  {
    name: '`etcd3`, a lease of 5 s',
    missing: () => ensureDebian(['etcd-server', 'etcd-client']),
    open: (elections) => StoreCandidates.open(etcdBed, { client: 'etcd3', leaseMs: 5000, elections }),
  },
];

export async function benchScale(): Promise<void> {
  const floors = await measureFloors();
  const all: Scale[] = [];
  for (const elections of SIZES) all.push(await measure(ours, elections));
  if (HAS_PEERS)
    for (const kind of PEERS) for (const elections of PEER_SIZES) all.push(await measure(kind, elections));
  const shards = await shardsOnMembers(SHARDS, TRIALS, BUDGET_S * 1000).catch((error: Error) => error);
  reportScale(all, floors, shards, PRESET);
}

async function measure(kind: ScaleKind, elections: number): Promise<Scale> {
  const found: Scale = {
    kind: kind.name,
    elections,
    allLedS: Number.NaN,
    cost: null,
    kills: [],
    leftOut: kind.missing(elections),
  };
  if (found.leftOut === null) {
    const fromMs = nowMs();
    try {
      await using(kind.open(elections), (candidates) => fill(found, candidates, fromMs));
    } catch (error) {
      found.leftOut = error instanceof Error ? error.message : String(error);
    }
  }
  const said = JSON.stringify({
    ...found,
    kills: found.kills.length,
    allMs: at(
      found.kills.map(({ allMs }) => allMs),
      0.5,
    ),
  });
  process.stderr.write(`scale: ${said}\n`);
  return found;
}

async function fill(found: Scale, candidates: Candidates, fromMs: number): Promise<void> {
  found.allLedS = ((await inTime(candidates.allLed())) - fromMs) / 1000;
  if (found.allLedS === Number.POSITIVE_INFINITY) {
    found.leftOut = `not all led within ${MOST_LED_S} s`;
    return;
  }
  await sleep(WARM_S * 1000);
  const cost = await atRest(candidates);
  found.cost = cost;
  const endMs = nowMs() + BUDGET_S * 1000;
  for (let i = 0; i < TRIALS && nowMs() < endMs; i++) {
    // A leader may have changed meanwhile.
    if ((await inTime(candidates.allLed())) === Number.POSITIVE_INFINITY) return;
    const { victim, lost, timesMs, ended } = candidates.killBusiest();
    const isOver = (await inTime(ended.then(() => 0))) === 0;
    const inOrder = timesMs.toSorted((a, b) => a - b);
    found.kills.push({
      lost,
      first100Ms: inOrder[Math.min(lost, 100) - 1] ?? Number.POSITIVE_INFINITY,
      allMs: inOrder[lost - 1] ?? Number.POSITIVE_INFINITY,
      restS: isOver ? await untilRest(candidates, cost.cpuMs) : Number.NaN,
    });
    if (!isOver) return;
    await candidates.start(victim);
    await atRest(candidates);
  }
}

/** The value, or Infinity if it takes longer than elections are waited for. */
async function inTime(value: Promise<number>): Promise<number> {
  const late = new AbortController();
  const limit = sleep(MOST_LED_S * 1000, Number.POSITIVE_INFINITY, { signal: late.signal });
  limit.catch(() => {});
  try {
    return await Promise.race([value, limit]);
  } finally {
    late.abort();
  }
}

/** The mean of all candidates during this time. */
async function meanCost(candidates: Candidates, seconds: number): Promise<Cost> {
  const costs = [...(await candidates.costs(seconds)).values()];
  const mean = (field: keyof Cost): number =>
    costs.reduce((sum, cost) => sum + cost[field], 0) / costs.length;
  return { cpuMs: mean('cpuMs'), rssMb: mean('rssMb'), messages: mean('messages'), bytes: mean('bytes') };
}

/** The seconds until one begins that takes no more of the processor than at rest. */
async function untilRest(candidates: Candidates, cpuMs: number): Promise<number> {
  const fromMs = nowMs();
  for (;;) {
    const startS = (nowMs() - fromMs) / 1000;
    if (startS > MOST_REST_S) return Number.POSITIVE_INFINITY;
    if ((await meanCost(candidates, 1)).cpuMs <= cpuMs * REST_FACTOR + 10) return startS;
  }
}

/** What a candidate takes once the elections have come to rest: it becomes no less. */
async function atRest(candidates: Candidates): Promise<Cost> {
  let before = Number.POSITIVE_INFINITY;
  for (let i = 0; i < MOST_WINDOWS; i++) {
    const { cpuMs } = await meanCost(candidates, WINDOW_S);
    if (Math.abs(cpuMs - before) <= Math.max(before * SAME_SHARE, SAME_MS)) break;
    before = cpuMs;
  }
  return await meanCost(candidates, IDLE_S);
}
