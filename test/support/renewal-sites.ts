/** Real servers that count the renewals that they get, and from which an election can be stolen. */
import { EtcdServer } from './servers/etcd.ts';
import { PostgresServer } from './servers/postgres.ts';
import { RedisServer } from './servers/redis.ts';

export interface RenewalSite {
  readonly port: number;
  urlAt(port: number): string;
  /** How many renewals (statements, scripts, keep-alives) it ever got. */
  renewals(): Promise<number>;
  /** How many requests of any kind it ever got from elections. */
  requests(): Promise<number>;
  /** Gives the lease of an election to another holder. Its leader is not told. */
  steal(election: string): Promise<void>;
  /** Kills it, and starts it again with its data. */
  crash(): Promise<void>;
  close(): Promise<void>;
}

export async function postgresSite(): Promise<RenewalSite> {
  const server = await PostgresServer.start({ shared_preload_libraries: 'pg_stat_statements' });
  await server.sql('CREATE EXTENSION pg_stat_statements');
  return {
    port: server.port,
    urlAt: (port) => server.urlAt(port),
    renewals: async () =>
      Number(
        await server.sql(
          `SELECT coalesce(sum(calls), 0) FROM pg_stat_statements
           WHERE query LIKE '%UPDATE "public"."caucus_lease"%SET expires_at%SKIP LOCKED%'
              OR query LIKE '%SKIP LOCKED%SET expires_at%' OR query LIKE '%NOWAIT%SET expires_at%asked%'`,
        ),
      ),
    requests: async () =>
      Number(
        await server.sql(
          `SELECT coalesce(sum(calls), 0) FROM pg_stat_statements WHERE query LIKE '%"caucus_lease"%'`,
        ),
      ),
    steal: async (election) => {
      await server.sql(`UPDATE caucus_lease SET holder = gen_random_uuid() WHERE name = '${election}'`);
    },
    async crash() {
      await server.stop('SIGQUIT'); // At once, as by a crash: what is under way is not ended.
      await server.restart();
    },
    close: () => server.close(),
  };
}

export async function redisSite(): Promise<RenewalSite> {
  const server = await RedisServer.start({ appendfsync: 'everysec' });
  const scripts = async (): Promise<number> => {
    const stats = await server.cli(['INFO', 'commandstats']);
    const calls = [...stats.matchAll(/cmdstat_eval(?:sha)?:calls=(\d+)/g)].map(([, count]) => Number(count));
    return calls.reduce((sum, each) => sum + each, 0);
  };
  return {
    port: server.port,
    urlAt: (port) => `redis://127.0.0.1:${port}`,
    renewals: scripts, // While nothing else happens, every script is one.
    requests: scripts,
    steal: async (election) => {
      await server.cli(['HSET', `caucus:{${election}}:lease`, 'holder', 'a thief']);
    },
    async crash() {
      await server.stop('SIGKILL');
      await server.restart();
    },
    close: () => server.close(),
  };
}

export async function etcdSite(): Promise<RenewalSite> {
  const server = await EtcdServer.start();
  const metrics = async (): Promise<string> =>
    await (await fetch(`http://127.0.0.1:${server.port}/metrics`)).text();
  return {
    port: server.port,
    urlAt: (port) => `etcd://127.0.0.1:${port}`,
    renewals: async () => {
      return Number(/^etcd_debugging_lease_renewed_total (\S+)$/m.exec(await metrics())?.[1] ?? 0);
    },
    requests: async () => {
      const counts = (await metrics()).matchAll(/^grpc_server_started_total\{.*(?:KV|Lease)".*\} (\S+)$/gm);
      return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
    },
    steal: (election) => server.deleteElection(election),
    async crash() {
      await server.stop('SIGKILL');
      await server.restart();
    },
    close: () => server.close(),
  };
}
