/**
 * Candidates on a store with the clients of today. Each client is loaded when it is used: the memory of a candidate is that of
 * one client.
 */
import type { Etcd3 } from 'etcd3';
import type { Redis } from 'ioredis';
import type pg from 'pg';

/** A candidate, with any client. */
export interface Contender {
  /** Settles when it leads; false if it gave up before, as when it was closed while it waited. */
  lead(): Promise<boolean>;
  release(): Promise<void>;
  close(): Promise<void>;
  /** Called if it finds that it leads no more, without having released. */
  onLost?: () => void;
}

export type Client = 'pg' | 'etcd3' | 'redlock';

/** Opens the candidates of one process, which share a connection where the client lets them. */
export async function openClient(
  client: Client,
  url: string,
  leaseMs: number,
): Promise<(name: string) => Promise<Contender>> {
  const port = Number(new URL(url).port);
  switch (client) {
    case 'pg':
      return (name) => advisoryLock.open(url, name);
    case 'etcd3': {
      const shared = await etcd3Client(port);
      return async (name) => etcd3Candidate(shared, name, leaseMs);
    }
    case 'redlock': {
      const shared = await redisClient(port);
      return (name) => redlockCandidate(shared, name, leaseMs);
    }
  }
}

async function etcd3Client(port: number): Promise<Etcd3> {
  const { Etcd3 } = await import('etcd3');
  return new Etcd3({ hosts: `http://127.0.0.1:${port}` });
}

export async function etcd3Election(port: number, name: string, leaseMs: number): Promise<Contender> {
  const client = await etcd3Client(port);
  const candidate = etcd3Candidate(client, name, leaseMs);
  return {
    ...candidate,
    async close() {
      await candidate.close();
      client.close();
    },
  };
}

function etcd3Candidate(client: Etcd3, name: string, leaseMs: number): Contender {
  const election = client.election(name, leaseMs / 1000);
  let campaign: ReturnType<typeof election.campaign> | null = null;
  const candidate: Contender = {
    lead: () =>
      new Promise((resolve) => {
        let isElected = false;
        campaign = election.campaign(`contender-${Math.random()}`);
        campaign.on('elected', () => {
          isElected = true;
          resolve(true);
        });
        // A campaign with an error is over.
        campaign.on('error', () => (isElected ? candidate.onLost?.() : resolve(false)));
      }),
    async release() {
      await campaign!.resign();
    },
    async close() {
      await campaign?.resign().catch(() => {});
    },
  };
  return candidate;
}

/** A lock that belongs to a session: the server frees it when the connection is gone. */
export const advisoryLock: {
  open(url: string, name: string): Promise<Contender>;
  ask(url: string): Promise<unknown>;
} = {
  async open(url, name) {
    const client = await connected(url);
    return {
      lead: () =>
        client.query('select pg_advisory_lock(hashtext($1))', [name]).then(
          () => true,
          () => false,
        ),
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
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  return client;
}

type Lock = { release(): Promise<unknown>; extend(ms: number): Promise<Lock> };
type Redlock = {
  acquire(keys: string[], ms: number, settings: object): Promise<Lock>;
  on(event: 'error', listener: () => void): void;
};

async function redisClient(port: number): Promise<Redis> {
  const { Redis } = await import('ioredis');
  const client = new Redis(port, '127.0.0.1', { maxRetriesPerRequest: 1, retryStrategy: () => 200 });
  client.on('error', () => {});
  return client;
}

/** Its usual settings, but a hundred tries in place of ten; and extended at a third, as its own `using` would. */
export const redlockLock: {
  open(port: number, name: string, leaseMs: number): Promise<Contender>;
  ask(port: number): Promise<unknown>;
} = {
  async open(port, name, leaseMs) {
    const client = await redisClient(port);
    const candidate = await redlockCandidate(client, name, leaseMs);
    return {
      ...candidate,
      async close() {
        await candidate.close();
        client.disconnect();
      },
    };
  },
  async ask(port) {
    pinging ??= redisClient(port);
    return (await pinging).ping();
  },
};

async function redlockCandidate(client: Redis, name: string, leaseMs: number): Promise<Contender> {
  // @ts-expect-error: its package does not say where its types are.
  const { default: RedlockModule } = await import('redlock');
  const MakeRedlock = RedlockModule as unknown as new (clients: unknown[], options: object) => Redlock;
  const redlock = new MakeRedlock([client], {});
  redlock.on('error', () => {});
  let lock: Lock | null = null;
  let timer: NodeJS.Timeout | undefined;
  const candidate: Contender = {
    async lead() {
      lock = await redlock.acquire([name], leaseMs, { retryCount: 100 }).catch(() => null);
      if (lock === null) return false;
      const extending = setInterval(async () => {
        try {
          const extended = await lock!.extend(leaseMs);
          if (timer === extending) lock = extended;
        } catch {
          if (timer !== extending) return;
          clearInterval(extending);
          timer = undefined;
          candidate.onLost?.();
        }
      }, leaseMs / 3);
      timer = extending;
      return true;
    },
    async release() {
      clearInterval(timer);
      timer = undefined;
      await lock!.release();
    },
    async close() {
      clearInterval(timer);
      timer = undefined;
    },
  };
  return candidate;
}

let pinging: Promise<Redis> | null = null;

/** Lets go of what only served to measure round trips. */
export async function closeAsking(): Promise<void> {
  await (await asking)?.end().catch(() => {});
  (await pinging)?.disconnect();
}
