import { constants } from 'node:os';
import { BadInput, choice, integer, number } from '../../../core/index.ts';
import {
  anyOf,
  CaucusError,
  type Election,
  fireTimes,
  LeadershipLost,
  type OnceOptions,
  type OnceOutcome,
  type ScheduleOptions,
} from '../../../election/index.ts';
import { momentOf, parseOccasion, seriesName } from '../../../once/index.ts';
import type { MemberConfig } from '../../input/config/member-config.ts';
import { refuseAlone } from '../../input/engine-flags.ts';
import { Refusal } from '../../input/refusal.ts';
import { readNumber, readNumberOr } from '../../input/values.ts';
import type { Log } from '../../terminal/log.ts';
import { KeptCommand } from '../run/kept-command.ts';
import { checkRegister, openLogFor, type Place, preparePartition, preparePlace } from '../run/place.ts';
import { drainMsOf, killAfterMsOf, MOST_SHARDS, settleMsOf } from '../run/run.ts';
import type { OnceFlags } from './command.ts';
import { CannotRun, KeptWork } from './kept-work.ts';
import { ShardCron } from './shard-cron.ts';

const MS_PER_S = 1000;
const LONGEST_S = 1_000_000;
const FAILED = 1;
/** The occasion has failed before, so CMD was not run. */
const FAILED_BEFORE = 3;
const BY_SIGNAL = 128;
const ENDING = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const seconds = number(0, LONGEST_S);
const someSeconds = number(0.001, LONGEST_S);

/** Runs a command once for an occasion, and returns the exit code. */
export async function onceCommand(cmd: string, args: readonly string[], flags: OnceFlags): Promise<number> {
  const occasion = parseOccasion(flags.key, '--key');
  const misfire = choice('run', 'skip').read(flags.misfire ?? 'run', '--misfire');
  if (misfire === 'skip' && momentOf(occasion) === null)
    throw new Refusal(`--misfire: expected a --key that is a date and time beside skip, found ${occasion}`);
  const timeoutMs = msOf(flags.timeout, '--timeout');
  const options: OnceOptions = { ...retriesOf(flags), misfire };
  return withPlace(cmd, args, flags, 0, async ({ election, health }, kept, stop, log) => {
    const limit = new AbortController();
    const late = `nothing is known of ${occasion} after ${flags.timeout} s, and it has not begun here`;
    const timer =
      timeoutMs === undefined
        ? undefined
        : setTimeout(() => limit.abort(new NotElected(`${late}${hindrance(election, health)}`)), timeoutMs);
    const signal = anyOf([stop.signal, limit.signal]);
    try {
      const work = kept.workFor(election);
      const outcome = await election.once(
        occasion,
        async (context) => {
          clearTimeout(timer);
          try {
            await work(context);
          } catch (error) {
            if (error instanceof CannotRun) stop.abort(error);
            throw error;
          }
        },
        { ...options, signal },
      );
      return told(outcome, kept, log);
    } catch (error) {
      if (error instanceof BadInput && error.path === 'occasion')
        throw new Refusal(`--key: expected ${error.expected}, found ${error.found}`);
      throw error;
    } finally {
      clearTimeout(timer);
    }
  });
}

/** Runs a command at each fire time of a cron line, until a signal comes. */
export async function cronCommand(
  line: string,
  cmd: string,
  args: readonly string[],
  flags: OnceFlags,
): Promise<number> {
  const drainMs = msOf(flags.drain, '--drain') ?? 10 * MS_PER_S;
  const options: ScheduleOptions = {
    ...retriesOf(flags),
    ...(flags.timezone === undefined ? {} : { timezone: flags.timezone }),
    catchUp: choice('all', 'last', 'none').read(flags.catchUp ?? 'last', '--catch-up'),
    drainMs,
  };
  await checkLine(line, flags.timezone ?? 'UTC');
  if (flags.shards !== undefined) return cronShards(line, { command: cmd, args }, flags, options);
  return withPlace(cmd, args, flags, drainMs, async ({ election }, kept, stop, log) => {
    await election.schedule(line, kept.workFor(election), {
      ...options,
      signal: stop.signal,
      onRun: (outcome) => void told(outcome, kept, log),
    });
    return kept.hasFailed ? FAILED : 0;
  });
}

/** The same for each shard that this member owns. */
async function cronShards(
  line: string,
  { command, args }: { readonly command: string; readonly args: readonly string[] },
  flags: OnceFlags,
  options: ScheduleOptions,
): Promise<number> {
  const shards = readNumber(flags.shards!, '--shards', integer(1, MOST_SHARDS));
  refuseAlone(flags);
  const killAfterMs = killAfterMsOf(flags);
  const settleMs = settleMsOf(flags);
  const log = openLogFor(flags);
  const drainMs = drainMsOf({ killAfterMs }) + (options.drainMs ?? 0);
  const place = await preparePartition(flags, drainMs, log, (config) => checkMemory(config, log));
  if (place === null) return FAILED;
  const cron = new ShardCron(place, { shards, drainMs }, { command, args }, { killAfterMs, settleMs }, log);
  const stop = new AbortController();
  const { name } = place.election;
  const end = (signal: NodeJS.Signals): void => {
    if (stop.signal.aborted) return cron.endNow();
    const text = `${signal}: waiting up to ${(options.drainMs ?? 0) / MS_PER_S} s for ${cron.running} of ${command} to end; another signal ends them at once`;
    if (cron.running > 0) log({ level: 'info', event: 'stopping', text, signal });
    stop.abort(new LeadershipLost(name, 'resigned', `caucus was ended by ${signal}`));
  };
  for (const signal of ENDING) process.on(signal, end);
  const onRun = (outcome: OnceOutcome): void => {
    const shard = /^shard-(\d+)/.exec(outcome.run.series)![1];
    void told(outcome, { exitCode: 0 }, log, `shard ${shard}: `);
  };
  const fail = (detail: string): void => stop.abort(new LeadershipLost(name, 'resigned', detail));
  try {
    await cron.run(line, { ...options, signal: stop.signal, onRun }, fail);
    return cron.hasFailed ? FAILED : 0;
  } catch (error) {
    if (!(error instanceof CaucusError)) throw error;
    log({ level: 'error', event: 'failed', text: error.message });
    return FAILED;
  } finally {
    await place.close();
    for (const signal of ENDING) process.off(signal, end);
  }
}

/** Before anything starts. */
async function checkLine(line: string, timezone: string): Promise<void> {
  try {
    await fireTimes(line, timezone);
  } catch (error) {
    if (!(error instanceof BadInput)) throw error;
    const where = error.path === 'schedule' ? 'LINE' : '--timezone';
    throw new Refusal(`${where}: expected ${error.expected}, found ${error.found}`);
  }
}

/** Why it was not elected in time. */
class NotElected extends Error {}

/** What is done has to be remembered beyond this process, or every machine would do it, and every restart again. */
function checkMemory(config: MemberConfig, log: Log): void {
  checkRegister(config, 'occasions');
  const { peers = [], join, seedHost, data } = config.settings;
  if (data !== undefined) return;
  const isAlone = peers.length === 0 && join === undefined && seedHost === undefined;
  if (isAlone)
    throw new Refusal(
      'nothing would remember what was run: expected --engine (local: for one machine), or --peers with --data, found neither',
    );
  const text =
    'without --data this member forgets what was run when it ends: if all members restart, it is run again';
  log({ level: 'warn', event: 'no-data', text });
}

type Doing = (place: Place, kept: KeptWork, stop: AbortController, log: Log) => Promise<number>;

/**
 * Opens everything, and closes it in order. The command's keeper starts before the candidacy. `drainMs`: how long the
 * command may go on after a signal.
 */
async function withPlace(
  command: string,
  args: readonly string[],
  flags: OnceFlags,
  drainMs: number,
  doing: Doing,
): Promise<number> {
  refuseAlone(flags);
  const killAfterMs = killAfterMsOf(flags);
  const settleMs = settleMsOf(flags);
  const log = openLogFor(flags);
  const stand = await preparePlace(flags, drainMsOf({ killAfterMs }), log, (config) =>
    checkMemory(config, log),
  );
  const stop = new AbortController();
  let stoppedBy: NodeJS.Signals | null = null;
  const kept = new KeptWork({ command, args }, { killAfterMs, settleMs }, log);
  const keeper = await KeptCommand.open(() => {
    log({ level: 'error', event: 'keeper-lost', text: 'the keeper of the command was killed: stopping' });
    kept.fail();
    stop.abort(new LeadershipLost('', 'resigned', 'its command could no longer be guarded'));
  });
  kept.open(keeper);
  try {
    const place = await stand();
    if (place === null) return FAILED;
    const end = (signal: NodeJS.Signals): void => {
      if (stoppedBy !== null) return kept.endNow();
      stoppedBy = signal;
      if (kept.isRunning) {
        const patience =
          drainMs === 0
            ? `${command} gets SIGTERM, and has ${killAfterMs / MS_PER_S} s to end`
            : `waiting up to ${drainMs / MS_PER_S} s for ${command} to end, before it gets SIGTERM`;
        const text = `${signal}: ${patience}; another signal ends it at once`;
        log({ level: 'info', event: 'stopping', text, signal });
      }
      stop.abort(new LeadershipLost(place.election.name, 'resigned', `caucus was ended by ${signal}`));
    };
    for (const signal of ENDING) process.on(signal, end);
    try {
      return await doing(place, kept, stop, log);
    } catch (error) {
      if (kept.hasFailed) return FAILED;
      if (error instanceof CannotRun) return kept.exitCode;
      if (stoppedBy !== null && error === stop.signal.reason)
        return BY_SIGNAL + constants.signals[stoppedBy as NodeJS.Signals];
      if (!(error instanceof CaucusError || error instanceof NotElected)) throw error;
      log({ level: 'error', event: 'failed', text: error.message });
      return FAILED;
    } finally {
      await place.close();
      for (const signal of ENDING) process.off(signal, end);
    }
  } finally {
    await keeper.close();
  }
}

/** Logs what became of an occasion, and returns the exit code for it. */
function told(
  { outcome, occasion, by, token, run }: OnceOutcome,
  kept: Pick<KeptWork, 'exitCode'>,
  log: Log,
  about = '',
): number {
  const fields = { occasion, outcome, by, token, attempt: run.attempt };
  const why = run.error === undefined ? '' : `: ${run.error}`;
  if (outcome !== run.outcome) {
    const has = run.outcome === 'failed' ? 'has already failed' : `is already ${run.outcome}`;
    const text = `${about}${occasion} ${has}, by ${by} with token ${token}${why}`;
    const level = run.outcome === 'failed' ? 'error' : 'info';
    log({ level, event: outcome, text, ...fields });
    return run.outcome === 'failed' ? FAILED_BEFORE : 0;
  }
  const level = outcome === 'failed' ? 'error' : 'info';
  const text =
    outcome === 'skipped'
      ? `${about}${occasion} is skipped${why}`
      : outcome === 'failed'
        ? `${about}${occasion} has failed${why}`
        : `${about}${occasion} is done`;
  log({ level, event: outcome, text, ...fields });
  return outcome === 'failed' ? kept.exitCode || FAILED : 0;
}

function hindrance(election: Election, health: Place['health']): string {
  const leader = election.leader();
  const why = health?.illness ?? (leader === null ? null : `${leader.name} leads`);
  return why === null ? '' : `: ${why}`;
}

function retriesOf({
  series,
  retries,
  backOff,
  maxRun,
  late,
}: OnceFlags): Omit<OnceOptions, 'signal' | 'misfire'> {
  const [backOffMs, maxRunMs, lateMs] = [
    msOf(backOff, '--back-off'),
    msOf(maxRun, '--max-run', someSeconds),
    msOf(late, '--late'),
  ];
  return {
    retries: readNumberOr(retries, '--retries', integer(0, 1000), 0),
    ...(series === undefined ? {} : { series: seriesName.read(series, '--series') }),
    ...(backOffMs === undefined ? {} : { backOffMs }),
    ...(maxRunMs === undefined ? {} : { maxRunMs }),
    ...(lateMs === undefined ? {} : { lateMs }),
  };
}

function msOf(text: string | undefined, flag: string, shape = seconds): number | undefined {
  return text === undefined ? undefined : readNumber(text, flag, shape) * MS_PER_S;
}
