import { readSettings } from '../../../core/index.ts';
import { checkPartitionName, Election, type Engine } from '../../../election/index.ts';
import { type MemberConfig, readMemberConfig } from '../../input/config/member-config.ts';
import type { MemberFlags } from '../../input/config/member-flags.ts';
import { type EngineFlags, MEMBER_ONLY, refuseBoth } from '../../input/engine-flags.ts';
import { electionOf, openEngineOf } from '../../input/open-engine.ts';
import { Refusal } from '../../input/refusal.ts';
import { paintFor } from '../../terminal/colours.ts';
import { type Log, openLog } from '../../terminal/log.ts';
import { startMember } from '../node/start-member.ts';
import { watchTokens } from '../node/watch-tokens.ts';
import { StoreHealth } from './store-health.ts';

/** How a command takes part in an election, as a member or on a store. */
export interface PlaceFlags extends MemberFlags, EngineFlags {
  readonly new?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** The election, and how to leave it. */
export interface Place {
  readonly election: Election;
  /** What it is held on. */
  readonly engine: Engine;
  /** What is wrong with the store, if there is one. */
  readonly health?: StoreHealth;
  close(): Promise<void>;
}

/** Flags of the HTTP API. */
const API_ONLY = ['listen', 'insecure', 'tokensFile', 'closed', 'tlsCert', 'tlsKey'];

/**
 * All settings are checked now, those of a member also by `check`; the candidacy comes with the call of what is
 * returned. Null: it could not start.
 */
export function preparePlace(
  flags: PlaceFlags,
  drainMs: number,
  log: Log,
  check: (config: MemberConfig) => void = () => {},
): Promise<() => Promise<Place | null>> {
  return flags.engine === undefined ? asMember(flags, drainMs, log, check) : onEngine(flags, drainMs, log);
}

/**
 * A place for the shards of an election. A member also stands in the election itself, without work: its leader is the one
 * that can change the cluster, and without one `caucus status` and `caucus doctor` would tell of a cluster that waits.
 */
export async function preparePartition(
  flags: PlaceFlags,
  drainMs: number,
  log: Log,
  check: (config: MemberConfig) => void = () => {},
): Promise<Place | null> {
  if (flags.election !== undefined) checkPartitionName(flags.election, '--election');
  const stand = await preparePlace(flags, drainMs, log, (config) => {
    checkPartitionName(config.settings.election, 'election');
    checkRegister(config, 'shards');
    check(config);
  });
  const place = await stand();
  if (place !== null && flags.engine === undefined)
    place.election.lead(({ signal }) => untilAborted(signal)).catch(() => {}); // The member was closed.
  return place;
}

/** `what` is recorded by publishing, each time from what was published last. Not every protocol keeps that. */
export function checkRegister({ definition, timing, options, origins }: MemberConfig, what: string): void {
  const protocol = definition.create({
    timing: readSettings(definition.timing, timing, 'timing'),
    options: readSettings(definition.options, options, 'options'),
  });
  if (protocol.isCurrent !== undefined) return;
  const { from, name } = origins.find(({ field }) => field === 'protocol')!;
  const where = name === undefined ? from : `${from}: ${name}`;
  const { name: found } = definition;
  throw new Refusal(
    `${where}: expected quorum, since ${what} need a protocol that keeps what is published, found ${found}`,
  );
}

const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));

async function asMember(
  flags: PlaceFlags,
  drainMs: number,
  log: Log,
  check: (config: MemberConfig) => void,
): Promise<() => Promise<Place | null>> {
  const config = await readMemberConfig(flags, process.env);
  check(config);
  if (config.settings.priority === 0) {
    throw new Refusal('--priority: expected 1 or more, found 0: it would never lead');
  }
  return async () => {
    const member = await startMember(config, { isCalledNew: flags.new ?? false, log });
    if (member === null) return null;
    const election = new Election(config.settings.election!, member, { drainMs });
    const unwatch = watchTokens(config.tokens, (tokens) => member.setTokens(tokens), log);
    const close = async (): Promise<void> => {
      unwatch();
      await member.close();
    };
    return { election, engine: member, close };
  };
}

async function onEngine(flags: PlaceFlags, drainMs: number, log: Log): Promise<() => Promise<Place>> {
  // It has no HTTP API, so it does not listen either.
  refuseBoth(flags as Readonly<Record<string, unknown>>, [...MEMBER_ONLY, ...API_ONLY], process.env);
  const engine = await openEngineOf(flags, process.env, log);
  return async () => {
    const election = electionOf(flags, engine, { drainMs });
    const { name: id } = engine;
    log({ level: 'info', event: 'ready', text: `${id} takes part`, id, pid: process.pid });
    const health = new StoreHealth(log);
    void health.follow(election);
    const close = async (): Promise<void> => {
      await election.close();
      await engine.close();
    };
    return { election, engine, health, close };
  };
}

export function openLogFor({ json = false, quiet = false }: PlaceFlags): Log {
  const log = openLog((line) => process.stderr.write(line), json, paintFor(process.stderr, process.env));
  return quiet ? (entry) => (entry.level === 'error' ? log(entry) : undefined) : log;
}
