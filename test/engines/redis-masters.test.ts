import { redis } from '../../src/engines/redis/index.ts';
import { describeEngine } from '../support/engine-suite.ts';
import { hasRedis, RedisServer } from '../support/servers/redis.ts';

describeEngine('three masters of Redis that know nothing of each other', hasRedis(), {
  leaseMs: 1200,
  start: async () => await Promise.all(Array.from({ length: 3 }, () => RedisServer.start())),
  open: (ports, options) => {
    const hosts = ports.map((port) => `127.0.0.1:${port}`).join(',');
    // Each master gets a third of it.
    return redis(`redis://${hosts}`, { callMs: options.leaseMs === 1200 ? 700 : 9000, ...options });
  },
});
