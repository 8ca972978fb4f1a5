/** Where three replicas meet, for the trials of schedules. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { sites } from '../engines/safety/sites.ts';
import { freePorts } from './free-ports.ts';
import type { ReplicaPlan } from './once-replica.ts';
import { PostgresServer } from './servers/postgres.ts';

export interface OnceSite {
  readonly plans: readonly ReplicaPlan[];
  /** Of the table of results: what is there more or less than once. */
  readonly check: (occasions: readonly string[]) => Promise<string[]>;
  close(): Promise<void>;
}

const REPLICAS = ['r1', 'r2', 'r3'] as const;
const usual = { election: 'nightly', line: '* * * * * *', isTransacted: false, busyMs: 600 };

async function onStore(name: string): Promise<OnceSite> {
  const site = await sites[name]!();
  const { url, options } = site.way(site.ports ?? []);
  const leaseMs = name === 'local' ? {} : { leaseMs: Math.max(site.leaseMs, 2000) };
  return {
    plans: REPLICAS.map((each) => ({
      ...usual,
      engine: { url, options: { ...options, ...leaseMs, name: each } },
    })),
    check: async () => [],
    close: () => site.close(),
  };
}

/** Each result goes to a table, in the transaction that records the occasion. */
async function inTransactions(): Promise<OnceSite> {
  const server = await PostgresServer.start();
  const client = new Client({ connectionString: server.url });
  await client.connect();
  await client.query('CREATE TABLE results (occasion text NOT NULL, token numeric NOT NULL)');
  return {
    plans: REPLICAS.map((name) => ({
      ...usual,
      isTransacted: true,
      engine: { url: server.url, options: { leaseMs: 2000, name } },
    })),
    async check(occasions) {
      const { rows } = await client.query(
        'SELECT occasion, count(*)::int AS count FROM results GROUP BY occasion',
      );
      const counts = new Map<string, number>(rows.map(({ occasion, count }) => [occasion, count]));
      const all = new Set([...counts.keys(), ...occasions]);
      return [...all]
        .filter((each) => counts.get(each) !== 1 || !occasions.includes(each))
        .map((each) => `${each} has ${counts.get(each) ?? 0} results`);
    },
    async close() {
      await client.end();
      await server.close();
    },
  };
}

async function amongMembers(): Promise<OnceSite> {
  const folder = mkdtempSync(path.join(tmpdir(), 'caucus-once-'));
  const ports = await freePorts(REPLICAS.length);
  const peers = REPLICAS.map((id, i) => ({ id, url: `http://127.0.0.1:${ports[i]}` }));
  return {
    plans: REPLICAS.map((id, i) => ({
      ...usual,
      member: { id, listen: { port: ports[i]! }, peers, data: path.join(folder, id) },
    })),
    check: async () => [],
    close: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

export const onceSites: Readonly<Record<string, () => Promise<OnceSite>>> = {
  postgres: () => onStore('postgres'),
  transaction: inTransactions,
  redis: () => onStore('redis'),
  etcd: () => onStore('etcd'),
  local: () => onStore('local'),
  members: amongMembers,
};
