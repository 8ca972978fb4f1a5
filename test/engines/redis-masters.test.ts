/** What every engine does, on three masters of Redis that know nothing of each other. */
import { afterAll, beforeAll, describe, it } from 'vitest';
import { conformance, type Participant } from '../../src/engines/conformance/index.ts';
import { redis } from '../../src/engines/redis/index.ts';
import { hasRedis, RedisServer } from '../support/servers/redis.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';

let servers: RedisServer[] = [];
const proxies = new Map<Participant, TcpProxy[]>();

const cases = conformance({
  leaseMs: 1200,
  async open(options) {
    const mine = await Promise.all(servers.map(({ port }) => startTcpProxy(`http://127.0.0.1:${port}`)));
    const hosts = mine.map(({ url }) => new URL(url).host).join(',');
    const engine = redis(`redis://${hosts}`, { callMs: 700, ...options });
    proxies.set(engine, mine);
    return engine;
  },
  crash(participant) {
    for (const proxy of proxies.get(participant)!) proxy.freeze();
  },
});

describe.runIf(hasRedis())('three masters of Redis, as an engine', () => {
  beforeAll(async () => {
    servers = await Promise.all(Array.from({ length: 3 }, () => RedisServer.start()));
  });
  afterAll(async () => {
    for (const proxy of [...proxies.values()].flat()) await proxy.close();
    for (const server of servers) await server.close();
  });
  for (const { name, skip, run } of cases) (skip === null ? it : it.skip)(name, run);
});
