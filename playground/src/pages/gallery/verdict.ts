import { catalogue } from '../../../../src/protocols/index.ts';
import { readScenario, resultOf, runWorld } from '../../../../src/simulation/index.ts';
import type { Run } from '../../game/run/run.ts';
import type { Verdict } from './verdict-looks.ts';

/** Two leaders for less than this count as a moment: a new one is often heard of before the old one is told. */
const MOMENT_MS = 1000;
/** Leaders that come and go: this many new ones in the last stretch, some time after the last event. */
const LAST_MS = 30_000;
const CALM_MS = 10_000;
const MANY = 3;
/** Without a leader for less than this, the next one is only being elected. */
const GONE_MS = 5000;
/** A takeover takes seconds. After a longer time without a leader, none could be elected, or no member noticed. */
const LONG_GAP_MS = 10_000;

/** Plays the run and returns its verdict. */
export function verdictOf(run: Run): Verdict {
  const world = runWorld(readScenario(run, catalogue), run.seed);
  const { claims, acting, doubleMs, final } = resultOf(world);
  const { untilMs } = run;
  const sinceMs = Math.max(untilMs - LAST_MS, (run.events.at(-1)?.atMs ?? 0) + CALM_MS);
  if (claims.filter(({ fromMs }) => fromMs > sinceMs).length >= MANY) return 'flaps';
  const atEnd = acting.filter(({ toMs }) => toMs >= untilMs).length;
  if (atEnd > 1) return 'two-for-good';
  if (atEnd === 0) return acting.some(({ toMs }) => toMs > untilMs - GONE_MS) ? 'flaps' : 'none';
  if (doubleMs > 0) return doubleMs < MOMENT_MS ? 'moment' : 'two-then-one';
  if (longestGapMs(acting) > LONG_GAP_MS) return 'gap';
  return final.agreed ? 'one' : 'unknown-to-some';
}

/** The longest time in which no member could act, between the first and the last that could. */
function longestGapMs(acting: readonly { readonly fromMs: number; readonly toMs: number }[]): number {
  let longest = 0;
  let endMs = Number.POSITIVE_INFINITY;
  for (const { fromMs, toMs } of [...acting].sort((a, b) => a.fromMs - b.fromMs)) {
    longest = Math.max(longest, fromMs - endMs);
    endMs = endMs === Number.POSITIVE_INFINITY ? toMs : Math.max(endMs, toMs);
  }
  return longest;
}
