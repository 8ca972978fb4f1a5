/**
 * caucus/redlock: the usage examples of redlock's README, and redlock's faults beside what the shim does in the same
 * place. "redlock" is the real package, version 5.0.0-beta.2.
 */
import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
// @ts-expect-error: its package does not say where its types are.
import RedlockModule from 'redlock';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import Redlock, { ExecutionError, ResourceLockedError } from '../../src/adapters/redlock/index.ts';
import { Memory } from '../../src/engines/memory/memory.ts';
import { freePorts } from '../support/free-ports.ts';
import { hasRedis, RedisServer } from '../support/servers/redis.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { runExample } from './support/example.ts';
import { slowAnswers } from './support/slow-answers.ts';

/** What is used of the package. */
interface OldLock {
  readonly expiration: number;
}
const OldRedlock = RedlockModule as unknown as new (
  clients: Redis[],
  settings?: object,
) => {
  acquire(resources: string[], duration: number): Promise<OldLock>;
  using<T>(resources: string[], duration: number, routine: (signal: AbortSignal) => Promise<T>): Promise<T>;
};

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of cleanUp.splice(0).reverse()) await each();
});

let servers: RedisServer[] = [];
afterAll(() => Promise.all(servers.map((server) => server.close())));

async function running(count: number): Promise<RedisServer[]> {
  while (servers.length < count) servers = [...servers, await RedisServer.start()];
  return servers.slice(0, count);
}

function client(port: number): Redis {
  const opened = new Redis({ host: '127.0.0.1', port, maxRetriesPerRequest: null });
  opened.on('error', () => {});
  cleanUp.push(() => opened.disconnect());
  return opened;
}

/** The shim for clients of these ports. */
function shim(ports: readonly number[], settings: ConstructorParameters<typeof Redlock>[1] = {}): Redlock {
  const redlock = new Redlock(ports.map(client), settings);
  cleanUp.push(() => redlock.quit().catch(() => {}));
  return redlock;
}

/** Blocks the event loop. */
const block = (ms: number): unknown => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

describe.runIf(hasRedis())('the usage examples of redlock', () => {
  it('using', async () => {
    const all = await running(3);
    const redlock = shim(all.map(({ port }) => port));
    const [senderId, recipientId] = ['sender', '{redlock}recipient'];
    const done: string[] = [];
    const result = await redlock.using([senderId, recipientId], 5000, async (signal, { tokens }) => {
      done.push('something');
      if (signal.aborted) throw signal.error;
      done.push('something else');
      expect([...tokens.keys()].sort()).toEqual([senderId, recipientId].sort());
      return 42;
    });
    expect([result, done]).toEqual([42, ['something', 'something else']]);
  });

  it('acquire, extend and release', async () => {
    const [server] = await running(1);
    const redlock = shim([server!.port]);
    let lock = await redlock.acquire(['a'], 5000);
    const { token } = lock;
    try {
      lock = await lock.extend(5000);
      expect(lock.token).toBe(token);
      expect(lock.expiration).toBeGreaterThan(Date.now());
      const other = shim([server!.port], { retryCount: 0 });
      await expect(other.acquire(['a'], 5000)).rejects.toThrow(ExecutionError);
    } finally {
      await lock.release();
    }
    const next = await redlock.acquire(['a'], 5000);
    expect(next.token).toBeGreaterThan(token);
    await redlock.release(next);
    await expect(next.release()).rejects.toThrow('the lock was released or has expired');
    await expect(next.extend(5000)).rejects.toThrow('Cannot extend an already-expired lock.');
  });

  it('the error event', async () => {
    const [server] = await running(1);
    const redlock = shim([server!.port], { retryCount: 0 });
    const errors: Error[] = [];
    redlock.on('error', (error) => errors.push(error));
    const lock = await redlock.acquire(['a'], 5000);
    await expect(redlock.acquire(['a'], 5000)).rejects.toThrow(/^a is locked by /);
    expect(errors.filter((error) => error instanceof ResourceLockedError)).toHaveLength(1);
    await lock.release();
  });

  it('is what the example shows', async () => {
    const [server] = await running(1);
    expect(await runExample('redlock.ts', String(server!.port))).toMatch(/^paid with token \d+\n$/);
  });
});

describe.runIf(hasRedis())('a fault of redlock that the shim does not have', () => {
  it('a blocked event loop: redlock says nothing, although another holds the lock', async () => {
    const [server] = await running(1);
    const take = (): string => {
      // By the time that the routine goes on, the lock of redlock is gone.
      const args = ['-p', `${server!.port}`, 'EXISTS', 'stalled'];
      return execFileSync('/usr/bin/redis-cli', args, { encoding: 'utf8' }).trim();
    };
    const old = new OldRedlock([client(server!.port)], { automaticExtensionThreshold: 100 });
    let inside: unknown;
    // Its release fails afterwards; in the routine, where it matters, nothing was seen.
    await old
      .using(['stalled'], 1000, async (signal) => {
        block(1500);
        inside = { isThere: take(), isAborted: signal.aborted };
      })
      .catch(() => {});
    expect(inside).toEqual({ isThere: '0', isAborted: false });

    const using = shim([server!.port], { leaseMs: 1000 }).using(
      ['stalled'],
      1000,
      async (signal, { assert }) => {
        block(1500);
        inside = { isAborted: signal.aborted, error: signal.error?.message };
        expect(assert).toThrow('the lock on stalled was lost');
      },
    );
    await expect(using).rejects.toThrow('the lock on stalled was lost');
    expect(inside).toEqual({
      isAborted: true,
      error: expect.stringMatching(/^the lock on stalled was lost: the event loop was blocked/),
    });
  });

  it('a connection that carries nothing: redlock never aborts, although another holds the lock', async () => {
    const [server] = await running(1);
    const proxy = await startTcpProxy(server!.url);
    cleanUp.push(() => proxy.close());
    const port = Number(new URL(proxy.url).port);
    // It extends its lock 2 s before the end: also a process that waits for a core does so in time.
    const old = new OldRedlock([client(port)], { automaticExtensionThreshold: 2000 });
    const other = new OldRedlock([client(server!.port)], { retryCount: -1 });
    let isAborted: boolean | null = null;
    const using = old.using(['frozen'], 4000, async (signal) => {
      proxy.freeze();
      await other.acquire(['frozen'], 5000);
      isAborted = signal.aborted;
      proxy.restore();
    });
    await using.catch(() => {});
    expect(isAborted).toBe(false);

    const next = shim([server!.port], { retryCount: -1 });
    const shown = shim([port], { leaseMs: 1000 }).using(['frozen'], 1000, async (signal) => {
      proxy.freeze();
      const lock = await next.acquire(['frozen'], 5000);
      isAborted = signal.aborted;
      proxy.restore();
      await lock.release();
    });
    await expect(shown).rejects.toThrow('the lock on frozen was lost');
    expect(isAborted).toBe(true);
  });

  it('an answer that comes late: redlock hands out a lock that has expired', async () => {
    const [server] = await running(1);
    const tunnel = await slowAnswers(server!.port);
    cleanUp.push(() => tunnel.close());
    const slow = client(tunnel.port);
    await slow.ping();
    tunnel.delayMs = 1000;
    const lock = await new OldRedlock([slow]).acquire(['late'], 500);
    expect(lock.expiration).toBeLessThan(Date.now());
    const acquired = await new OldRedlock([client(server!.port)], { retryCount: 0 }).acquire(['late'], 500);
    expect(acquired.expiration).toBeGreaterThan(Date.now());

    const late = shim([tunnel.port], { leaseMs: 500, retryCount: 0 }).acquire(['late'], 500);
    await expect(late).rejects.toThrow(/^late was not locked: /);
  });
});

it('a server that is down is named, with the reason, when the time for retries and answers is over', async () => {
  const [port] = await freePorts(1);
  const failed = shim([port!], { retryCount: 2, retryDelay: 100, leaseMs: 1000 }).acquire(['a'], 1000);
  await expect(failed).rejects.toThrow(/^a was not locked: Redis is unavailable: /);
});

describe('locks on an engine that is open', () => {
  const onMemory = (settings = {}): Redlock => {
    const engine = new Memory().engine();
    cleanUp.push(() => engine.close());
    return new Redlock(engine, settings);
  };

  it('take turns within a process, and release by themselves when their time is over', async () => {
    const redlock = onMemory();
    const short = await redlock.acquire(['a', 'b'], 50);
    expect(short.isValid()).toBe(true);
    const next = await redlock.acquire(['b'], 5000);
    expect(short.isValid()).toBe(false);
    expect(() => short.assert()).toThrow('the lock was released or has expired');
    expect(next.token).toBeGreaterThan(short.tokens.get('b')!);
    await next.release();
  });

  it('are all or none, and in one order', async () => {
    const redlock = onMemory({ retryCount: -1 });
    let inside = 0;
    const work = async (): Promise<void> => {
      expect(++inside).toBe(1);
      await sleep(5);
      inside--;
    };
    const orders = [
      ['a', 'b'],
      ['b', 'a'],
      ['b', 'a', 'a'],
      ['a', 'b'],
    ];
    await Promise.all(orders.map((resources) => redlock.using(resources, 1000, work)));
    const held = await redlock.acquire(['b'], 5000);
    const failed = redlock.acquire(['a', 'b'], 5000, { retryCount: 1, retryDelay: 20 });
    await expect(failed).rejects.toThrow(/^b is locked by /);
    await (await redlock.acquire(['a'], 5000, { retryCount: 0 })).release();
    await held.release();
  });

  it('reject with what the routine throws', async () => {
    const using = onMemory().using(['a'], 1000, { retryCount: 1 }, async () => {
      throw new Error('mine');
    });
    await expect(using).rejects.toThrow('mine');
  });

  it('refuse what they cannot use', async () => {
    const redlock = onMemory();
    await expect(redlock.acquire([], 1000)).rejects.toThrow('resources: expected an array of names');
    await expect(redlock.acquire(['a'], 1.5)).rejects.toThrow('Duration must be an integer');
    await expect(redlock.using(['a'], 1000, {} as never)).rejects.toThrow('routine: expected a function');
    expect(() => new Redlock([])).toThrow('clients: expected at least one client of ioredis, found none');
    const cluster = { isCluster: true, options: {}, quit: async () => {} };
    expect(() => new Redlock([cluster])).toThrow(
      'clients[0]: expected a single server of Redis, found a cluster',
    );
  });
});
