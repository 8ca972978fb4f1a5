import { redis } from '../../src/engines/redis/index.ts';
import { describeEngine } from '../support/engine-suite.ts';
import { hasRedis, RedisServer } from '../support/servers/redis.ts';

describeEngine('Redis', hasRedis(), {
  leaseMs: 1200,
  start: async () => [await RedisServer.start()],
  open: ([port], options) => redis(`redis://127.0.0.1:${port}`, { callMs: 500, ...options }),
});
