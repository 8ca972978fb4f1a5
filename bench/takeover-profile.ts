/**
 * Where the milliseconds of a takeover go, after kill -9 of the leader. Members note by the machine's monotonic clock what they do
 * (takeover-probe.cjs), so that moments of different processes can be compared.
 */
import type { Mark, Takeover } from './candidates.ts';
import { at } from './floors.ts';
import { printTable } from './table.ts';
import type { Measured } from './takeover.ts';
import type { Cluster } from './takeover-cluster.ts';

const DETECTION = [
  'the kernel ends the process, and its peer sees the connection closed',
  'the peer proves that the process is dead',
];
const CALL = ['it is elected', 'its work is called'];

/** Each lasts from the end of the one before, by the process that goes on. */
const PHASES = [
  ...DETECTION,
  'until a voter has its request for a vote, before which comes a pre-vote',
  'a voter saves its vote',
  'the vote arrives, and a majority is counted',
  'the winner saves',
  ...CALL,
];
/** A deputy has its votes already. */
const PHASES_OF_DEPUTY = [...DETECTION, 'until it begins to save', 'it saves', ...CALL];

/** The length of each phase in one takeover; null if the marks do not show all of them, as after a second election. */
export async function phasesOf(cluster: Cluster, { ms, fromMs, next }: Takeover): Promise<number[] | null> {
  if (next === null) return null;
  const ownMarks = await marksOf(cluster, next.id, fromMs);
  const voters = cluster.list.filter(({ id }) => id !== next.id);
  const votes = await Promise.all(voters.map(({ id }) => marksOf(cluster, id, fromMs)));
  const save = first(ownMarks, 'save');
  // With more than three members there are several votes; the first is counted.
  const vote = votes.filter((marks) => first(marks, 'saved') <= save).sort(bySaved)[0] ?? [];
  const looks = ownMarks.filter(({ what, atMs }) => what === 'look' && atMs <= first(vote, 'save'));
  const moments = [
    0,
    first(ownMarks, 'closed'),
    looks.at(-1)?.atMs ?? Number.NaN,
    first(vote, 'save'),
    first(vote, 'saved'),
    save,
    first(ownMarks, 'saved'),
    first(ownMarks, 'elected'),
    ms,
  ];
  return lengthsOf(moments);
}

/** The same of a takeover by a deputy. */
export async function phasesOfDeputy(
  cluster: Cluster,
  { ms, fromMs, next }: Takeover,
): Promise<number[] | null> {
  if (next === null) return null;
  const marks = await marksOf(cluster, next.id, fromMs);
  const save = first(marks, 'save');
  const looks = marks.filter(({ what, atMs }) => what === 'look' && atMs <= save);
  const look = looks.at(-1)?.atMs ?? Number.NaN;
  return lengthsOf([
    0,
    first(marks, 'closed'),
    look,
    save,
    first(marks, 'saved'),
    first(marks, 'elected'),
    ms,
  ]);
}

function lengthsOf(moments: readonly number[]): number[] | null {
  const phases = moments.slice(1).map((moment, i) => moment - moments[i]!);
  return phases.every((phase) => phase >= 0) ? phases : null;
}

/** What it noted after the kill, by the time since then. */
async function marksOf(cluster: Cluster, id: number, fromMs: number): Promise<readonly Mark[]> {
  const candidate = cluster.list.find((each) => each.id === id)!;
  const { marks } = await cluster.ask(candidate, 'marks');
  return marks!.filter(({ atMs }) => atMs >= fromMs).map(({ what, atMs }) => ({ what, atMs: atMs - fromMs }));
}

/** NaN if there is none. */
function first(marks: readonly Mark[], what: string): number {
  return marks.find((mark) => mark.what === what)?.atMs ?? Number.NaN;
}

function bySaved(a: readonly Mark[], b: readonly Mark[]): number {
  return first(a, 'saved') - first(b, 'saved');
}

export function printProfile({
  kind,
  profiles,
  times: { kill },
}: Pick<Measured, 'kind' | 'profiles' | 'times'>): void {
  if (profiles.length === 0) return;
  const names = kind.hasDeputies ? PHASES_OF_DEPUTY : PHASES;
  const totals = profiles.map((phases) => phases.reduce((sum, phase) => sum + phase, 0));
  const rows = [...names.map((what, i) => ({ what, times: profiles.map((phases) => phases[i]!) }))];
  printTable(
    `Where a takeover goes after kill -9, ${kind.name}: ms, of ${profiles.length} of ${kill.length} trials`,
    [...rows, { what: 'all of it', times: totals }].map(({ what, times }) => ({
      what,
      median: at(times, 0.5),
      p95: at(times, 0.95),
    })),
  );
}
