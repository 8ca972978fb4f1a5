/** Three masters of Redis that know nothing of each other, some of which are stopped, stalled, or have lost their data. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Election, type Leadership } from '../../src/election/index.ts';
import type { Participant } from '../../src/engines/conformance/index.ts';
import { seen, won } from '../../src/engines/conformance/stage.ts';
import { type RedisOptions, redis } from '../../src/engines/redis/index.ts';
import { lossOf } from '../support/loss.ts';
import { hasRedis, RedisServer } from '../support/servers/redis.ts';

const LEASE_MS = 1500;

let servers: RedisServer[] = [];
let count = 0;
const engines: Participant[] = [];

function join(name: string, options: RedisOptions = {}): Election {
  const url = `redis://${servers.map(({ port }) => `127.0.0.1:${port}`).join(',')}`;
  const engine = redis(url, { leaseMs: LEASE_MS, callMs: 800, ...options });
  engines.push(engine);
  return new Election(name, engine);
}

/** Who holds it at each of the masters, and with which token. */
function held(name: string): Promise<string[]> {
  const ask = ['HMGET', `caucus:{${name}}:lease`, 'leader', 'token'];
  return Promise.all(servers.map((server) => server.cli(ask)));
}

function everywhere({ self }: Election, { token }: Leadership): string[] {
  return servers.map(() => `${self}\n${token}`);
}

describe.runIf(hasRedis())('three masters of Redis in trouble', () => {
  beforeAll(async () => {
    servers = await Promise.all(Array.from({ length: 3 }, () => RedisServer.start()));
  });
  afterEach(async () => {
    await Promise.all(servers.map((server) => server.recover()));
    await Promise.all(engines.splice(0).map((engine) => engine.close()));
  });
  afterAll(() => Promise.all(servers.map((server) => server.close())));

  const test = (name: string, play: (election: string) => Promise<void>): void => {
    it(name, () => play(`masters-${++count}`));
  };

  test('a leader is on all of them, with one token', async (name) => {
    const a = join(name);
    const leadership = await won(a);
    await expect.poll(() => held(name), { timeout: 5000 }).toEqual(everywhere(a, leadership));
  });

  test('with one stopped, all goes on: winning, renewing, observing, publishing, handing over', async (name) => {
    const [a, b] = [join(name), join(name)];
    await servers[0]!.stop();
    const first = await won(a);
    await seen(b, 'the leader', ({ token }) => token === first.token);
    const version = await first.publish('still here');
    expect((await seen(b, 'the value', (each) => each.version === version)).value).toBe('still here');
    await sleep(1.5 * LEASE_MS);
    expect(first.isValid()).toBe(true);
    const next = won(b);
    await first.resign();
    expect((await next).token).toBeGreaterThan(first.token);
  });

  test('with two stopped nobody leads, until one is back', async (name) => {
    const [a, b] = [join(name), join(name)];
    const first = await won(a);
    await Promise.all([servers[0]!.stop(), servers[2]!.stop()]);
    const { cause, detail } = await lossOf(first);
    expect(cause).toBe('store-unreachable');
    expect(detail).toMatch(/no majority of the 3 masters: .*127\.0\.0\.1:\d+; .*127\.0\.0\.1:\d+/);
    await first.resign();
    let isWon = false;
    const next = won(b).finally(() => {
      isWon = true;
    });
    await sleep(1.5 * LEASE_MS);
    expect(isWon).toBe(false);
    await servers[2]!.restart();
    expect((await next).token).toBeGreaterThan(first.token);
  });

  test('one that is paused holds nobody up, and is brought up to date when it goes on', async (name) => {
    const [a, b] = [join(name), join(name)];
    servers[1]!.pause();
    try {
      const first = await won(a);
      await sleep(1.5 * LEASE_MS);
      expect(first.isValid()).toBe(true);
      await seen(b, 'the leader', ({ token }) => token === first.token);
      const next = won(b);
      await first.resign();
      const second = await next;
      expect(second.token).toBeGreaterThan(first.token);
      servers[1]!.resume();
      await expect.poll(() => held(name), { timeout: 10_000 }).toEqual(everywhere(b, second));
    } finally {
      servers[1]!.resume();
    }
  });

  test('masters that lose their data one after the other cost neither a leadership nor the value', async (name) => {
    const a = join(name);
    const leadership = await won(a);
    await leadership.publish({ kept: true });
    for (const server of servers) {
      await expect.poll(() => held(name), { timeout: 10_000 }).toEqual(everywhere(a, leadership));
      await server.stop();
      server.wipe();
      await server.restart();
    }
    await expect.poll(() => held(name), { timeout: 10_000 }).toEqual(everywhere(a, leadership));
    expect(leadership.isValid()).toBe(true);
    const newcomer = join(name);
    expect((await seen(newcomer, 'the value', ({ version }) => version > 0)).value).toEqual({ kept: true });
  });

  test('tokens grow, also for newcomers, while between leaderships one master after the other loses its data', async (name) => {
    // Ahead of all clocks, so that only what the masters keep can tell a newcomer.
    const ahead = Date.now() + 3_600_000;
    for (const server of servers) await server.cli(['SET', `caucus:{${name}}:fence`, `${ahead}`]);
    const tokens: bigint[] = [];
    for (const server of [...servers, servers[0]!]) {
      const a = join(name);
      const leadership = await won(a);
      tokens.push(leadership.token);
      // The loss of one can be borne when all have it.
      await expect.poll(() => held(name), { timeout: 5000 }).toEqual(everywhere(a, leadership));
      await leadership.resign();
      await engines.pop()!.close();
      await server.cli(['FLUSHALL']);
    }
    expect(tokens[0]).toBeGreaterThan(BigInt(ahead));
    expect(new Set(tokens).size).toBe(4);
    expect(tokens).toEqual(tokens.toSorted((x, y) => (x < y ? -1 : 1)));
  });

  test('tokens outlive the loss of all data at once, since they are no less than the time', async (name) => {
    const a = join(name);
    const first = await won(a);
    for (const server of servers) await server.cli(['FLUSHALL']);
    expect((await lossOf(first)).cause).toBe('deposed');
    await engines.pop()!.close();
    expect((await won(join(name))).token).toBeGreaterThan(first.token);
  });

  test('counters that disagree are raised to the greatest before anybody leads', async (name) => {
    const ahead = BigInt(Date.now() + 7_200_000);
    await servers[2]!.cli(['SET', `caucus:{${name}}:fence`, `${ahead}`]);
    await servers[0]!.stop(); // So that the one which is ahead is needed.
    const a = join(name);
    const leadership = await won(a);
    expect(leadership.token).toBe(ahead + 1n);
    expect(await servers[1]!.cli(['GET', `caucus:{${name}}:fence`])).toBe(`${ahead + 1n}`);
  });

  test('a lease that was deleted at one master is put back; at two, it is lost', async (name) => {
    const a = join(name);
    const first = await won(a);
    await expect.poll(() => held(name), { timeout: 5000 }).toEqual(everywhere(a, first));
    await servers[1]!.deleteElection(name);
    await expect.poll(() => held(name), { timeout: 5000 }).toEqual(everywhere(a, first));
    await Promise.all([servers[0]!.deleteElection(name), servers[2]!.deleteElection(name)]);
    expect((await lossOf(first)).cause).toBe('deposed');
    await first.resign();
    expect((await won(a)).token).toBeGreaterThan(first.token);
  });

  test('what candidates have divided among them is given back, and one of them leads soon', async (name) => {
    const all = Array.from({ length: 6 }, () => join(name));
    const sinceMs = performance.now();
    const leadership = await Promise.any(all.map((election) => won(election)));
    expect(performance.now() - sinceMs).toBeLessThan(5000);
    const winner = all.find((election) => election.leadership !== null)!;
    await expect.poll(() => held(name), { timeout: 5000 }).toEqual(everywhere(winner, leadership));
  });
});
