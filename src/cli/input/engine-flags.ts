import type { Command } from 'commander';
import { number } from '../../core/index.ts';
import type { Given } from './config/sources.ts';
import { Refusal } from './refusal.ts';
import { asJson, collect, readNumber, tooMany } from './values.ts';

export interface EngineFlags {
  readonly engine?: string;
  readonly engineOption?: readonly string[];
  readonly enginePasswordFile?: string;
  readonly lease?: string;
  readonly id?: string;
  readonly voterId?: string;
}

const MS_PER_S = 1000;
const LONGEST_S = 86_400;

export const ENGINE_HELP = `
With --engine the election is held on a store that you already run, instead of among members:
etcd://host:2379, postgres://user@host/database, redis://host, nats://host, kubernetes:namespace/,
caucus://host:port,host:port for the members of a cluster, and local: among the processes of one machine.
See docs/engines.`;

/** As JSON if it parses, else as text: `--engine-option wait=1`, `--engine-option keyPrefix=jobs:`. */
export function addEngineOption(command: Command): Command {
  const about = 'with --engine: an option of that engine; can be repeated';
  return command
    .option('--engine-option <name=value>', about, collect)
    .option(
      '--engine-password-file <file>',
      'with --engine: the password of the store (default: CAUCUS_ENGINE_PASSWORD, or the file CAUCUS_ENGINE_PASSWORD_FILE)',
    );
}

export function addEngineFlags(command: Command): Command {
  const text = 'hold the election on this store: etcd://host:2379, postgres://…, local:';
  return addEngineOption(command.option('--engine <url>', text)).option(
    '--lease <s>',
    'with --engine: how long a leadership lasts without being renewed (default: 15)',
  );
}

/** The options of the engine, and the flag or variable of each. */
export function engineOptionsOf(
  { engineOption = [], lease, id, voterId }: EngineFlags,
  env: NodeJS.ProcessEnv,
): Map<string, Given> {
  const options = new Map<string, Given>();
  const put = (name: string, value: unknown, from: string): void => {
    const before = options.get(name);
    if (before !== undefined) throw new Refusal(tooMany(from, before.from));
    options.set(name, { value, from });
  };
  if (id !== undefined) put('name', id, '--id');
  if (voterId !== undefined) put('name', voterId, '--voter-id');
  if (!options.has('name') && env.VOTER_ID) put('name', env.VOTER_ID, 'VOTER_ID');
  if (lease !== undefined)
    put('leaseMs', readNumber(lease, '--lease', number(0, LONGEST_S)) * MS_PER_S, '--lease');
  for (const pair of engineOption) {
    const cut = pair.indexOf('=');
    // The value may be a password or a token, so it is not shown.
    if (cut < 1) throw new Refusal('--engine-option: expected name=value, found no name and =');
    const name = pair.slice(0, cut);
    put(name, asJson(pair.slice(cut + 1)), `--engine-option ${name}`);
  }
  return options;
}

const MEMBER_VARIABLES = [
  'VOTER_URL',
  'VOTER_LIST',
  'SEED_HOST',
  'HEARTBEAT_INTERVAL',
  'MISSED_HEARTBEAT_TOLERANCE',
];

/** Flags of members. */
export const MEMBER_ONLY = [
  'peer',
  'peers',
  'join',
  'url',
  'voterUrl',
  'voterList',
  'heartbeatInterval',
  'missedHeartbeatTolerance',
  'seedHost',
  'protocol',
  'data',
  'cluster',
  'priority',
  'balance',
  'deputies',
  'timing',
  'option',
  'trustConnections',
  'trustWitness',
  'secretFile',
  'record',
  'tlsCa',
  'tlsName',
  'config',
  'elections',
  'new',
] as const;

/** The options of a store have no meaning for members, which have the times and options of their protocol. */
export function refuseAlone({ engine, lease, engineOption, enginePasswordFile }: EngineFlags): void {
  if (engine !== undefined) return;
  if (lease !== undefined)
    throw new Refusal('--lease: expected --engine beside it; the times of members are set with --timing');
  if (engineOption !== undefined) throw new Refusal('--engine-option: expected --engine beside it');
  if (enginePasswordFile !== undefined)
    throw new Refusal('--engine-password-file: expected --engine beside it');
}

/** The flags of members have no meaning on a store. */
export function refuseBoth(
  flags: Readonly<Record<string, unknown>>,
  names: readonly string[],
  env: NodeJS.ProcessEnv,
): void {
  for (const name of MEMBER_VARIABLES) {
    if (env[name]) throw new Refusal(`${name}: expected none beside --engine, which knows no members`);
  }
  for (const name of names) {
    if (flags[name] === undefined) continue;
    const flag = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    throw new Refusal(`--${flag}: expected none beside --engine, which knows no members`);
  }
}
