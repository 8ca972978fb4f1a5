import { Etcd3 } from 'etcd3';
import { Redis } from 'ioredis';
import pg from 'pg';
// @ts-expect-error: its package does not say where its types are.
import RedlockModule from 'redlock';
import { Election, type Leadership } from '../src/election/index.ts';
import { openEngine } from '../src/engines/open.ts';

/** A candidate, with any client. */
export interface Contender {
  /** Settles when it leads. */
  lead(): Promise<void>;
  release(): Promise<void>;
  close(): Promise<void>;
}

export async function ours(url: string, name: string, leaseMs: number): Promise<Contender> {
  const engine = await openEngine(url, { leaseMs });
  const election = new Election(name, engine, { drainMs: 0 });
  let leadership: Leadership | null = null;
  const over = new AbortController();
  return {
    async lead() {
      try {
        leadership = await election.campaign({ signal: over.signal });
      } catch (error) {
        if (!over.signal.aborted) throw error;
      }
    },
    release: async () => leadership!.resign(),
    async close() {
      over.abort();
      await election.close().catch(() => {});
      await engine.close();
    },
  };
}

export async function etcd3Election(port: number, name: string, leaseMs: number): Promise<Contender> {
  const client = new Etcd3({ hosts: `http://127.0.0.1:${port}` });
  const election = client.election(name, leaseMs / 1000);
  let campaign: ReturnType<typeof election.campaign> | null = null;
  return {
    lead: () =>
      new Promise((resolve) => {
        campaign = election.campaign(`contender-${Math.random()}`);
        campaign.on('elected', () => resolve());
        campaign.on('error', () => {});
      }),
    async release() {
      await campaign!.resign();
    },
    async close() {
      await campaign?.resign().catch(() => {});
      client.close();
    },
  };
}

/** A lock that belongs to a session: the server frees it when the connection is gone. */
export const advisoryLock: {
  open(url: string, name: string): Promise<Contender>;
  ask(url: string): Promise<unknown>;
} = {
  async open(url, name) {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => {});
    await client.connect();
    return {
      async lead() {
        await client.query('select pg_advisory_lock(hashtext($1))', [name]).catch(() => {});
      },
      async release() {
        await client.query('select pg_advisory_unlock(hashtext($1))', [name]);
      },
      close: async () => void client.end().catch(() => {}),
    };
  },
  async ask(url) {
    asking ??= connected(url);
    return (await asking).query('select 1');
  },
};

let asking: Promise<pg.Client> | null = null;

async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  return client;
}

type Lock = { release(): Promise<unknown>; extend(ms: number): Promise<Lock> };
type Redlock = {
  acquire(keys: string[], ms: number): Promise<Lock>;
  on(event: 'error', listener: () => void): void;
};
const MakeRedlock = RedlockModule as unknown as new (clients: unknown[], options: object) => Redlock;

/** Its usual settings, but a hundred tries in place of ten; and extended at a third, as its own `using` would. */
export const redlockLock: {
  open(port: number, name: string, leaseMs: number): Promise<Contender>;
  ask(port: number): Promise<unknown>;
} = {
  async open(port, name, leaseMs) {
    const client = new Redis(port, '127.0.0.1', { maxRetriesPerRequest: 1, retryStrategy: () => 200 });
    client.on('error', () => {});
    const redlock = new MakeRedlock([client], { retryCount: 100 });
    redlock.on('error', () => {});
    let lock: Lock | null = null;
    let timer: NodeJS.Timeout | undefined;
    return {
      async lead() {
        lock = await redlock.acquire([name], leaseMs).catch(() => null);
        if (lock === null) return; // It was closed while it waited.
        timer = setInterval(async () => {
          lock = await lock!.extend(leaseMs).catch(() => lock);
        }, leaseMs / 3);
      },
      async release() {
        clearInterval(timer);
        await lock!.release();
      },
      async close() {
        clearInterval(timer);
        client.disconnect();
      },
    };
  },
  ask(port) {
    pinging ??= new Redis(port, '127.0.0.1');
    return pinging.ping();
  },
};

let pinging: Redis | null = null;

/** Lets go of what only served to measure round trips. */
export async function closeAsking(): Promise<void> {
  await (await asking)?.end().catch(() => {});
  pinging?.disconnect();
}
