/** A machine that is suspended again and again, each time for less than a second, under a leader on a real Redis. */
import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { Election } from '../../src/election/index.ts';
import { seen, won } from '../../src/engines/conformance/stage.ts';
import { redis } from '../../src/engines/redis/index.ts';
import { hasRedis, RedisServer } from '../support/servers/redis.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';

const LEASE_MS = 4000;
const SUSPEND_MS = 600;

describe.runIf(hasRedis())('suspends of less than a second', () => {
  let server: RedisServer;
  const monotonic = performance.now.bind(performance);
  let missedMs = 0;

  beforeAll(async () => {
    server = await RedisServer.start();
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });
  afterAll(() => server?.close());

  /** As the kernel does it: nothing runs, the wall clock goes on, and the monotonic clock stands still. */
  function suspend(ms: number): void {
    const sinceMs = monotonic();
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
    missedMs += monotonic() - sinceMs;
  }

  it('add up: a leader that cannot renew is no longer valid when the next one has won', async () => {
    const awakeNow = (): number => monotonic() - missedMs;
    vi.spyOn(performance, 'now').mockImplementation(awakeNow);
    // Timers count by the same clock.
    vi.spyOn(globalThis, 'setTimeout').mockImplementation(((run: () => void, delayMs = 0) => {
      const dueMs = awakeNow() + delayMs;
      const timer = setInterval(() => {
        if (awakeNow() < dueMs) return;
        clearInterval(timer);
        run();
      }, 5);
      return timer;
    }) as typeof setTimeout);
    const proxy = await startTcpProxy(`http://127.0.0.1:${server.port}`);
    const [a, b] = [
      redis(proxy.url.replace('http', 'redis'), { leaseMs: LEASE_MS, callMs: 500 }),
      redis(server.url, { leaseMs: LEASE_MS, retryMs: 50 }),
    ];
    try {
      const first = await won(new Election('e', a));
      const other = new Election('e', b);
      await seen(other, 'the leader', ({ leader }) => leader === a.name);
      const winning = won(other);
      let isWon = false;
      void winning.then(() => {
        isWon = true;
      });
      proxy.freeze();
      const heardMs = monotonic();
      while (!isWon && monotonic() - heardMs < 3 * LEASE_MS) {
        suspend(SUSPEND_MS);
        // It is awake long enough to ask Redis, and to look at its clocks.
        const awakeMs = monotonic();
        while (!isWon && monotonic() - awakeMs < 100) {
          first.isValid();
          await turn();
        }
      }
      const second = await winning;
      expect(first.isValid(), 'the first is over when the second is won').toBe(false);
      expect(second.token).toBeGreaterThan(first.token);
    } finally {
      proxy.restore();
      await Promise.all([a.close(), b.close()]);
      await proxy.close();
    }
  });
});
