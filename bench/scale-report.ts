/** Many elections as tables, beside what was aimed at, and as a picture. */
import { loadavg } from 'node:os';
import path from 'node:path';
import { at, type Floors } from './floors.ts';
import { type Goal, printGoals } from './goals.ts';
import { type Bar, writeBars } from './plot.ts';
import type { Scale } from './scale.ts';
import type { ShardFigures } from './shards.ts';
import { printTable } from './table.ts';

const images: string = path.resolve(import.meta.dirname, '..', 'docs', 'images');
const MANY = 10_000;

type Row = Record<string, string | number>;

export function reportScale(
  all: readonly Scale[],
  floors: Floors,
  shards: ShardFigures | Error,
  preset: string,
): void {
  const own = all.filter(({ kind }) => kind === 'caucus');
  const figures: ShardFigures = shards instanceof Error ? new Map() : shards;
  const on = `three candidates, ours with the preset \`${preset}\`, a load of ${loadavg()[0]!.toFixed(1)} at the end`;
  printGoals('Goals of many elections', [...restGoals(own), ...killGoals(own), ...shardGoals(figures)]);
  printTable('Floors of this machine in the minute before, median', [
    { what: 'kill -9 of a bare process to its peer seeing the socket closed, ms', floor: floors.killMs },
    { what: 'write, fsync, rename, ms', floor: floors.saveMs },
    { what: 'memory of a bare process, MB', floor: floors.rssMb },
  ]);
  printTable(`Elections at rest, per candidate: ${on}`, all.map(restRow));
  printTable(
    `kill -9 of the candidate that leads most, ms: ${on}`,
    all.map((each) => killRow(each, floors)),
  );
  printTable('1,000 shards on five members; one is killed, then one is added', shardRows(shards));
  const bars = (of: (scale: Scale) => number): Bar[] =>
    own
      .filter(({ cost }) => cost !== null)
      .map((each) => ({ label: each.elections.toLocaleString('en-US'), value: of(each) }));
  writeBars(path.join(images, 'many-elections.svg'), 'Elections at rest, each of three members', [
    { title: '% of a core', bars: bars(({ cost }) => cost!.cpuMs / 10) },
    { title: 'messages a second', bars: bars(({ cost }) => cost!.messages) },
    { title: 'MB of memory', bars: bars(({ cost }) => cost!.rssMb) },
  ]);
}

/** From one election to ten thousand. */
function restGoals(own: readonly Scale[]): Goal[] {
  const of = (elections: number, field: 'cpuMs' | 'rssMb' | 'bytes'): number =>
    own.find((each) => each.elections === elections)?.cost?.[field] ?? Number.NaN;
  const grownKb = ((of(MANY, 'rssMb') - of(1, 'rssMb')) * 1024) / (MANY - 1);
  const what = '10,000 elections at rest';
  return [
    {
      what: `${what}, processor`,
      goal: '≤ 2 × that of one',
      limit: 2 * (of(1, 'cpuMs') / 10),
      measured: of(MANY, 'cpuMs') / 10,
      unit: '%',
    },
    { what: `${what}, memory`, goal: 'each', limit: 2, measured: grownKb, unit: 'KB' },
    {
      what: `${what}, bytes on the wire`,
      goal: 'as one, within 5 %',
      limit: 1.05 * of(1, 'bytes'),
      measured: of(MANY, 'bytes'),
      unit: '/s',
    },
  ];
}

function killGoals(own: readonly Scale[]): Goal[] {
  const kills = own.find(({ elections }) => elections === MANY)?.kills ?? [];
  const what = 'kill -9 with 10,000 elections';
  const times = (field: 'first100Ms' | 'allMs' | 'restS'): number[] => kills.map((kill) => kill[field]);
  return [
    {
      what: `${what}, the first 100 led again, median`,
      goal: '',
      limit: 20,
      measured: at(times('first100Ms'), 0.5),
      unit: 'ms',
    },
    {
      what: `${what}, all led again, p99`,
      goal: '',
      limit: 250,
      measured: at(times('allMs'), 0.99),
      unit: 'ms',
    },
    {
      what: `${what}, the processor at rest, median`,
      goal: '',
      limit: 5,
      measured: at(times('restS'), 0.5),
      unit: 's',
    },
  ];
}

function shardGoals(figures: ShardFigures): Goal[] {
  return [
    {
      what: '1,000 shards, one of five members killed: all owned again, median',
      goal: '',
      limit: 250,
      measured: at(figures.get('all owned again ms') ?? [], 0.5),
      unit: 'ms',
    },
    {
      what: '… then one added: balanced within one, median',
      goal: '',
      limit: 10,
      measured: at(figures.get('one added, balanced ms') ?? [], 0.5) / 1000,
      unit: 's',
    },
  ];
}

function restRow({ kind, elections, allLedS, cost, leftOut }: Scale): Row {
  return {
    candidates: kind,
    elections: elections.toLocaleString('en-US'),
    'all led s': Number.isFinite(allLedS) ? allLedS : '',
    'CPU %': cost === null ? '' : cost.cpuMs / 10,
    'messages/s': cost?.messages ?? '',
    'bytes/s': cost?.bytes ?? '',
    'memory MB': cost?.rssMb ?? '',
    note: cost === null ? `left out: ${leftOut}` : '',
  };
}

function killRow({ kind, elections, kills, leftOut }: Scale, floors: Floors): Row {
  const figure = (field: 'first100Ms' | 'allMs' | 'restS', p: number): string | number => {
    const value = at(
      kills.map((kill) => kill[field]),
      p,
    );
    return value === Number.POSITIVE_INFINITY ? 'not in time' : value;
  };
  const first = figure('first100Ms', 0.5);
  return {
    candidates: kind,
    elections: elections.toLocaleString('en-US'),
    trials: kills.length,
    'led by it': at(
      kills.map(({ lost }) => lost),
      0.5,
    ),
    'first 100 led again, median': first,
    p95: figure('first100Ms', 0.95),
    '/ floor': typeof first === 'number' ? first / floors.killMs : '',
    'all led again, median': figure('allMs', 0.5),
    'p95 ': figure('allMs', 0.95),
    p99: figure('allMs', 0.99),
    'at rest again, s later': figure('restS', 0.5),
    note: leftOut === null ? '' : `left out: ${leftOut}`,
  };
}

function shardRows(shards: ShardFigures | Error): Row[] {
  if (shards instanceof Error)
    return [{ what: `left out: ${shards.message}`, trials: 0, median: '', p95: '' }];
  return [...shards].map(([what, times]) => ({
    what,
    trials: times.length,
    median: at(times, 0.5),
    p95: at(times, 0.95),
  }));
}
