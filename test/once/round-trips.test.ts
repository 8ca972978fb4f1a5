/** How many round trips to a real store an occasion takes: take and begin, end, release. */
import { describe, expect, it } from 'vitest';
import { Election } from '../../src/election/index.ts';
import { openEngine } from '../../src/engines/open.ts';
import { EtcdServer, hasEtcd } from '../support/servers/etcd.ts';
import { hasPostgres, PostgresServer } from '../support/servers/postgres.ts';
import { hasRedis, RedisServer } from '../support/servers/redis.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';

interface Site {
  readonly port: number;
  readonly urlAt: (port: number) => string;
  close(): Promise<void>;
}

const stores: Readonly<Record<string, readonly [isThere: boolean, start: () => Promise<Site>]>> = {
  postgres: [
    hasPostgres(),
    async () => {
      const server = await PostgresServer.start();
      return {
        port: server.port,
        urlAt: (port) => server.urlAt(port),
        close: () => server.close(),
      };
    },
  ],
  redis: [
    hasRedis(),
    async () => {
      const server = await RedisServer.start();
      return {
        port: server.port,
        urlAt: (port) => `redis://127.0.0.1:${port}`,
        close: () => server.close(),
      };
    },
  ],
  etcd: [
    hasEtcd(),
    async () => {
      const server = await EtcdServer.start();
      return {
        port: server.port,
        urlAt: (port) => `etcd://127.0.0.1:${port}`,
        close: () => server.close(),
      };
    },
  ],
};

/** No renewal comes due meanwhile, and no call runs out of time on a busy machine. */
const QUIET = { leaseMs: 600_000, renewMs: 300_000, retryMs: 300_000, callMs: 60_000 };

describe.each(Object.entries(stores))('an occasion on %s', (_, [isThere, start]) => {
  it.runIf(isThere)('takes two round trips, and one more to release the leadership', async () => {
    const site = await start();
    const proxy = await startTcpProxy(`http://127.0.0.1:${site.port}`);
    const engine = await openEngine(site.urlAt(Number(new URL(proxy.url).port)), QUIET);
    const election = new Election('report', engine);
    const run = async (occasion: number): Promise<number> => {
      const from = proxy.requests;
      const { outcome, run } = await election.once(occasion, () => {});
      const made = proxy.requests - from;
      await expect.poll(() => election.occupation).toBeNull();
      expect({ outcome, attempt: run.attempt }).toEqual({ outcome: 'done', attempt: 1 });
      return made;
    };
    try {
      await run(1); // Opens the connections.
      const from = proxy.requests;
      expect([await run(2), await run(3), await run(4)]).toEqual([2, 2, 2]);
      expect(proxy.requests - from).toBe(9);
      expect(election.runs.runs.map(({ occasion, token }) => [occasion, Number(token) > 0])).toEqual(
        [1, 2, 3, 4].map((each) => [each, true]),
      );
    } finally {
      await engine.close();
      await proxy.close();
      await site.close();
    }
  });

  it.runIf(isThere)('replaces no record that it does not know yet', async () => {
    const site = await start();
    const engines = await Promise.all([0, 1].map(() => openEngine(site.urlAt(site.port), QUIET)));
    const [a, b] = engines.map((engine) => new Election('report', engine));
    try {
      // Each is called before a hint can tell it what the other has just recorded.
      for (let occasion = 1; occasion <= 16; occasion += 2) {
        const first = await a!.once(occasion, () => {});
        const second = await b!.once(occasion + 1, () => {});
        expect([first.outcome, second.outcome]).toEqual(['done', 'done']);
      }
      await expect.poll(() => a!.runs.runs.at(-1)?.occasion).toBe(16);
      const { runs } = a!.runs;
      expect(runs.map(({ occasion, attempt }) => [occasion, attempt])).toEqual(
        Array.from({ length: 16 }, (_, i) => [i + 1, 1]),
      );
      const tokens = runs.map(({ token }) => BigInt(token));
      expect(tokens.every((token, i) => i === 0 || token > tokens[i - 1]!)).toBe(true);
    } finally {
      for (const engine of engines) await engine.close();
      await site.close();
    }
  });
});
