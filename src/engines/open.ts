import { BadInput } from '../core/index.ts';
import type { LeaseEngineOptions, OpenEngine } from './lease/lease-engine.ts';
import { shownUrl } from './secrets.ts';

export type { OpenEngine };

type Open = (url: string, options: LeaseEngineOptions) => OpenEngine;

/** Each is loaded when it is asked for: nobody needs the libraries of all stores. */
const engines: Readonly<Record<string, () => Promise<Open>>> = {
  etcd: async () => (await import('./etcd/index.ts')).etcd,
  postgres: async () => (await import('./postgres/index.ts')).postgres,
  redis: async () => (await import('./redis/index.ts')).redis,
  kubernetes: async () => (await import('./kubernetes/index.ts')).kubernetes,
  nats: async () => (await import('./nats/index.ts')).nats,
  local: async () => (await import('./local/index.ts')).local,
};

/** Other schemes of the same. */
const aliases: Readonly<Record<string, string>> = {
  etcds: 'etcd',
  postgresql: 'postgres',
  rediss: 'redis',
  tls: 'nats',
};

/** The engine that a URL names. Throws BadInput for one that it does not understand. */
export async function openEngine(url: string, options: LeaseEngineOptions = {}): Promise<OpenEngine> {
  const scheme = /^([a-z]+):/.exec(url)?.[1] ?? '';
  const name = aliases[scheme] ?? scheme;
  if (!Object.hasOwn(engines, name)) {
    const known = [...Object.keys(engines), ...Object.keys(aliases)].map((each) => `${each}:`).join(', ');
    throw new BadInput('engine', `a URL that begins with one of ${known}`, shownUrl(url));
  }
  const open = await engines[name]!();
  return open(url, options);
}
