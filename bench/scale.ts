/**
 * Many elections on three members: what they cost at rest, and how soon they are led again when the member that leads
 * most of them is killed. `CAUCUS_BENCH_ELECTIONS=1,100,10000` measures other numbers of elections,
 * `CAUCUS_BENCH_PRESET=lan` shorter times than the usual ones.
 */
import { loadavg } from 'node:os';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { at, measureFloors } from './floors.ts';
import { writeBars } from './plot.ts';
import { printTable } from './table.ts';
import { Cluster, nowMs } from './takeover-cluster.ts';

const SIZES = (process.env.CAUCUS_BENCH_ELECTIONS ?? '1,100,1000').split(',').map(Number);
const PRESETS: Readonly<Record<string, readonly [number, number]>> = {
  steady: [1800, 3000],
  lan: [150, 300],
};
const PRESET = process.env.CAUCUS_BENCH_PRESET ?? 'steady';
/** From so many elections on, opening them takes so long that there is one trial. */
const MANY = 1000;
const TRIALS = 3;
const IDLE_S = 5;
/** At rest the messages of two windows differ by less than this share. */
const SAME_SHARE = 0.1;
const WINDOW_S = 2;
const MOST_WINDOWS = 30;
/** The processor is back to rest once a second takes no more than this much of what it took before, and 1 % of a core. */
const REST_FACTOR = 1.5;
const MOST_REST_S = 60;
/** Elections that are not all led by then are given up, and the table says so. */
const MOST_LED_S = 300;

const images: string = path.resolve(import.meta.dirname, '..', 'docs', 'images');

/** Infinity: not within its limit. NaN: the trial did not get that far. */
interface Trial {
  readonly allLedS: number;
  readonly cpu: number;
  readonly messages: number;
  readonly bytes: number;
  readonly rssMb: number;
  readonly lost: number;
  /** When the first 100 of them, or all if they are fewer, were led again. */
  readonly first100Ms: number;
  readonly allMs: number;
  /** From when all are led again. */
  readonly restS: number;
}

const UNFINISHED: Trial = {
  allLedS: Number.NaN,
  cpu: Number.NaN,
  messages: Number.NaN,
  bytes: Number.NaN,
  rssMb: Number.NaN,
  lost: Number.NaN,
  first100Ms: Number.NaN,
  allMs: Number.NaN,
  restS: Number.NaN,
};

export async function benchScale(): Promise<void> {
  const timeoutMs = PRESETS[PRESET];
  if (timeoutMs === undefined)
    throw new Error(`CAUCUS_BENCH_PRESET: expected ${Object.keys(PRESETS).join(' or ')}`);
  const floors = await measureFloors();
  printTable('Floors of this machine, this minute, median', [
    { what: 'kill -9 of a bare process to its peer seeing the socket closed, ms', floor: floors.killMs },
    { what: 'write, fsync, rename, ms', floor: floors.saveMs },
    { what: 'memory of a bare process, MB', floor: floors.rssMb },
  ]);
  const rest: Record<string, string | number>[] = [];
  const killed: Record<string, string | number>[] = [];
  for (const elections of SIZES) {
    const trials: Trial[] = [];
    const count = elections >= MANY ? 1 : TRIALS;
    for (let i = 0; i < count; i++) {
      trials.push(await tryOnce(elections, timeoutMs));
      process.stderr.write(`scale: ${elections} elections, trial ${i + 1}: ${JSON.stringify(trials[i])}\n`);
    }
    const median = (field: keyof Trial, limit = ''): string | number => {
      const value = medianOf(trials.map((trial) => trial[field]));
      return Number.isNaN(value) ? '' : value === Number.POSITIVE_INFINITY ? `> ${limit}` : value;
    };
    const first100 = median('first100Ms', `${MOST_LED_S}000`);
    rest.push({
      elections: String(elections),
      trials: count,
      'all led s': median('allLedS', `${MOST_LED_S}`),
      'CPU %': median('cpu'),
      'messages/s': median('messages'),
      'bytes/s': median('bytes'),
      'memory MB': median('rssMb'),
      'load of the machine': loadavg()[0]!,
    });
    killed.push({
      elections: String(elections),
      'led by it': median('lost'),
      'first 100 led again ms': first100,
      '/ floor': typeof first100 === 'number' ? first100 / floors.killMs : '',
      'all led again ms': median('allMs', `${MOST_LED_S}000`),
      'at rest again, s later': median('restS', `${MOST_REST_S}`),
    });
  }
  const of = `3 members, timeouts ${timeoutMs.join('–')} ms, medians of the trials`;
  printTable(`At rest, per member: ${of}`, rest);
  printTable(`kill -9 of the member that leads most: ${of}`, killed);
  const bars = (column: string): { label: string; value: number }[] =>
    rest.flatMap(({ elections, [column]: value }) =>
      typeof value === 'number' ? [{ label: String(elections), value }] : [],
    );
  writeBars(path.join(images, 'many-elections.svg'), 'Elections at rest, each of three members', [
    { title: '% of a core', bars: bars('CPU %') },
    { title: 'messages a second', bars: bars('messages/s') },
    { title: 'MB of memory', bars: bars('memory MB') },
  ]);
}

async function tryOnce(elections: number, timeoutMs: readonly [number, number]): Promise<Trial> {
  const fromMs = nowMs();
  const cluster = await Cluster.open(3, elections, timeoutMs);
  try {
    const allLedS = ((await inTime(cluster.allLed())) - fromMs) / 1000;
    if (allLedS === Number.POSITIVE_INFINITY) return { ...UNFINISHED, allLedS };
    const { cpuMs, messages, bytes, rssMb } = await atRest(cluster);
    const rest = { allLedS, cpu: cpuMs / 10, messages, bytes, rssMb };
    // A leader may have changed meanwhile.
    if ((await inTime(cluster.allLed())) === Number.POSITIVE_INFINITY) return { ...UNFINISHED, ...rest };
    const { lost, timesMs, ended } = cluster.killBusiest();
    const first = Math.min(lost, 100);
    const isOver = (await inTime(ended.then(() => 0))) === 0;
    return {
      ...rest,
      lost,
      first100Ms: timesMs[first - 1] ?? Number.POSITIVE_INFINITY,
      allMs: timesMs[lost - 1] ?? Number.POSITIVE_INFINITY,
      restS: isOver ? await untilRest(cluster, cpuMs) : Number.NaN,
    };
  } finally {
    cluster.close();
  }
}

/** The value, or Infinity if it takes longer than elections are waited for. */
async function inTime(value: Promise<number>): Promise<number> {
  const late = new AbortController();
  const limit = setTimeout(MOST_LED_S * 1000, Number.POSITIVE_INFINITY, { signal: late.signal });
  limit.catch(() => {});
  try {
    return await Promise.race([value, limit]);
  } finally {
    late.abort();
  }
}

/** The seconds until one begins that takes no more of the processor than at rest. */
async function untilRest(cluster: Cluster, cpuMs: number): Promise<number> {
  const fromMs = nowMs();
  for (;;) {
    const startS = (nowMs() - fromMs) / 1000;
    if (startS > MOST_REST_S) return Number.POSITIVE_INFINITY;
    if ((await cluster.idle(1)).cpuMs <= cpuMs * REST_FACTOR + 10) return startS;
  }
}

/** NaN, if one of the trials did not get that far. */
function medianOf(values: readonly number[]): number {
  return values.some(Number.isNaN) ? Number.NaN : at(values, 0.5);
}

/** What a member takes once the elections have come to rest: their messages become no fewer. */
async function atRest(cluster: Cluster): ReturnType<Cluster['idle']> {
  let before = Number.POSITIVE_INFINITY;
  for (let i = 0; i < MOST_WINDOWS; i++) {
    const { messages } = await cluster.idle(WINDOW_S);
    if (Math.abs(messages - before) <= before * SAME_SHARE) break;
    before = messages;
  }
  return cluster.idle(IDLE_S);
}
