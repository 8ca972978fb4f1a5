import { BadInput } from '../core/values.ts';
import type { CaucusOptions } from './caucus/index.ts';
import type { EtcdOptions } from './etcd/index.ts';
import type { KubernetesOptions } from './kubernetes/index.ts';
import type { LeaseEngine, OpenEngine } from './lease/lease-engine.ts';
import type { LocalOptions } from './local/index.ts';
import type { NatsOptions } from './nats/index.ts';
import type { PostgresOptions } from './postgres/index.ts';
import type { RedisOptions } from './redis/index.ts';
import { shownAddress, shownUrl } from './secrets.ts';

export type { OpenEngine };

/** The options of the engine that the URL names. */
export type EngineOptions =
  | EtcdOptions
  | PostgresOptions
  | RedisOptions
  | KubernetesOptions
  | NatsOptions
  | LocalOptions
  | CaucusOptions;

type Open = (url: string, options: EngineOptions) => Pick<LeaseEngine, 'load'> & OpenEngine;

/** Each engine is loaded when it is needed: no program needs the libraries of all stores. */
const engines: Readonly<Record<string, () => Promise<Open>>> = {
  etcd: async () => (await import('./etcd/index.ts')).etcd,
  postgres: async () => (await import('./postgres/index.ts')).postgres,
  redis: async () => (await import('./redis/index.ts')).redis,
  kubernetes: async () => (await import('./kubernetes/index.ts')).kubernetes,
  nats: async () => (await import('./nats/index.ts')).nats,
  local: async () => (await import('./local/index.ts')).local,
  caucus: async () => (await import('./caucus/index.ts')).caucus,
};

/** Other schemes of the same engines. */
const aliases: Readonly<Record<string, string>> = {
  etcds: 'etcd',
  postgresql: 'postgres',
  rediss: 'redis',
  tls: 'nats',
  caucuss: 'caucus',
};

/**
 * Opens the engine that a URL names; close it in the end. It connects when needed. Rejects with BadInput for an
 * invalid URL or option, and with E_UNSUPPORTED if the package that talks to the store is not installed.
 */
export async function openEngine(url: string | URL, options: EngineOptions = {}): Promise<OpenEngine> {
  const address = url instanceof URL ? url.href : url;
  const scheme = (typeof address === 'string' && /^([a-z]+):/.exec(address)?.[1]) || '';
  const name = aliases[scheme] ?? scheme;
  if (!Object.hasOwn(engines, name)) {
    const known = [...Object.keys(engines), ...Object.keys(aliases)].map((each) => `${each}:`).join(', ');
    const found = typeof address === 'string' && address !== '' ? shownUrl(address) : shownAddress(address);
    throw new BadInput('engine', `a URL that begins with one of ${known}`, found);
  }
  const open = await engines[name]!();
  const engine = open(address, options);
  try {
    await engine.load();
  } catch (error) {
    await engine.close();
    throw error;
  }
  return engine;
}
