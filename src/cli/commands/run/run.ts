import { choice, integer, number } from '../../../core/index.ts';
import { Partition } from '../../../election/index.ts';
import { refuseAlone } from '../../input/engine-flags.ts';
import { Refusal } from '../../input/refusal.ts';
import { withoutSecretVariables } from '../../input/secret-variables.ts';
import { readNumber, readNumberOr } from '../../input/values.ts';
import type { RunFlags } from './command.ts';
import { KeptCommand } from './kept-command.ts';
import { openLogFor, preparePartition, preparePlace } from './place.ts';
import { ShardRunner } from './shard-runner.ts';
import { type RunRules, Supervisor } from './supervisor.ts';

const MS_PER_S = 1000;
const LONGEST_S = 1_000_000;
const DEFAULT_KILL_AFTER_S = 5;
const DEFAULT_SETTLE_MS = 100;
const LONGEST_SETTLE_MS = 60_000;
export const MOST_SHARDS = 1000;
const FAILED = 1;
/** Long enough even on a busy machine. */
const KILLED_WITHIN_MS = 60_000;

const PASSED = ['SIGUSR1', 'SIGUSR2', 'SIGQUIT', 'SIGWINCH', 'SIGCONT'] as const;
const ENDING = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Runs a command for as long as this member leads. */
export async function runCommand(command: string, args: readonly string[], flags: RunFlags): Promise<number> {
  refuseAlone(flags);
  const rules = readRules(flags);
  if (flags.shards !== undefined) return runShards(command, args, flags, rules);
  const log = openLogFor(flags);
  const stand = await preparePlace(flags, drainMsOf(rules), log);
  let supervisor: Supervisor | null = null;
  let isKeeperLost = false;
  // Before the member starts: a member that is elected must be able to run the command at once.
  const kept = await KeptCommand.open(() => {
    if (!isKeeperLost) {
      log({ level: 'error', event: 'keeper-lost', text: 'the keeper of the command was killed: stopping' });
    }
    isKeeperLost = true;
    supervisor?.fail();
  });
  try {
    const place = await stand();
    if (place === null) return FAILED;
    const env = withoutSecretVariables(process.env);
    supervisor = new Supervisor(place, kept, { command, args, env }, rules, log);
    if (isKeeperLost) supervisor.fail();
    const forget = onSignals(supervisor);
    try {
      return await supervisor.run();
    } finally {
      await place.close();
      forget();
    }
  } finally {
    await kept.close();
  }
}

/** Runs a command for each shard that this member owns. */
async function runShards(
  command: string,
  args: readonly string[],
  flags: RunFlags,
  rules: RunRules,
): Promise<number> {
  const shards = readNumber(flags.shards!, '--shards', integer(1, MOST_SHARDS));
  for (const name of ['once', 'timeout'] as const)
    if (flags[name] !== undefined) throw new Refusal(`--${name}: expected nothing beside --shards`);
  const log = openLogFor(flags);
  const drainMs = drainMsOf(rules);
  const place = await preparePartition(flags, drainMs, log);
  if (place === null) return FAILED;
  try {
    const partition = new Partition(place.election.name, place.engine, { shards, drainMs });
    const env = withoutSecretVariables(process.env);
    const runner = new ShardRunner(partition, { command, args, env }, rules, log);
    const forget = onSignals(runner);
    try {
      return await runner.run();
    } finally {
      await partition.close();
      forget();
    }
  } finally {
    await place.close();
  }
}

/**
 * The leadership is not released before the command has ended, which may get two grace periods: for a request to
 * resign, and then for a signal.
 */
export function drainMsOf({ killAfterMs }: Pick<RunRules, 'killAfterMs'>): number {
  return 2 * killAfterMs + KILLED_WITHIN_MS;
}

function onSignals(supervisor: Pick<Supervisor, 'stop' | 'pass'>): () => void {
  const stop = (signal: NodeJS.Signals): void => supervisor.stop(signal);
  const pass = (signal: NodeJS.Signals): void => supervisor.pass(signal);
  for (const signal of ENDING) process.on(signal, stop);
  for (const signal of PASSED) process.on(signal, pass);
  return () => {
    for (const signal of ENDING) process.off(signal, stop);
    for (const signal of PASSED) process.off(signal, pass);
  };
}

export function killAfterMsOf({ killAfter }: Pick<RunFlags, 'killAfter'>): number {
  return readNumberOr(killAfter, '--kill-after', number(0, LONGEST_S), DEFAULT_KILL_AFTER_S) * MS_PER_S;
}

export function settleMsOf({ settle }: Pick<RunFlags, 'settle'>): number {
  return readNumberOr(settle, '--settle', number(0, LONGEST_SETTLE_MS), DEFAULT_SETTLE_MS);
}

function readRules(flags: RunFlags): RunRules {
  const seconds = number(0, LONGEST_S);
  const { timeout, onExit = 'resign' } = flags;
  return {
    killAfterMs: killAfterMsOf(flags),
    settleMs: settleMsOf(flags),
    timeoutMs: timeout === undefined ? null : readNumber(timeout, '--timeout', seconds) * MS_PER_S,
    isOnStore: flags.engine !== undefined,
    once: flags.once ?? false,
    onExit: choice('resign', 'restart').read(onExit, '--on-exit'),
  };
}
