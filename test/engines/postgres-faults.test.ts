/** What becomes of elections in PostgreSQL when the server, the network or somebody else gets in the way. */
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Election, type Leadership, LeadershipLost } from '../../src/election/index.ts';
import { aborted, seen, won } from '../../src/engines/conformance/stage.ts';
import type { LeaseEngine } from '../../src/engines/lease/lease-engine.ts';
import { type PostgresOptions, postgres } from '../../src/engines/postgres/index.ts';
import { statementsOn } from '../../src/engines/postgres/statements.ts';
import { tableOf } from '../../src/engines/postgres/table.ts';
import { hasPostgres, PostgresServer, USER } from '../support/servers/postgres.ts';

const LEASE_MS = 1000;
const FOR_EVER_MS = 3_600_000;

describe.runIf(hasPostgres())('PostgreSQL under faults', () => {
  let server: PostgresServer;
  const engines: LeaseEngine[] = [];
  let count = 0;
  let name = '';

  beforeAll(async () => {
    // The server as somebody has set it who does not care about its last second.
    server = await PostgresServer.start({ synchronous_commit: 'off', wal_writer_delay: '10s' });
  });
  afterAll(() => server.close());
  afterEach(async () => {
    await server.recover();
    await Promise.all(engines.splice(0).map((engine) => engine.close()));
  });

  function join(options: PostgresOptions = {}): Election {
    const engine = postgres(server.url, { leaseMs: LEASE_MS, ...options });
    engines.push(engine);
    return new Election(name, engine);
  }

  function fresh(): void {
    count += 1;
    name = `faults-${count}`;
  }

  async function lossOf(leadership: Leadership): Promise<LeadershipLost> {
    await aborted(leadership.signal);
    expect(leadership.isValid()).toBe(false);
    await leadership.resign(); // Nothing is being worked on any more.
    expect(leadership.signal.reason).toBeInstanceOf(LeadershipLost);
    return leadership.signal.reason as LeadershipLost;
  }

  /** Whether the two were ever valid at one moment, until the second is won. */
  async function handedOver(first: Leadership, winning: Promise<Leadership>): Promise<Leadership> {
    const second = await winning;
    expect(first.isValid(), 'the old one is over when the new one begins').toBe(false);
    expect(second.token).toBeGreaterThan(first.token);
    return second;
  }

  it('demotes in time while the server is stopped, and elects again with a greater token', async () => {
    fresh();
    const [a, b] = [join(), join()];
    const first = await won(a);
    await seen(b, 'the leader', ({ leader }) => leader === a.self);
    await server.stop();
    const stoppedMs = performance.now();
    const loss = await lossOf(first);
    expect(performance.now() - stoppedMs).toBeLessThan(LEASE_MS);
    expect(loss.cause).toBe('store-unreachable');
    expect(loss.detail).toMatch(/^PostgreSQL did not renew it in time: /);
    await seen(b, 'the outage', ({ cause, leader }) => cause === 'store-unreachable' && leader === null);
    const next = won(b);
    await server.restart();
    await handedOver(first, next);
  });

  it('demotes in time while the server is paused past the lease', async () => {
    fresh();
    const [a, b] = [join(), join()];
    const first = await won(a);
    const next = won(b);
    server.pause();
    try {
      const loss = await lossOf(first);
      expect(loss.cause).toBe('store-unreachable');
      expect(loss.detail).toMatch(/no answer within 200 ms|no connection within/);
    } finally {
      server.resume();
    }
    await handedOver(first, Promise.race([next, won(a)]));
  });

  it('loses no token to a crash of the server, even where others would lose their last commits', async () => {
    fresh();
    const a = join({ leaseMs: 60_000 }); // So that it is still its own when the server is back.
    const first = await won(a);
    await server.stop('SIGQUIT');
    await server.restart();
    const row = await server.sql(`SELECT fence, leader FROM caucus_lease WHERE name = '${name}'`);
    expect(row).toBe(`${first.token}|${a.self}`);
  });

  it('goes on when all of its connections are cut, and listens again', async () => {
    fresh();
    // A lease so long that only a notification can wake those who wait in time.
    const patient = { leaseMs: 60_000, renewMs: 100, callMs: 1000, retryMs: FOR_EVER_MS };
    const a = join(patient);
    const first = await won(a);
    const b = join(patient);
    await seen(b, 'the leader', ({ leader }) => leader === a.self);
    const listening = `SELECT count(*) FROM pg_stat_activity WHERE usename = '${USER}' AND query LIKE 'LISTEN%'`;
    await expect.poll(() => server.sql(listening)).toBe('2');
    const cut = await server.sql(
      `SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE usename = '${USER}'`,
    );
    expect(Number(cut)).toBe(4);
    await expect.poll(() => server.sql(listening)).toBe('2');
    const expiresInMs = first.expiresInMs;
    await expect.poll(() => first.expiresInMs > expiresInMs, { interval: 1 }).toBe(true);
    const next = won(b, 10_000);
    await first.resign();
    await handedOver(first, next);
  });

  it('deposes a leader whose row was deleted, with a greater token for the next', async () => {
    fresh();
    const [a, b] = [join(), join({ retryMs: 50 })];
    const first = await won(a);
    const next = won(b);
    await seen(b, 'the leader', ({ leader }) => leader === a.self);
    await server.deleteElection(name);
    const second = await next;
    expect(second.token).toBeGreaterThan(first.token);
    expect((await lossOf(first)).cause).toBe('deposed');
    expect(second.isValid()).toBe(true);
  });

  it('wins again by itself if its row was deleted and nobody else stands', async () => {
    fresh();
    const a = join();
    const first = await won(a);
    const tokens: bigint[] = [];
    void (async () => {
      for await (const { token } of a.observe()) if (token !== null) tokens.push(token);
    })();
    await server.deleteElection(name);
    expect((await lossOf(first)).cause).toBe('deposed');
    const second = await won(a);
    await seen(a, 'that it leads', ({ token }) => token === second.token);
    const later = tokens.filter((token, at) => at > 0 && token !== tokens[at - 1]);
    expect(
      later.every((token) => token > first.token),
      `${tokens}`,
    ).toBe(true);
    expect(later).toContain(second.token);
  });

  it('is not held up by a row that somebody has locked, and leaves nothing waiting in the server', async () => {
    fresh();
    const a = join();
    const engine = engines[0]!;
    const first = await won(a);
    const other = await won(new Election(`${name}-other`, engine));
    const stranger = new Client({ connectionString: server.adminUrl });
    await stranger.connect();
    try {
      await stranger.query('BEGIN');
      await stranger.query('SELECT 1 FROM caucus_lease WHERE name = $1 FOR UPDATE', [name]);
      const loss = await lossOf(first);
      expect(loss.cause).toBe('store-unreachable');
      expect(loss.detail).toContain('another transaction');
      const waiting = "SELECT count(*)::int AS n FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
      expect((await stranger.query(waiting)).rows[0].n).toBeLessThanOrEqual(1);
      expect(other.isValid()).toBe(true);
      await stranger.query('ROLLBACK');
    } finally {
      await stranger.end();
    }
    expect((await won(a)).token).toBeGreaterThan(first.token);
    expect(other.isValid()).toBe(true);
  });

  it('lets a request that comes late do nothing', async () => {
    fresh();
    await won(join()); // The table is there.
    const { take, renew, release, publish, leave } = statementsOn(tableOf(), { canAsk: true, canLast: true });
    const [ours, theirs] = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'];
    const election = `${name}-late`;
    const client = new Client({ connectionString: server.url });
    await client.connect();
    try {
      const rows = async (text: string, ...more: unknown[]): Promise<Record<string, string>[]> =>
        (await client.query(text, [election, ...more])).rows;
      const took = async (holder: string, request: number, leaseMs = 60_000): Promise<string | null> => {
        const nothing = [-1, null, '""']; // Published with it.
        const [row] = await rows(take, holder, request, 'somebody', leaseMs, '1000', '', ...nothing);
        return row?.granted === 'true' ? row.fence! : null;
      };
      const renewed = async (fence: string, leaseMs: number): Promise<string> => {
        const { rows } = await client.query(renew, [[election], ours, [fence], leaseMs, '1000']);
        return rows.map(({ place, outcome }) => `${place} ${outcome}`).join();
      };
      const first = (await took(ours, 5))!;
      expect(await took(ours, 4), 'an older request of the same').toBeNull();
      expect(await took(theirs, 9), 'what another process holds').toBeNull();
      const second = (await took(ours, 6))!;
      expect(BigInt(second), 'what was never told is taken over, with a new token').toBeGreaterThan(
        BigInt(first),
      );
      expect(await renewed(first, 60_000), 'an older grant').toBe('1 lost');
      expect(await rows(release, ours, first, '1000'), 'an older grant').toEqual([]);
      expect(await rows(publish, ours, first, 7, '"x"', '1000'), 'an older grant').toEqual([]);
      expect(await rows(publish, ours, second, 9, '"new"', '1000')).toMatchObject([{ version: '1' }]);
      expect(await rows(publish, ours, second, 8, '"old"', '1000'), 'an older publication').toEqual([]);
      expect(await rows(leave, ours, 6, '1000'), 'an older farewell').toEqual([]);
      expect(await rows(leave, theirs, 99, '1000'), 'what another process holds').toEqual([]);
      expect(await renewed(second, 1)).toBe('1 renewed');
      await client.query('SELECT pg_sleep(0.01)');
      expect(await renewed(second, 60_000), 'a lease that has ended').toBe('1 lost');
      expect(await rows(publish, ours, second, 10, '"x"', '1000'), 'a lease that has ended').toEqual([]);
      expect(BigInt((await took(theirs, 1))!)).toBeGreaterThan(BigInt(second));
    } finally {
      await client.end();
    }
  });
});
