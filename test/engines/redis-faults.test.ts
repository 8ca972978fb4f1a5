/** What happens to a leader when Redis, the way to it or what it holds is hurt. */
import { execFile } from 'node:child_process';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Election } from '../../src/election/index.ts';
import type { Participant } from '../../src/engines/conformance/index.ts';
import { seen, won } from '../../src/engines/conformance/stage.ts';
import { type RedisOptions, redis } from '../../src/engines/redis/index.ts';
import { compiled } from '../support/compiled.ts';
import { lossOf } from '../support/loss.ts';
import { hasRedis, RedisServer } from '../support/servers/redis.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';

const LEASE_MS = 1200;
const FOR_EVER_MS = 3_600_000;

let server: RedisServer;
let count = 0;
const engines: Participant[] = [];

function join(name: string, options: RedisOptions = {}, url = server.url): Election {
  const engine = redis(url, { leaseMs: LEASE_MS, callMs: 400, ...options });
  engines.push(engine);
  return new Election(name, engine);
}

/** Waits until so many are subscribed. */
async function heardBy(name: string, listeners: number): Promise<void> {
  const channel = `caucus:{${name}}`;
  const ask = (): Promise<string> => server.cli(['PUBSUB', 'NUMSUB', channel]);
  await expect.poll(ask, { timeout: 10_000 }).toBe(`${channel}\n${listeners}`);
}

describe.runIf(hasRedis())('Redis in trouble', () => {
  beforeAll(async () => {
    server = await RedisServer.start();
  });
  afterEach(async () => {
    await server.recover();
    await Promise.all(engines.splice(0).map((engine) => engine.close()));
  });
  afterAll(() => server?.close());

  const test = (name: string, play: (election: string) => Promise<void>): void => {
    it(name, () => play(`faults-${++count}`));
  };

  test('a leader whose Redis is stopped is demoted in time, and leads again with a greater token', async (name) => {
    const a = join(name);
    const first = await won(a);
    await server.stop();
    const { cause, detail } = await lossOf(first);
    expect(cause).toBe('store-unreachable');
    expect(detail).toMatch(/^Redis did not renew it in time: /);
    expect(first.isValid()).toBe(false);
    await first.resign();
    await server.restart();
    expect((await won(a)).token).toBeGreaterThan(first.token);
  });

  test('a lease outlives a restart of Redis that is shorter', async (name) => {
    const a = join(name, { leaseMs: 6000 });
    const held = await won(a);
    await server.stop();
    await server.restart();
    const b = join(name);
    await seen(b, 'the leader', ({ leader }) => leader === a.self);
    expect(held.isValid()).toBe(true);
    expect(b.leader()).toEqual({ name: a.self, token: held.token });
  });

  test('a Redis that is paused past the lease frees it, and its late renewals do nothing', async (name) => {
    const [a, b] = [join(name), join(name)];
    const first = await won(a);
    await seen(b, 'the leader', ({ leader }) => leader === a.self);
    server.pause();
    try {
      expect((await lossOf(first)).cause).toBe('store-unreachable');
      await seen(b, 'the outage', ({ cause, leader }) => cause === 'store-unreachable' && leader === null);
    } finally {
      server.resume();
    }
    await first.resign();
    const second = await won(b);
    expect(second.token).toBeGreaterThan(first.token);
    await seen(a, 'the new leader', ({ token }) => token === second.token);
  });

  test('whoever was cut off past its lease disturbs nobody when it comes back', async (name) => {
    const proxy = await startTcpProxy(`http://127.0.0.1:${server.port}`);
    const [a, b] = [join(name, {}, proxy.url.replace('http', 'redis')), join(name)];
    const first = await won(a);
    const next = won(b);
    proxy.freeze();
    await lossOf(first);
    const second = await next;
    proxy.restore();
    await seen(a, 'the new leader', ({ token }) => token === second.token);
    await sleep(LEASE_MS);
    expect(second.isValid()).toBe(true);
    await proxy.close();
  });

  test('a leader whose lease was deleted learns it with its next renewal', async (name) => {
    const a = join(name);
    const first = await won(a);
    await server.deleteElection(name);
    expect((await lossOf(first)).cause).toBe('deposed');
    await first.resign();
    expect((await won(a)).token).toBeGreaterThan(first.token);
  });

  test('after FLUSHALL a newcomer gets a greater token, and the old leader is told as soon as there is one', async (name) => {
    // It would renew in 20 s, so it can only be the message that tells it.
    const a = join(name, { leaseMs: 60_000 });
    const first = await won(a);
    await heardBy(name, 1);
    await server.cli(['FLUSHALL']);
    const second = await won(join(name));
    // What does not hold: at this moment both may be valid. The token tells them apart.
    expect(second.token).toBeGreaterThan(first.token);
    expect((await lossOf(first)).cause).toBe('deposed');
    expect(second.isValid()).toBe(true);
  });

  test('a leader is told of FLUSHALL when it renews, if nobody else wants to lead', async (name) => {
    const a = join(name);
    const first = await won(a);
    await server.cli(['FLUSHALL']);
    expect((await lossOf(first)).cause).toBe('deposed');
    await first.resign();
    expect((await won(a)).token).toBeGreaterThan(first.token);
  });

  test('a counter that is lost is set again by the next renewal', async (name) => {
    const fence = `caucus:{${name}}:fence`;
    const held = await won(join(name));
    await server.cli(['DEL', fence]);
    await expect.poll(() => server.cli(['GET', fence]), { timeout: 5000 }).toBe(`${held.token}`);
    expect(held.isValid()).toBe(true);
  });

  test('tokens that are ahead of the clock survive the loss of all data in the memory of those who saw them', async (name) => {
    const ahead = Date.now() + 3_600_000;
    await server.cli(['SET', `caucus:{${name}}:fence`, `${ahead}`]);
    const [a, witness] = [join(name), join(name)];
    const first = await won(a);
    expect(first.token).toBe(BigInt(ahead) + 1n);
    await seen(witness, 'the leader', ({ leader }) => leader === a.self);
    await first.resign();
    await server.cli(['FLUSHALL']);
    const second = await won(witness);
    expect(second.token).toBe(first.token + 1n);
    await second.resign();
    // What does not hold: a newcomer after such a loss has only the clock.
    await server.cli(['FLUSHALL']);
    expect((await won(join(name))).token).toBeLessThan(second.token);
  });

  test('CLIENT KILL costs neither a leadership nor a wake-up', async (name) => {
    const a = join(name);
    const first = await won(a);
    const b = join(name, { retryMs: FOR_EVER_MS, leaseMs: 60_000 });
    await seen(b, 'the leader', ({ leader }) => leader === a.self);
    for (let times = 0; times < 3; times++) {
      await server.cli(['CLIENT', 'KILL', 'TYPE', 'normal']);
      await server.cli(['CLIENT', 'KILL', 'TYPE', 'pubsub']);
      await sleep(LEASE_MS / 2);
    }
    expect(first.isValid()).toBe(true);
    await heardBy(name, 2);
    const next = won(b);
    await first.resign();
    expect((await next).token).toBeGreaterThan(first.token);
  });

  test('SCRIPT FLUSH costs nothing', async (name) => {
    const held = await won(join(name));
    await server.cli(['SCRIPT', 'FLUSH']);
    await sleep(LEASE_MS);
    expect(held.isValid()).toBe(true);
  });

  test('keys of another kind are reported, not overwritten', async (name) => {
    await server.cli(['SET', `caucus:{${name}}:lease`, 'mine']);
    const { detail } = await seen(join(name), 'the error', ({ cause }) => cause === 'store-unreachable');
    expect(detail).toMatch(/^Redis is unavailable: 127.0.0.1:\d+: WRONGTYPE Operation/);
    expect(detail).not.toMatch(/script:|user_script/);
    expect(await server.cli(['GET', `caucus:{${name}}:lease`])).toBe('mine');
  });

  test('a Redis that is full costs no leadership', async (name) => {
    const held = await won(join(name));
    await server.cli(['CONFIG', 'SET', 'maxmemory', '1']);
    try {
      await sleep(2 * LEASE_MS);
      expect(held.isValid()).toBe(true);
    } finally {
      await server.cli(['CONFIG', 'SET', 'maxmemory', '0']);
    }
  });

  test('a counter that was damaged and mended keeps nobody from leading', async (name) => {
    const a = join(name);
    const held = await won(a);
    await server.cli(['SET', `caucus:{${name}}:fence`, '999999999999999999']);
    const b = join(name);
    await seen(b, 'the leader', ({ leader }) => leader === a.self); // It has read the counter.
    await server.cli(['SET', `caucus:{${name}}:fence`, String(held.token)]);
    await held.resign();
    expect((await won(b)).token).toBeGreaterThan(held.token);
  });

  test('a process whose engine is closed ends by itself, whether Redis answers or not', async (name) => {
    const program = await compiled(path.resolve(import.meta.dirname, '../support/redis-leaver.ts'));
    const proxy = await startTcpProxy(`http://127.0.0.1:${server.port}`);
    const run = async (...args: string[]): Promise<string> => {
      const node = promisify(execFile)(process.execPath, [program, ...args], {
        timeout: 50_000,
      });
      return (await node).stdout;
    };
    expect(await run(server.url, name)).toBe('led\nclosed\n');
    proxy.freeze();
    expect(await run(proxy.url.replace('http', 'redis'), name)).toBe('unreachable\nclosed\n');
    await proxy.close();
  });
});
