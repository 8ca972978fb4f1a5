import { BadInput, oneLine, show } from '../../core/values.ts';
import type { FireTimes } from '../../once/index.ts';
import { problemOf } from '../work.ts';

const MS_PER_S = 1000;

/**
 * The fire times of a cron line: five fields, six with seconds first, or seven with years last. Throws BadInput for one
 * that cannot be read or never fires, and for an unknown zone. The package is loaded when it is needed.
 */
export async function fireTimes(line: string, timezone: string): Promise<FireTimes> {
  checkZone(timezone);
  const { Cron } = await import('croner');
  // The package also reads dates, which would fire once.
  const isLine = typeof line === 'string' && !/^\s*\d{4}-/.test(line);
  if (!isLine) throw new BadInput('schedule', 'a cron line, as in "0 3 * * *"', show(line));
  const next = ((): ((ms: number) => number | null) => {
    try {
      const cron = new Cron(line, { timezone });
      return (ms) => cron.nextRun(new Date(ms))?.getTime() ?? null;
    } catch (error) {
      const reason = oneLine(problemOf(error).replace(/^CronPattern: /, ''));
      throw new BadInput('schedule', 'a cron line, as in "0 3 * * *"', `${show(line)} (${reason})`);
    }
  })();
  if (!firesAfter(next, Date.now()))
    throw new BadInput('schedule', 'a cron line that fires some day', show(line));
  return { after: remembering(next), before: (ms, downTo) => lastBefore(next, ms, downTo) };
}

/** The package searches some lines that never fire until its stack is full: "0 0 31 2,4,6 *". */
function firesAfter(next: (ms: number) => number | null, ms: number): boolean {
  try {
    return next(ms) !== null;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** The search takes half a millisecond, and a schedule that rests asks for the same fire time again and again. */
function remembering(next: (ms: number) => number | null): (ms: number) => number | null {
  let fromMs = Number.POSITIVE_INFINITY;
  let nextMs: number | null = null;
  return (ms) => {
    if (ms >= fromMs && (nextMs === null || ms < nextMs)) return nextMs;
    fromMs = ms;
    nextMs = next(ms);
    return nextMs;
  };
}

/** Halves the time in which the last one must be. (The package has no search backwards that finds all of them.) */
function lastBefore(next: (ms: number) => number | null, ms: number, downTo: number): number | null {
  const isThere = (from: number): boolean => (next(from) ?? Number.POSITIVE_INFINITY) < ms;
  if (!isThere(downTo)) return null;
  let [low, high] = [downTo, ms];
  while (high - low > MS_PER_S) {
    const middle = Math.floor((low + high) / 2);
    if (isThere(middle)) low = middle;
    else high = middle;
  }
  // At most two are left, a second apart.
  const found = next(low)!;
  const second = next(found);
  return second !== null && second < ms ? second : found;
}

function checkZone(timezone: string): void {
  try {
    new Intl.DateTimeFormat('en', { timeZone: timezone });
  } catch {
    throw new BadInput('timezone', 'a zone, as in UTC or Europe/Berlin', show(timezone));
  }
}
