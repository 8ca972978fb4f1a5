/**
 * For replicas whose scheduler tells only of the fire times since it started. One that runs its next fire time at once
 * passes over all earlier ones, which other replicas may be about to run: occasions of a series only grow.
 */
import { anyOf } from '../aborts.ts';
import type { Clock } from '../clock.ts';
import type { Election } from '../election.ts';
import type { Leadership } from '../leadership.ts';

/** How long an election has no leader until no other replica seems to want to lead. */
const QUIET_MS = 3000;
/** How long a replica waits for others that record nothing of the series. */
const LONGEST_WAIT_MS = 60_000;
/** The longest time that is counted at once, see `afterAwake`. */
const STEP_MS = 250;

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
  const idle = new AbortController();
  const forget = whenIdle(election, series, () => idle.abort());
  const over = signal === undefined ? idle.signal : anyOf([signal, idle.signal]);
  try {
    if (!(await election.becomesKnown(over)) || (isNew() && election.isCurrent)) return;
    if (!isNew() && (await settles(election, isRecorded, QUIET_MS, over))) return;
    const leadership = await campaign(election, isRecorded, over);
    if (leadership === null) return;
    await election.current(leadership).catch(() => {}); // A member that has just started may know of nothing.
    const isFirst = isNew();
    await leadership.resign().catch(() => {});
    if (!isFirst) await settles(election, isRecorded, QUIET_MS, over);
  } finally {
    forget();
  }
}

/**
 * Calls back once no replica has recorded anything of the series for a while, and none is at work on it. Others that have
 * much to catch up with may take long until they come to the fire time that this replica waits with.
 */
function whenIdle(election: Election, series: string, call: () => void): () => void {
  const ofSeries = (each: { readonly series: string }): boolean => each.series === series;
  let seen = '';
  const isBusy = (): boolean => {
    try {
      const open = election.runs.open.find(ofSeries);
      const before = seen;
      seen = JSON.stringify([open, election.runs.runs.findLast(ofSeries)]);
      return seen !== before || (open !== undefined && open.member === election.leader()?.name);
    } catch {
      return false; // What is published is no record: `once` tells.
    }
  };
  let stop = (): void => {};
  const wait = (): void => {
    stop = afterAwake(election.clock, LONGEST_WAIT_MS, () => (isBusy() ? wait() : call()));
  };
  isBusy();
  wait();
  return () => stop();
}

/**
 * Calls back after this much time in which this process ran. One that stalls hears nothing meanwhile: that it knows of no
 * leader afterwards says nothing until it has read its messages, so a stall counts as one short step.
 */
function afterAwake(clock: Clock, ms: number, call: () => void): () => void {
  let stop = (): void => {};
  const step = (leftMs: number): void => {
    if (leftMs <= 0) return call();
    stop = clock.after(Math.min(STEP_MS, leftMs), () => step(leftMs - STEP_MS));
  };
  step(ms);
  return () => stop();
}

/** True: it is so. False: there was no leader for this long, or the signal is aborted. */
async function settles(
  election: Election,
  isSo: () => boolean,
  quietMs: number,
  signal: AbortSignal,
): Promise<boolean> {
  const quiet = new AbortController();
  let stop = (): void => {};
  try {
    for await (const { leader } of election.observe({ signal: anyOf([signal, quiet.signal]) })) {
      stop();
      if (isSo()) return true;
      if (leader === null && quietMs !== Number.POSITIVE_INFINITY)
        stop = afterAwake(election.clock, quietMs, () => quiet.abort());
    }
    return false;
  } finally {
    stop();
  }
}

/** Null: it is so before we are elected, or the signal is aborted. */
async function campaign(
  election: Election,
  isSo: () => boolean,
  signal: AbortSignal,
): Promise<Leadership | null> {
  const stop = new AbortController();
  const either = anyOf([signal, stop.signal]);
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
