import { type Stretch, type Violation, World, type WorldEvent } from '../../../../src/simulation/index.ts';
import { type Run, scenarioOf } from '../run/run.ts';

/** What must still go wrong in a shorter run. */
export interface Target {
  readonly property: string;
  /** Two leaders for a moment differ from two for long. Omitted if it does not matter. */
  readonly lastsMs: number;
}

/** The progress: the smallest run so far, and how many were tried. */
export interface Shrinking {
  readonly run: Run;
  readonly tries: number;
}

/** The maximum number of runs. */
const MOST_TRIES = 600;
/** How long the run continues after the failure. */
const AFTERMATH_MS = 1000;

/**
 * Leaves out events of a run as long as the same failure still happens: first large pieces, then smaller ones (the
 * ddmin of Zeller and Hildebrandt), so that no remaining event can be left out. Yields after every try.
 */
export function* shrink(run: Run, target: Target): Generator<Shrinking, Shrinking> {
  let tries = 0;
  let best = run;
  const attempt = (events: readonly WorldEvent[]): boolean => {
    tries += 1;
    const candidate = { ...run, events };
    if (breaksAt(candidate, target) === null) return false;
    best = candidate;
    return true;
  };
  let pieces = 2;
  if (run.events.length > 0 && attempt([])) pieces = 0;
  yield { run: best, tries };
  while (pieces > 0 && best.events.length > 1 && tries < MOST_TRIES) {
    const size = Math.ceil(best.events.length / pieces);
    let isSmaller = false;
    for (let at = 0; at < best.events.length && tries < MOST_TRIES; at += size) {
      const { events } = best;
      isSmaller = attempt([...events.slice(0, at), ...events.slice(at + size)]);
      yield { run: best, tries };
      if (isSmaller) break;
    }
    if (isSmaller) pieces = Math.max(2, pieces - 1);
    else if (size === 1) break;
    else pieces = Math.min(best.events.length, pieces * 2);
  }
  const atMs = breaksAt(best, target);
  const untilMs = atMs === null ? run.untilMs : Math.min(run.untilMs, Math.ceil(atMs + AFTERMATH_MS));
  const events = best.events.filter((event) => event.atMs <= untilMs);
  return { run: { ...best, events, untilMs }, tries };
}

/** When it has gone wrong for long enough, or null if it does not. */
export function breaksAt(run: Run, { property, lastsMs }: Target): number | null {
  const world = new World(scenarioOf(run, [...run.events]), run.seed);
  const untilUs = Math.round(run.untilMs * 1000);
  const lastsUs = lastsMs * 1000;
  do {
    const found = world.violations.find((each: Violation) => each.property === property);
    if (found === undefined) continue;
    if (lastsMs === 0) return found.atMs;
    const sinceUs = togetherSinceUs(world.acting.open);
    if (sinceUs !== null && world.nowUs - sinceUs >= lastsUs) return world.nowUs / 1000;
  } while (world.step(untilUs));
  const sinceUs = togetherSinceUs(world.acting.open);
  return lastsMs > 0 && sinceUs !== null && untilUs - sinceUs >= lastsUs ? run.untilMs : null;
}

/** Since when at least two of them lead at once. */
function togetherSinceUs(open: readonly Stretch[]): number | null {
  const starts = open.map((each) => each.fromUs).sort((a, b) => a - b);
  return starts[1] ?? null;
}
