/**
 * A server whose wall clock is set back by an hour, and whose leader dies before it has renewed. PostgreSQL and Redis run under
 * libfaketime. NATS is written in Go, which that cannot deceive: there an operator lets keys last for an hour, which looks the
 * same to those who wait, since the server does not remove what has run out.
 */
import { jetstreamManager } from '@nats-io/jetstream';
import { describe, it, type TestContext } from 'vitest';
import { type Clock, Election, processClock } from '../../src/election/index.ts';
import type { Participant } from '../../src/engines/conformance/index.ts';
import { seen, won } from '../../src/engines/conformance/stage.ts';
import type { LeaseEngineOptions } from '../../src/engines/lease/index.ts';
import { nats } from '../../src/engines/nats/index.ts';
import { postgres } from '../../src/engines/postgres/index.ts';
import { redis } from '../../src/engines/redis/index.ts';
import { hasNats, NatsServer } from '../support/servers/nats.ts';
import { hasPostgres, PostgresServer } from '../support/servers/postgres.ts';
import { hasRedis, RedisServer } from '../support/servers/redis.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { hasFaketime, WallClock } from '../support/wall-clock.ts';

const HOUR_S = 3600;
const LEASE_MS = 3000;
/** A few dozen are enough to take over. */
const MANY_ALARMS = 300;

/** A server, those who use it, and its clock. */
interface Site {
  /** A participant that reaches the servers at these ports. */
  open(ports: readonly number[], options: LeaseEngineOptions): Participant;
  readonly ports: readonly number[];
  setBack(): Promise<void>;
  close(): Promise<void>;
}

interface Kind {
  readonly name: string;
  readonly isThere: boolean;
  start(): Promise<Site>;
  /** Why nobody can come new, or null. */
  readonly noNewcomers: string | null;
}

const redisSite = async (masters: number): Promise<Site> => {
  const clock = new WallClock();
  const servers = await Promise.all(Array.from({ length: masters }, () => RedisServer.start({}, clock.env)));
  return {
    open: (ports, options) => redis(`redis://${ports.map((port) => `127.0.0.1:${port}`).join(',')}`, options),
    ports: servers.map(({ port }) => port),
    setBack: async () => clock.set(-HOUR_S),
    async close() {
      await Promise.all(servers.map((server) => server.close()));
      clock.close();
    },
  };
};

const KINDS: readonly Kind[] = [
  {
    name: 'PostgreSQL',
    isThere: hasPostgres() && hasFaketime(),
    noNewcomers: null,
    async start() {
      const clock = new WallClock();
      const server = await PostgresServer.start({}, clock.env);
      return {
        open: ([port], options) => postgres(server.urlAt(port!), options),
        ports: [server.port],
        setBack: async () => clock.set(-HOUR_S),
        async close() {
          await server.close();
          clock.close();
        },
      };
    },
  },
  {
    name: 'Redis',
    isThere: hasRedis() && hasFaketime(),
    noNewcomers: null,
    start: () => redisSite(1),
  },
  {
    name: 'three masters of Redis',
    isThere: hasRedis() && hasFaketime(),
    noNewcomers: null,
    start: () => redisSite(3),
  },
  {
    name: 'NATS',
    isThere: hasNats(),
    noNewcomers: 'a bucket whose keys last for an hour is refused to them',
    async start() {
      const server = await NatsServer.start();
      return {
        open: ([port], options) => nats(`nats://127.0.0.1:${port}`, options),
        ports: [server.port],
        async setBack() {
          await server.asAdmin(async (connection) => {
            const jsm = await jetstreamManager(connection);
            await jsm.streams.update('KV_caucus', { max_age: HOUR_S * 1e9 });
          });
        },
        close: () => server.close(),
      };
    },
  },
];

/**
 * The clock of this process, which sees for when a participant sets its alarms. One that believes a server whose clock was set
 * back waits for an hour. One that knows better, and yet does not take the lease, tries again and again.
 */
class Alarms implements Clock {
  readonly fault: Promise<string>;
  #tell: (fault: string) => void = () => {};
  #isWatching = false;
  #count = 0;

  constructor() {
    this.fault = new Promise((resolve) => {
      this.#tell = resolve;
    });
  }

  watch(): void {
    this.#isWatching = true;
  }

  now(): number {
    return processClock.now();
  }

  after(ms: number, act: () => void): () => void {
    if (this.#isWatching) this.#look(ms);
    return processClock.after(ms, act);
  }

  #look(ms: number): void {
    this.#count += 1;
    if (ms > 3 * LEASE_MS) this.#tell(`it looks again in ${Math.round(ms / 1000)} s`);
    if (this.#count > MANY_ALARMS) this.#tell('it tries again and again, and does not take the lease');
  }
}

// Each test has servers of its own, and waits for leases most of the time.
describe.each(KINDS)('$name, when its clock is set back', ({ isThere, start, noNewcomers }) => {
  /** One that leads, over a way that can be cut. */
  async function setUp({ onTestFinished }: Pick<TestContext, 'onTestFinished'>, leaseMs = LEASE_MS) {
    const site = await start();
    onTestFinished(() => site.close());
    const ways = await Promise.all(site.ports.map((port) => startTcpProxy(`http://127.0.0.1:${port}`)));
    for (const way of ways) onTestFinished(() => way.close());
    const join = (ports: readonly number[], options: LeaseEngineOptions): Election => {
      const engine = site.open(ports, options);
      onTestFinished(() => engine.close());
      return new Election('job', engine);
    };
    const a = join(
      ways.map(({ url }) => Number(new URL(url).port)),
      { leaseMs },
    );
    const first = await won(a);
    const crash = (): void => {
      for (const way of ways) way.freeze();
    };
    const joinHere = (options: LeaseEngineOptions = {}): Election =>
      join(site.ports, { leaseMs: LEASE_MS, ...options });
    return { site, a, first, crash, join: joinHere };
  }

  it.runIf(isThere).concurrent(
    'those who waited count the lease of a dead leader on their own clock',
    async ({ expect, onTestFinished }) => {
      const { site, a, first, crash, join } = await setUp({ onTestFinished });
      const alarms = new Alarms();
      // It looks by itself only when a lease is over.
      const b = join({ clock: alarms, retryMs: HOUR_S * 1000 });
      await seen(b, 'the leader', ({ leader }) => leader === a.self);
      const next = won(b, 20 * LEASE_MS);
      crash();
      await site.setBack();
      alarms.watch();
      const fault = await Promise.race([next.then(() => null), alarms.fault]);
      expect(fault, 'what keeps b from leading after the lease of a').toBeNull();
      const second = await next;
      expect(first.isValid(), 'the first is over when the second is won').toBe(false);
      expect(second.token).toBeGreaterThan(first.token);
    },
  );

  const skipped = noNewcomers === null ? '' : ` (skipped: ${noNewcomers})`;

  it.runIf(isThere && skipped === '').concurrent(
    `a newcomer counts from when it first saw it${skipped}`,
    async ({ expect, onTestFinished }) => {
      const { site, first, crash, join } = await setUp({ onTestFinished }, 2 * LEASE_MS);
      crash();
      await site.setBack();
      const b = join();
      const sinceMs = performance.now();
      const second = await won(b, 20 * LEASE_MS);
      expect(first.isValid(), 'the first is over when the second is won').toBe(false);
      expect(performance.now() - sinceMs).toBeGreaterThanOrEqual(2 * LEASE_MS);
      expect(second.token).toBeGreaterThan(first.token);
    },
  );

  it.runIf(isThere).concurrent('a leader that lives keeps it', async ({ expect, onTestFinished }) => {
    const { site, a, first, join } = await setUp({ onTestFinished });
    const b = join();
    await seen(b, 'the leader', ({ leader }) => leader === a.self);
    const calledOff = AbortSignal.timeout(4 * LEASE_MS);
    const campaign = b.campaign({ signal: calledOff });
    await site.setBack();
    await expect(campaign).rejects.toThrow(/timeout/);
    expect(first.isValid()).toBe(true);
    const next = won(b);
    await first.resign();
    expect((await next).token).toBeGreaterThan(first.token);
  });
});
