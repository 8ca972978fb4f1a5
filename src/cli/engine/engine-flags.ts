import type { Command } from 'commander';
import { number } from '../../core/index.ts';
import { type OpenEngine, openEngine } from '../../engines/open.ts';
import { Refusal } from '../refusal.ts';

export interface EngineFlags {
  readonly engine?: string;
  readonly lease?: string;
  readonly id?: string;
}

const MS_PER_S = 1000;
const LONGEST_S = 86_400;

export const ENGINE_HELP = `
With --engine the election is held on a store that you already run, in place of members of our own:
etcd://host:2379, postgres://user@host/database, redis://host, nats://host, kubernetes:namespace/, and
local: among the processes of one machine. See docs/engines.`;

export function addEngineFlags(command: Command): Command {
  return command
    .option('--engine <url>', 'hold the election on this store: etcd://host:2379, postgres://…, local:')
    .option('--lease <s>', 'with --engine: how long a leadership lasts without being renewed (default: 15)');
}

/** Opens the store that the flags name. */
export function openEngineOf({ engine, lease, id }: EngineFlags): Promise<OpenEngine> {
  const leaseMs = lease === undefined ? undefined : readLease(lease);
  return openEngine(engine!, {
    ...(id === undefined ? {} : { name: id }),
    ...(leaseMs === undefined ? {} : { leaseMs }),
  });
}

function readLease(text: string): number {
  return number(0, LONGEST_S).read(/^\d+(?:\.\d+)?$/.test(text) ? Number(text) : text, '--lease') * MS_PER_S;
}

/** Flags of members of our own. */
export const MEMBER_ONLY = [
  'peer',
  'peers',
  'url',
  'seedHost',
  'protocol',
  'data',
  'cluster',
  'priority',
  'timing',
  'option',
  'trustConnections',
  'record',
  'config',
  'new',
] as const;

/** A lease of a store means nothing to members of our own, whose times are those of their protocol. */
export function refuseLeaseAlone({ engine, lease }: EngineFlags): void {
  if (engine === undefined && lease !== undefined) {
    throw new Refusal('--lease: expected --engine beside it; the times of members are set with --timing');
  }
}

/** What belongs to members of our own means nothing there. */
export function refuseBoth(flags: Readonly<Record<string, unknown>>, names: readonly string[]): void {
  for (const name of names) {
    if (flags[name] === undefined) continue;
    const flag = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    throw new Refusal(`--${flag}: expected none beside --engine, which knows no members`);
  }
}
