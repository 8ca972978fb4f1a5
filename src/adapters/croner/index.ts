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
  return async (job) => {
    const occasion = await fireTimeOf(job);
    const series = options.series ?? job.name;
    const named = series === undefined ? settings : { ...settings, series };
    try {
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
}

/** The fire time of the run that has begun. The time at which it began differs between replicas. */
async function fireTimeOf(job: CronerJob): Promise<Date> {
  const line = job.getPattern();
  const beganAt = job.currentRun();
  if (line === undefined || beganAt === null)
    throw new BadInput('job', 'a job of croner with a cron line, while it runs', show(line));
  const zone = job.options.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  const beganMs = beganAt.getTime();
  const fired = (await fireTimes(line, zone)).before(beganMs + 1, beganMs - WEEK_MS);
  if (fired === null) throw new BadInput('job', 'a fire time within the last week', show(line));
  return new Date(fired);
}
