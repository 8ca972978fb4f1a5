import { catalogue } from '../../../src/protocols/index.ts';
import { readScenario, resultOf, runWorld } from '../../../src/simulation/index.ts';
import type { Run } from '../run/run.ts';
import type { Verdict } from './verdict-looks.ts';

/** Two leaders for less than this are told apart from two that go on: a new one is often heard of before the old one is told. */
const MOMENT_MS = 1000;
/** Leaders that come and go: so many new ones in the last stretch, some time after the last thing was done. */
const LAST_MS = 30_000;
const CALM_MS = 10_000;
const MANY = 3;
/** For less than this without a leader, the next one is only on its way. */
const GONE_MS = 5000;

/** Plays the run and says what it came to. */
export function verdictOf(run: Run): Verdict {
  const world = runWorld(readScenario(run, catalogue), run.seed);
  const { claims, acting, doubleMs, final } = resultOf(world);
  const { untilMs } = run;
  const sinceMs = Math.max(untilMs - LAST_MS, (run.events.at(-1)?.atMs ?? 0) + CALM_MS);
  if (claims.filter(({ fromMs }) => fromMs > sinceMs).length >= MANY) return 'flaps';
  const atEnd = acting.filter(({ toMs }) => toMs >= untilMs).length;
  if (atEnd > 1) return 'two-for-good';
  if (atEnd === 0) return acting.some(({ toMs }) => toMs > untilMs - GONE_MS) ? 'flaps' : 'nobody';
  if (doubleMs > 0) return doubleMs < MOMENT_MS ? 'moment' : 'two-then-one';
  return final.agreed ? 'one' : 'unknown-to-some';
}
