import type { Stretch } from '../../../../src/simulation/index.ts';
import type { History } from '../../game/history/history.ts';
import { countUpTo } from '../../game/history/track.ts';

/** The score of a protocol up to some moment. */
export interface Score {
  readonly firstLeaderMs: number | null;
  readonly messages: number;
  /** How many leaderships began after the first. */
  readonly changes: number;
  readonly darkMs: number;
  readonly doubleMs: number;
}

interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

export function scoreAt(history: History, ms: number): Score {
  const acting = spans(history.acting, ms);
  const running = history.acting.flatMap((stretch) => awake(history, stretch, ms));
  const claims = history.claims.filter(({ fromUs }) => fromUs / 1000 <= ms);
  return {
    firstLeaderMs: acting[0]?.fromMs ?? null,
    messages: countUpTo(history.flights.sentMs, ms),
    changes: Math.max(0, claims.length - 1),
    darkMs: ms - coveredMs(running, 1),
    doubleMs: coveredMs(acting, 2),
  };
}

function spans(stretches: readonly Stretch[], ms: number): Span[] {
  return stretches
    .map(({ fromUs, toUs }) => ({
      fromMs: fromUs / 1000,
      toMs: Math.min(ms, toUs === null ? ms : toUs / 1000),
    }))
    .filter(({ fromMs }) => fromMs <= ms);
}

/** A paused process does not count as a leader, although it would act the moment it resumes. */
function awake(history: History, stretch: Stretch, ms: number): Span[] {
  const [whole] = spans([stretch], ms);
  if (whole === undefined) return [];
  const { timesMs, values } = history.shots.get(stretch.member)!;
  const pieces: Span[] = [];
  let { fromMs } = whole;
  for (
    let i = Math.max(0, countUpTo(timesMs, fromMs) - 1);
    i < values.length && timesMs[i]! < whole.toMs;
    i++
  ) {
    const nextMs = Math.min(whole.toMs, timesMs[i + 1] ?? whole.toMs);
    if (!values[i]!.paused && nextMs > fromMs) pieces.push({ fromMs, toMs: nextMs });
    fromMs = nextMs;
  }
  return pieces;
}

/** For how long at least this many of them overlapped. */
function coveredMs(all: readonly Span[], least: number): number {
  const turns = all.flatMap(({ fromMs, toMs }) => [
    { ms: fromMs, by: 1 },
    { ms: toMs, by: -1 },
  ]);
  turns.sort((a, b) => a.ms - b.ms || a.by - b.by);
  let covered = 0;
  let count = 0;
  let sinceMs = 0;
  for (const { ms, by } of turns) {
    if (count >= least) covered += ms - sinceMs;
    sinceMs = ms;
    count += by;
  }
  return covered;
}
