import type { MemberId } from '../../../../src/core/index.ts';
import { type History, openAt } from '../../game/history/history.ts';
import { countUpTo } from '../../game/history/track.ts';

interface Counters {
  readonly leaders: readonly MemberId[];
  readonly changes: number;
  readonly darkMs: number;
  readonly doubleMs: number;
  readonly messages: number;
  /** The most frequent first. */
  readonly byType: readonly (readonly [type: string, count: number])[];
}

interface Edge {
  readonly atMs: number;
  readonly acting: number;
  readonly running: number;
}

/** The counters of the run at that moment. */
export function countersAt(history: History, ms: number): Counters {
  const us = Math.round(ms * 1000);
  const byType = new Map<string, number>();
  const { all, sentMs } = history.flights;
  const messages = countUpTo(sentMs, ms);
  for (let i = 0; i < messages; i++) {
    const { type } = all[i]!.message;
    byType.set(type, (byType.get(type) ?? 0) + 1);
  }
  const claims = history.claims.filter((each) => each.fromUs <= us).length;
  return {
    leaders: openAt(history.claims, ms).map(({ member }) => member),
    changes: Math.max(0, claims - 1),
    ...coverageAt(history, ms),
    messages,
    byType: [...byType].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)),
  };
}

/**
 * How long no member could act, and how long two could. A paused member does not count, but may resume at any moment.
 */
function coverageAt(history: History, ms: number): { darkMs: number; doubleMs: number } {
  const edges = edgesUpTo(history, ms);
  let [acting, running, sinceMs, darkMs, doubleMs] = [0, 0, 0, 0, 0];
  for (const edge of [...edges, { atMs: ms, acting: 0, running: 0 }]) {
    const passedMs = edge.atMs - sinceMs;
    if (running === 0) darkMs += passedMs;
    if (acting > 1) doubleMs += passedMs;
    acting += edge.acting;
    running += edge.running;
    sinceMs = edge.atMs;
  }
  return { darkMs, doubleMs };
}

function edgesUpTo(history: History, ms: number): Edge[] {
  const edges: Edge[] = [];
  const add = (fromMs: number, toMs: number, acting: number, running: number): void => {
    if (fromMs >= ms || toMs <= fromMs) return;
    edges.push({ atMs: fromMs, acting, running });
    if (toMs < ms) edges.push({ atMs: toMs, acting: -acting, running: -running });
  };
  for (const { member, fromUs, toUs } of history.acting) {
    const [fromMs, toMs] = [fromUs / 1000, toUs === null ? Number.POSITIVE_INFINITY : toUs / 1000];
    add(fromMs, toMs, 1, 1);
    for (const [stopMs, goMs] of pausesOf(history, member, fromMs, Math.min(toMs, ms)))
      add(stopMs, goMs, 0, -1);
  }
  return edges.sort((a, b) => a.atMs - b.atMs);
}

function* pausesOf(
  history: History,
  member: MemberId,
  fromMs: number,
  toMs: number,
): Generator<[stopMs: number, goMs: number]> {
  const { timesMs, values } = history.shots.get(member)!;
  let stopMs: number | null = null;
  for (let i = Math.max(0, countUpTo(timesMs, fromMs) - 1); i < values.length && timesMs[i]! < toMs; i++) {
    const { paused } = values[i]!;
    if (paused) stopMs ??= Math.max(fromMs, timesMs[i]!);
    else if (stopMs !== null) {
      yield [stopMs, timesMs[i]!];
      stopMs = null;
    }
  }
  if (stopMs !== null) yield [stopMs, toMs];
}
