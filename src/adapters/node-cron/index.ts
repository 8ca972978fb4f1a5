/**
 * caucus/node-cron: the coordinator of `distributed` tasks of node-cron (4.6 and later), on `election.once`: each fire time of a
 * task runs on one replica, and on another if that one dies in the middle.
 *
 * Promises: at most one completion of each fire time is recorded, as `election.once` does.
 * Does not promise: that a fire time is run at which no replica ran, or whose replicas all ended before it began: node-cron does
 * not catch up. Nor that a task begins only once. Nor that failures are known: node-cron tells its coordinator only that a task
 * has ended, so a task that threw counts as done.
 */
import { BadInput, show } from '../../core/index.ts';
import {
  anyOf,
  CutShort,
  type Election,
  type OnceContext,
  type OnceOptions,
  othersFirst,
} from '../../election/index.ts';

/** What node-cron asks of a coordinator: `setRunCoordinator(coordinator)`, or `runCoordinator` among the options of a task. */
export interface RunCoordinator {
  shouldRun(key: string, ttlMs: number): Promise<boolean>;
  onComplete(key: string): Promise<void>;
}

/** Those of `once` that make sense for tasks that cannot be told to stop. */
export type CoordinatorOptions = Pick<
  OnceOptions,
  'signal' | 'drainMs' | 'misfire' | 'lateMs' | 'maxAttempts'
>;

interface CoordinatedRun {
  /** Set while the task runs. */
  context: OnceContext | null;
  readonly complete: () => void;
  readonly recorded: Promise<unknown>;
}

const TICK_MS = 250;
/** node-cron leaves out a fire time if no timer of the process has fired for a second since then, and so no tick either. */
const STALL_MS = 950;

/** Coordinates tasks by an election of their own. Every replica makes one, with an election of the same name. */
export class ElectionCoordinator implements RunCoordinator {
  readonly #election: Election;
  readonly #options: CoordinatorOptions;
  readonly #runs = new Map<string, CoordinatedRun>();
  /** The runs of one task follow each other. */
  readonly #last = new Map<string, Promise<unknown>>();
  /** The tasks that have fired here since this process last stalled: node-cron has left out none of their fire times since. */
  #steady = new Set<string>();
  /** The tasks whose last run was left to another replica. */
  readonly #left = new Set<string>();
  #tickedMs = performance.now();

  constructor(election: Election, options: CoordinatorOptions = {}) {
    if (typeof election?.once !== 'function') throw new BadInput('election', 'an Election', show(election));
    this.#election = election;
    this.#options = options;
    const ticks = setInterval(() => this.#tick(), TICK_MS).unref();
    options.signal?.addEventListener('abort', () => clearInterval(ticks), { once: true });
  }

  /** The run of the task with this name that is under way here: its token, its signal. Null if there is none. */
  context(name: string): OnceContext | null {
    const found = [...this.#runs].find(([key, { context }]) => context !== null && nameIn(key) === name);
    return found?.[1].context ?? null;
  }

  /** Called by node-cron. Settles with true where the task has to run, with false once it has run elsewhere. */
  async shouldRun(key: string, _ttlMs: number): Promise<boolean> {
    this.#tick();
    const name = nameIn(key);
    const before = this.#last.get(name);
    // Decided now, not when the runs before it have ended: fire times may have been left out since those fired.
    const follows = this.#steady.has(name);
    this.#steady.add(name);
    const run = this.#run(key, name, before, follows);
    this.#last.set(name, run.ended);
    await before;
    return run.isOurs;
  }

  /** Called by node-cron when the task has ended. Settles when that is recorded, or is left to another replica. */
  async onComplete(key: string): Promise<void> {
    const run = this.#runs.get(key);
    run?.complete();
    await run?.recorded;
  }

  /** A process that was stopped has missed fire times, as one that has just started has. */
  #tick(): void {
    const nowMs = performance.now();
    if (nowMs - this.#tickedMs > STALL_MS) this.#steady = new Set();
    this.#tickedMs = nowMs;
  }

  /** `follows`: all fire times between the one before and this one are known here. */
  #run(
    key: string,
    series: string,
    before: Promise<unknown> | undefined,
    follows: boolean,
  ): { readonly isOurs: Promise<boolean>; readonly ended: Promise<unknown> } {
    const stop = new AbortController();
    const { signal, ...options } = this.#options;
    const signals = signal === undefined ? [stop.signal] : [stop.signal, signal];
    let begin: (isOurs: boolean) => void = () => {};
    const isOurs = new Promise<boolean>((resolve) => {
      begin = resolve;
    });
    // node-cron runs a task once. If its leadership was lost meanwhile, another replica has to run it: this one must not
    // stand for it again, or it would be elected, and begin the next fire time in its place.
    const leaveToOthers = (): void => {
      this.#left.add(series);
      stop.abort();
    };
    const work = (context: OnceContext): Promise<void> => {
      if (this.#runs.has(key)) {
        leaveToOthers(); // It was lost in the moment in which the task ended.
        throw new CutShort('its task cannot be run again on this replica');
      }
      return new Promise<void>((resolve) => {
        const complete = (): void => {
          if (context.signal.aborted) leaveToOthers();
          resolve();
        };
        this.#runs.set(key, { context, complete, recorded: ended });
        begin(true);
      });
    };
    const ended = (async () => {
      await before;
      try {
        const isLeft = this.#left.delete(series);
        if (!follows || isLeft) await othersFirst(this.#election, series, occasionIn(key), signal);
        const settings = { ...options, series, signal: anyOf(signals) };
        await this.#election.once(occasionIn(key), work, settings);
      } catch (error) {
        const isOver = error instanceof BadInput && error.path === 'occasion'; // A later one has begun.
        if (!isOver && !stop.signal.aborted && !signal?.aborted) throw error;
      } finally {
        this.#runs.delete(key);
      }
    })();
    const failed = ended.then(() => false);
    return { isOurs: Promise.race([isOurs, failed]), ended: ended.catch(() => {}) };
  }
}

/** A key is NAME:TIME, with the time in 24 characters. */
const TIME_LENGTH = 24;

function nameIn(key: string): string {
  return key.slice(0, -TIME_LENGTH - 1);
}

function occasionIn(key: string): string {
  return key.slice(-TIME_LENGTH);
}
