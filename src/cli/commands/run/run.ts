import { choice, number } from '../../../core/index.ts';
import { Election } from '../../../election/index.ts';
import { readMemberConfig } from '../../input/config/member-config.ts';
import { MEMBER_ONLY, refuseAlone, refuseBoth } from '../../input/engine-flags.ts';
import { openEngineOf } from '../../input/open-engine.ts';
import { Refusal } from '../../input/refusal.ts';
import { withoutSecretVariables } from '../../input/secret-variables.ts';
import { readNumber, readNumberOr } from '../../input/values.ts';
import { paintFor } from '../../terminal/colours.ts';
import { type Log, openLog } from '../../terminal/log.ts';
import { startMember } from '../node/start-member.ts';
import { watchTokens } from '../node/watch-tokens.ts';
import type { RunFlags } from './command.ts';
import { KeptCommand } from './kept-command.ts';
import { StoreHealth } from './store-health.ts';
import { type RunRules, Supervisor } from './supervisor.ts';

const MS_PER_S = 1000;
const LONGEST_S = 1_000_000;
const DEFAULT_KILL_AFTER_S = 5;
const DEFAULT_SETTLE_MS = 100;
const LONGEST_SETTLE_MS = 60_000;
const FAILED = 1;
/** Long enough even on a busy machine. */
const KILLED_WITHIN_MS = 60_000;

/** Flags of the HTTP API. */
const API_ONLY = ['listen', 'insecure', 'tokensFile', 'closed', 'tlsCert', 'tlsKey'];

const PASSED = ['SIGUSR1', 'SIGUSR2', 'SIGQUIT', 'SIGWINCH', 'SIGCONT'] as const;
const ENDING = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Runs a command for as long as this member leads. */
export async function runCommand(command: string, args: readonly string[], flags: RunFlags): Promise<number> {
  refuseAlone(flags);
  const rules = readRules(flags);
  const log = openLogFor(flags);
  const stand =
    flags.engine === undefined ? await asMember(flags, rules, log) : await onEngine(flags, rules, log);
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

/** The election, and how to leave it. */
interface Place {
  readonly election: Election;
  /** What is wrong with the store, if there is one. */
  readonly health?: StoreHealth;
  close(): Promise<void>;
}

/** All settings are checked before the command's keeper starts; the candidacy comes after it. */
async function asMember(flags: RunFlags, rules: RunRules, log: Log): Promise<() => Promise<Place | null>> {
  const config = await readMemberConfig(flags, process.env);
  if (config.settings.priority === 0) {
    throw new Refusal('--priority: expected 1 or more, found 0: it would never lead');
  }
  return async () => {
    const member = await startMember(config, { isCalledNew: flags.new ?? false, log });
    if (member === null) return null;
    const election = new Election(config.settings.election!, member, { drainMs: drainMsOf(rules) });
    const unwatch = watchTokens(config.tokens, (tokens) => member.setTokens(tokens), log);
    const close = async (): Promise<void> => {
      unwatch();
      await member.close();
    };
    return { election, close };
  };
}

async function onEngine(flags: RunFlags, rules: RunRules, log: Log): Promise<() => Promise<Place>> {
  // It has no HTTP API, so it does not listen either.
  refuseBoth(flags as Readonly<Record<string, unknown>>, [...MEMBER_ONLY, ...API_ONLY], process.env);
  const engine = await openEngineOf(flags, process.env, log);
  return async () => {
    const election = new Election(flags.election ?? 'main', engine, { drainMs: drainMsOf(rules) });
    const { name: id } = engine;
    log({ level: 'info', event: 'ready', text: `${id} takes part`, id, pid: process.pid });
    const health = new StoreHealth(log);
    void health.follow(election);
    const close = async (): Promise<void> => {
      await election.close();
      await engine.close();
    };
    return { election, health, close };
  };
}

/**
 * The leadership is not released before the command has ended, which may get two grace periods: for a request to
 * resign, and then for a signal.
 */
function drainMsOf({ killAfterMs }: RunRules): number {
  return 2 * killAfterMs + KILLED_WITHIN_MS;
}

function openLogFor({ json = false, quiet = false }: RunFlags): Log {
  const log = openLog((line) => process.stderr.write(line), json, paintFor(process.stderr, process.env));
  return quiet ? (entry) => (entry.level === 'error' ? log(entry) : undefined) : log;
}

function onSignals(supervisor: Supervisor): () => void {
  const stop = (signal: NodeJS.Signals): void => supervisor.stop(signal);
  const pass = (signal: NodeJS.Signals): void => supervisor.pass(signal);
  for (const signal of ENDING) process.on(signal, stop);
  for (const signal of PASSED) process.on(signal, pass);
  return () => {
    for (const signal of ENDING) process.off(signal, stop);
    for (const signal of PASSED) process.off(signal, pass);
  };
}

function readRules(flags: RunFlags): RunRules {
  const seconds = number(0, LONGEST_S);
  const { killAfter, settle, timeout, onExit = 'resign' } = flags;
  return {
    killAfterMs: readNumberOr(killAfter, '--kill-after', seconds, DEFAULT_KILL_AFTER_S) * MS_PER_S,
    settleMs: readNumberOr(settle, '--settle', number(0, LONGEST_SETTLE_MS), DEFAULT_SETTLE_MS),
    timeoutMs: timeout === undefined ? null : readNumber(timeout, '--timeout', seconds) * MS_PER_S,
    isOnStore: flags.engine !== undefined,
    once: flags.once ?? false,
    onExit: choice('resign', 'restart').read(onExit, '--on-exit'),
  };
}
