/**
 * caucus/croner: jobs of croner that run on one replica for each fire time, and on another if that one dies in the middle, by
 * `election.once`. For new schedules `election.schedule` is simpler: it reads the same lines.
 */
import { BadInput, show } from '../../core/index.ts';
import {
  type Election,
  fireTimes,
  type InTransaction,
  type OnceContext,
  type OnceOptions,
  type OnceOutcome,
  othersFirst,
  type TransactionContext,
} from '../../election/index.ts';

/** What is used of a job of croner. */
export interface CronerJob {
  readonly name?: string | undefined;
  readonly options: { readonly timezone?: string | undefined };
  getPattern(): string | undefined;
  currentRun(): Date | null;
}

export interface OncePerFireOptions extends Omit<OnceOptions, 'series'> {
  /** Which schedule it is, where several share one election (default: the name of the job, else `main`). */
  readonly series?: string;
  /** Called with what became of each fire time. */
  readonly onRun?: (outcome: OnceOutcome) => void;
}

const WEEK_MS = 7 * 24 * 3_600_000;

/**
 * The function of a job, of which each fire time is done once: `new Cron('0 3 * * *', oncePerFire(election, work))`. Every replica
 * has the same line and zone, and an election of the same name.
 */
export function oncePerFire<J extends CronerJob>(
  election: Election,
  work: (context: TransactionContext, job: J) => unknown,
  options: OncePerFireOptions & InTransaction,
): (job: J) => Promise<void>;
export function oncePerFire<J extends CronerJob>(
  election: Election,
  work: (context: OnceContext, job: J) => unknown,
  options?: OncePerFireOptions,
): (job: J) => Promise<void>;
export function oncePerFire<J extends CronerJob>(
  election: Election,
  work: (context: TransactionContext, job: J) => unknown,
  options: OncePerFireOptions = {},
): (job: J) => Promise<void> {
  if (typeof election?.once !== 'function') throw new BadInput('election', 'an Election', show(election));
  if (typeof work !== 'function') throw new BadInput('work', 'a function', show(work));
  const { onRun, ...settings } = options;
  /** By series: the fire time that came last here. Runs of one series follow each other. */
  const last = new Map<string, { readonly firedMs: number; readonly ended: Promise<unknown> }>();
  const run = async (job: J, fired: Fired, series: string, isComplete: boolean): Promise<void> => {
    const named = { ...settings, series };
    const occasion = new Date(fired.atMs);
    try {
      if (!isComplete) await othersFirst(election, series, occasion.toISOString(), options.signal);
      // The overloads say where there is a transaction.
      const inContext = (context: OnceContext): unknown => work(context as TransactionContext, job);
      const outcome = await election.once(occasion, inContext, named);
      onRun?.(outcome);
    } catch (error) {
      // A later fire time has begun: this one is over.
      const isOver = error instanceof BadInput && error.path === 'occasion';
      if (!isOver && !options.signal?.aborted) throw error;
    }
  };
  return async (job) => {
    const fired = await firedBy(job);
    const series = options.series ?? job.name ?? 'main';
    const before = last.get(series);
    // One that has just started, or was stopped, does not know of the fire time before: others may have to run it.
    const isComplete = before !== undefined && before.firedMs === fired.beforeMs;
    const running = (before?.ended ?? Promise.resolve()).then(() => run(job, fired, series, isComplete));
    last.set(series, { firedMs: fired.atMs, ended: running.catch(() => {}) });
    await running;
  };
}

interface Fired {
  readonly atMs: number;
  /** The fire time before; null if there was none in the week before. */
  readonly beforeMs: number | null;
}

/** The fire time of the run that has begun. The time at which it began differs between replicas. */
async function firedBy(job: CronerJob): Promise<Fired> {
  const line = job.getPattern();
  const beganAt = job.currentRun();
  if (line === undefined || beganAt === null)
    throw new BadInput('job', 'a job of croner with a cron line, while it runs', show(line));
  const zone = job.options.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  const beganMs = beganAt.getTime();
  const times = await fireTimes(line, zone);
  const atMs = times.before(beganMs + 1, beganMs - WEEK_MS);
  if (atMs === null) throw new BadInput('job', 'a fire time within the last week', show(line));
  return { atMs, beforeMs: times.before(atMs, atMs - WEEK_MS) };
}
