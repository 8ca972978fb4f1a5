/**
 * For replicas whose scheduler tells only of the fire times since it started. One that runs its next fire time at once
 * passes over all earlier ones, which other replicas may be about to run: occasions of a series only grow.
 */
import type { Election } from '../election.ts';
import type { Leadership } from '../leadership.ts';

/** How long an election has no leader until no other replica seems to want to lead. */
const QUIET_MS = 3000;
/** A replica waits no longer than this in all. */
const LONGEST_WAIT_MS = 60_000;

/**
 * Settles when this fire time of a series is recorded, and so all before it are, or when no other replica wants to run
 * any. That the election has no leader for a while does not say so: the others may be slow to elect one. So this one is
 * elected, and resigns; whichever replica waits to lead is the leader then, and runs what it knows of.
 */
export async function othersFirst(
  election: Election,
  series: string,
  occasion: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const ofSeries = (each: { readonly series: string }): boolean => each.series === series;
  const isNew = (): boolean => ![...election.runs.runs, ...election.runs.open].some(ofSeries);
  const isRecorded = (): boolean =>
    election.runs.runs.some(
      (run) => ofSeries(run) && Date.parse(String(run.occasion)) >= Date.parse(occasion),
    );
  const late = AbortSignal.timeout(LONGEST_WAIT_MS);
  const over = signal === undefined ? late : AbortSignal.any([signal, late]);
  if (!(await election.becomesKnown(over)) || (isNew() && election.isCurrent)) return;
  if (!isNew() && (await settles(election, isRecorded, QUIET_MS, over))) return;
  const leadership = await campaign(election, isRecorded, over);
  if (leadership === null) return;
  await election.current(leadership).catch(() => {}); // A member that has just started may know of nothing.
  const isFirst = isNew();
  await leadership.resign().catch(() => {});
  if (!isFirst) await settles(election, isRecorded, QUIET_MS, over);
}

/** True: it is so. False: there was no leader for this long, or the signal is aborted. */
async function settles(
  election: Election,
  isSo: () => boolean,
  quietMs: number,
  signal: AbortSignal,
): Promise<boolean> {
  const quiet = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  try {
    for await (const { leader } of election.observe({ signal: AbortSignal.any([signal, quiet.signal]) })) {
      clearTimeout(timer);
      if (isSo()) return true;
      if (leader === null && quietMs !== Number.POSITIVE_INFINITY)
        timer = setTimeout(() => quiet.abort(), quietMs);
    }
    return false;
  } finally {
    clearTimeout(timer);
  }
}

/** Null: it is so before we are elected, or the signal is aborted. */
async function campaign(
  election: Election,
  isSo: () => boolean,
  signal: AbortSignal,
): Promise<Leadership | null> {
  const stop = new AbortController();
  const either = AbortSignal.any([signal, stop.signal]);
  void settles(election, isSo, Number.POSITIVE_INFINITY, either).then(() => stop.abort());
  try {
    return await election.campaign({ signal: either });
  } catch (error) {
    if (either.aborted) return null;
    throw error;
  } finally {
    stop.abort();
  }
}
