import { afterAll, beforeAll, describe, it } from 'vitest';
import { conformance, type Participant } from '../../src/engines/conformance/index.ts';
import { postgres } from '../../src/engines/postgres/index.ts';
import { hasPostgres, PostgresServer } from '../support/servers/postgres.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';

describe.runIf(hasPostgres())('PostgreSQL, as an engine', () => {
  let server: PostgresServer;
  const proxies = new Map<Participant, TcpProxy>();

  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(async () => {
    for (const proxy of proxies.values()) await proxy.close();
    await server.close();
  });

  const cases = conformance({
    leaseMs: 1000,
    async open(options) {
      const proxy = await startTcpProxy(`http://127.0.0.1:${server.port}`);
      const engine = postgres(server.urlAt(Number(new URL(proxy.url).port)), options);
      proxies.set(engine, proxy);
      return engine;
    },
    crash(participant) {
      proxies.get(participant)!.freeze();
    },
  });

  for (const { name, skip, run } of cases) (skip === null ? it : it.skip)(name, run);
});
