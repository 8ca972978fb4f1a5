/** What every engine does, on a real Redis. */
import { afterAll, beforeAll, describe, it } from 'vitest';
import { conformance, type Participant } from '../../src/engines/conformance/index.ts';
import { redis } from '../../src/engines/redis/index.ts';
import { hasRedis, RedisServer } from '../support/servers/redis.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';

let server: RedisServer;
const proxies = new Map<Participant, TcpProxy>();

const cases = conformance({
  leaseMs: 1200,
  async open(options) {
    const proxy = await startTcpProxy(`http://127.0.0.1:${server.port}`);
    const engine = redis(proxy.url.replace('http', 'redis'), { callMs: 500, ...options });
    proxies.set(engine, proxy);
    return engine;
  },
  crash(participant) {
    proxies.get(participant)!.freeze();
  },
});

describe.runIf(hasRedis())('Redis, as an engine', () => {
  beforeAll(async () => {
    server = await RedisServer.start();
  });
  afterAll(async () => {
    for (const proxy of proxies.values()) await proxy.close();
    await server?.close();
  });
  for (const { name, skip, run } of cases) (skip === null ? it : it.skip)(name, run);
});
