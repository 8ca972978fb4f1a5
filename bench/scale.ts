/**
 * Many elections on three members: what they cost at rest, and how soon they are led again when the member that leads
 * most of them is killed. `CAUCUS_BENCH_ELECTIONS=1,100,10000` measures other numbers of elections,
 * `CAUCUS_BENCH_PRESET=lan` shorter times than the usual ones.
 */
import { loadavg } from 'node:os';
import path from 'node:path';
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

const images: string = path.resolve(import.meta.dirname, '..', 'docs', 'images');

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
  /** From when all are led again. Infinity: not within a minute. */
  readonly restS: number;
}

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
    const median = (field: keyof Trial): number =>
      at(
        trials.map((trial) => trial[field]),
        0.5,
      );
    const load = loadavg()[0]!;
    rest.push({
      elections: String(elections),
      trials: count,
      'all led s': median('allLedS'),
      'CPU %': median('cpu'),
      'messages/s': median('messages'),
      'bytes/s': median('bytes'),
      'memory MB': median('rssMb'),
      'load of the machine': load,
    });
    killed.push({
      elections: String(elections),
      'led by it': median('lost'),
      'first 100 led again ms': median('first100Ms'),
      '/ floor': median('first100Ms') / floors.killMs,
      'all led again ms': median('allMs'),
      'at rest again, s later':
        median('restS') === Number.POSITIVE_INFINITY ? `> ${MOST_REST_S}` : median('restS'),
    });
  }
  const of = `3 members, timeouts ${timeoutMs.join('–')} ms, medians of the trials`;
  printTable(`At rest, per member: ${of}`, rest);
  printTable(`kill -9 of the member that leads most: ${of}`, killed);
  const bars = (column: string): { label: string; value: number }[] =>
    rest.map((row) => ({ label: `${row.elections}`, value: Number(row[column]) }));
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
    const allLedS = ((await cluster.allLed()) - fromMs) / 1000;
    const { cpuMs, messages, bytes, rssMb } = await atRest(cluster);
    // A leader may have changed meanwhile.
    await cluster.allLed();
    const { lost, timesMs } = await cluster.killBusiest();
    const ledMs = nowMs();
    let restS = Number.POSITIVE_INFINITY;
    while (nowMs() - ledMs < MOST_REST_S * 1000) {
      const startS = (nowMs() - ledMs) / 1000;
      if ((await cluster.idle(1)).cpuMs > cpuMs * REST_FACTOR + 10) continue;
      restS = startS;
      break;
    }
    return {
      allLedS,
      cpu: cpuMs / 10,
      messages,
      bytes,
      rssMb,
      lost,
      first100Ms: timesMs[Math.min(timesMs.length, 100) - 1]!,
      allMs: timesMs.at(-1)!,
      restS,
    };
  } finally {
    cluster.close();
  }
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
