/** Takeovers as tables, beside what was aimed at, and as pictures. */
import { loadavg } from 'node:os';
import path from 'node:path';
import type { Cost } from './candidates.ts';
import { at } from './floors.ts';
import { type Goal, printGoals } from './goals.ts';
import { type Bar, writeBars } from './plot.ts';
import { printTable } from './table.ts';
import type { Measured } from './takeover.ts';
import { printProfile } from './takeover-profile.ts';

const images: string = path.resolve(import.meta.dirname, '..', 'docs', 'images');

export function reportTakeovers(measured: readonly Measured[], trials: number): void {
  const [ours] = measured;
  const lock = measured.find(({ kind }) => kind.name.includes('advisory lock'));
  const on = `three candidates, ${trials} trials, a load of ${loadavg()[0]!.toFixed(1)} at the end`;
  for (const own of measured.filter(({ kind }) => kind.hasDeputies !== undefined))
    printGoals(`Goals of a takeover, ${own.kind.name}, preset \`lan\``, takeoverGoals(own, lock));
  const rivals = measured.filter(({ kind }) => kind.isFloor !== true);
  printTable(`Takeover: ms until the next one acts, ${on}`, [...floorRows(ours!), ...rivals.map(timesRow)]);
  for (const own of measured) printProfile(own);
  const bare = { ...restRow('floor: a bare process of Node.js', '', null), 'memory MB': ours!.bareMb };
  printTable(`At rest, ${on}`, [bare, ...measured.flatMap(restRows)]);
  writePictures(measured);
}

function takeoverGoals({ kind, times, floors, rest }: Measured, lock: Measured | undefined): Goal[] {
  const median = (of: readonly number[] | undefined): number => at(of ?? [], 0.5);
  const floorMs = median(floors);
  const resignMs = Math.max(
    1.5,
    Number.isNaN(median(lock?.times.resign)) ? 0 : 0.9 * median(lock?.times.resign),
  );
  const killed = { what: 'kill -9 of the leader, median', measured: median(times.kill), unit: 'ms' };
  return [
    { ...killed, goal: '≤ 1.3 × the floor', limit: 1.3 * floorMs },
    { ...killed, goal: 'less than the advisory lock', limit: median(lock?.times.kill), isStrict: true },
    {
      what: 'the leader resigns, median',
      goal: '≤ 1.5 ms, or ≤ 0.9 × the advisory lock',
      limit: resignMs,
      measured: median(times.resign),
      unit: 'ms',
    },
    {
      what: 'SIGSTOP of the leader, median',
      goal: '≤ 1.15 × the lease',
      limit: 1.15 * kind.leaseMs!,
      measured: median(times.pause),
      unit: 'ms',
    },
    { what: 'leader at rest', goal: 'of a core', limit: 1, measured: cpuOf(rest?.leader), unit: '%' },
    { what: 'follower at rest', goal: 'of a core', limit: 0.7, measured: cpuOf(rest?.follower), unit: '%' },
    {
      what: 'memory of a member at rest, the largest role',
      goal: '',
      limit: 60,
      measured: Math.max(rest?.leader.rssMb ?? Number.NaN, rest?.follower.rssMb ?? Number.NaN),
      unit: 'MB',
    },
  ];
}

const cpuOf = (cost: Cost | undefined): number => (cost?.cpuMs ?? Number.NaN) / 10;

type Row = Record<string, string | number>;

function floorRows({ floors, saves }: Measured): Row[] {
  const row = (what: string, times: readonly number[]): Row => ({
    ...EMPTY_ROW,
    candidates: what,
    'kill -9, median': at(times, 0.5),
    p95: at(times, 0.95),
  });
  return [
    row('floor: a bare process is killed, its peer sees the socket closed', floors),
    row('floor: write, fsync, rename', saves),
  ];
}

const EMPTY_ROW: Row = {
  candidates: '',
  'kill -9, median': '',
  p95: '',
  'resigns, median': '',
  'p95 ': '',
  'SIGSTOP, median': '',
  'p95  ': '',
  'of the lease': '',
  'floor in its minutes': '',
  note: '',
};

function timesRow({ kind, times, floors, leftOut }: Measured): Row {
  if (leftOut !== null) return { ...EMPTY_ROW, candidates: kind.name, note: `left out: ${leftOut}` };
  const paused = at(times.pause, 0.5);
  const isReplaced = paused !== Number.POSITIVE_INFINITY;
  return {
    candidates: kind.name,
    'kill -9, median': at(times.kill, 0.5),
    p95: at(times.kill, 0.95),
    'resigns, median': at(times.resign, 0.5),
    'p95 ': at(times.resign, 0.95),
    'SIGSTOP, median': isReplaced ? paused : 'never',
    'p95  ': isReplaced ? at(times.pause, 0.95) : '',
    'of the lease': isReplaced && kind.leaseMs !== null ? paused / kind.leaseMs : '',
    'floor in its minutes': at(floors, 0.5),
    note: '',
  };
}

function restRows({ kind, rest, leftOut }: Measured): Row[] {
  if (rest === null) return [{ ...restRow(kind.name, '', null), note: `left out: ${leftOut}` }];
  return [
    restRow(kind.name, 'leader', rest.leader),
    restRow('', 'each follower', rest.follower),
    ...(rest.server === null
      ? []
      : [{ ...restRow('', 'the server', rest.server), note: 'messages are requests' }]),
  ];
}

function restRow(candidates: string, what: string, cost: Cost | null): Row {
  return {
    candidates,
    process: what,
    'CPU %': cost === null ? '' : cpuOf(cost),
    'memory MB': cost?.rssMb ?? '',
    'messages/s': cost?.messages ?? '',
    'bytes/s': cost?.bytes ?? '',
    note: '',
  };
}

function writePictures(measured: readonly Measured[]): void {
  const there = measured.filter(({ leftOut }) => leftOut === null);
  const [ours] = measured;
  const floor: Bar = { label: 'floor', value: at(ours!.floors, 0.5), upTo: at(ours!.floors, 0.95) };
  const none: Bar = { label: 'floor', value: Number.NaN };
  const bars = (blow: 'kill' | 'resign' | 'pause'): Bar[] =>
    there
      .filter(({ kind }) => kind.isFloor !== true)
      .map(({ kind, times }) => ({
        label: plain(kind.name),
        value: at(times[blow], 0.5),
        upTo: at(times[blow], 0.95),
      }));
  writeBars(path.join(images, 'takeover.svg'), 'Until the next one acts: ms, median and p95, logarithmic', [
    { title: 'kill -9 of the leader', bars: [...bars('kill'), floor], isLogarithmic: true },
    { title: 'the leader resigns', bars: [...bars('resign'), none], isLogarithmic: true },
    { title: 'SIGSTOP of the leader', bars: [...bars('pause'), none], isLogarithmic: true },
  ]);
  const costs = (of: (cost: Cost) => number): Bar[] =>
    there.flatMap(({ kind, rest }) =>
      rest === null
        ? []
        : [
            { label: plain(kind.name), value: of(rest.leader) },
            { label: '… follower', value: of(rest.follower) },
          ],
    );
  writeBars(path.join(images, 'at-rest.svg'), 'One election at rest: the leader, and each follower', [
    { title: '% of a core', bars: costs(cpuOf) },
    { title: 'MB of memory', bars: costs(({ rssMb }) => rssMb) },
  ]);
}

const plain = (name: string): string => name.replaceAll('`', '');
