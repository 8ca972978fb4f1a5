/** The table of elections in PostgreSQL as others see it: who makes it, who may use it, and how to fence with it. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Election } from '../../src/election/index.ts';
import { aborted, seen, won } from '../../src/engines/conformance/stage.ts';
import type { LeaseEngine } from '../../src/engines/lease/lease-engine.ts';
import { type PostgresOptions, type PostgresPool, postgres } from '../../src/engines/postgres/index.ts';
import { hasPostgres, PostgresServer, USER } from '../support/servers/postgres.ts';

const LEASE_MS = 1000;

/** The statements of the user's guide, which have to work as they stand there. */
const guide = readFileSync(path.resolve(import.meta.dirname, '../../docs/engines/postgres.md'), 'utf8');
const documented = (beginning: string): string => {
  const found = [...guide.matchAll(/```sql\n(.*?)```/gs)].map((each) => each[1]!);
  return found.find((each) => each.startsWith(beginning))!;
};

describe.runIf(hasPostgres())('the table of elections in PostgreSQL', () => {
  let server: PostgresServer;
  const engines: LeaseEngine[] = [];

  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server.close());
  afterEach(async () => {
    await Promise.all(engines.splice(0).map((engine) => engine.close()));
  });

  function open(at: string | PostgresPool, options: PostgresOptions = {}): LeaseEngine {
    const engine = postgres(at, { leaseMs: LEASE_MS, ...options });
    engines.push(engine);
    return engine;
  }

  const join = (name: string, options: PostgresOptions = {}): Election =>
    new Election(name, open(server.url, options));

  it('is made once when ten come at the same time, with its schema', async () => {
    const schema = 'made_by_ten';
    const all = Array.from({ length: 10 }, () => join('ten', { schema, leaseMs: 15_000 }));
    const problems: string[] = [];
    for (const each of all) {
      void (async () => {
        for await (const { cause, detail } of each.observe())
          if (cause === 'store-unreachable') problems.push(detail);
      })();
    }
    const winner = await won(all[0]!);
    await Promise.all(all.map((each) => seen(each, 'the leader', ({ token }) => token === winner.token)));
    expect(problems).toEqual([]);
    expect(await server.sql(`SELECT count(*) FROM pg_tables WHERE schemaname = '${schema}'`)).toBe('1');
  });

  it('tells a psql user who leads, and what was published', async () => {
    const election = join('nightly-report', { name: 'host-1' });
    const leadership = await won(election);
    await leadership.publish({ at: 'http://host-1' });
    const [name, leader, fence, remaining] = (await server.sql(documented('SELECT name'))).split('|');
    expect([name, leader, fence]).toEqual(['nightly-report', 'host-1', String(leadership.token)]);
    expect(remaining).toMatch(/^00:00:00\.\d+$/);
    const published = "SELECT value->>'at', version FROM caucus_lease WHERE name = 'nightly-report'";
    expect(await server.sql(published)).toBe('http://host-1|1');
    await leadership.resign();
    await election.close();
    expect(await server.sql(documented('SELECT name'))).toBe('');
    const kept = "SELECT fence FROM caucus_lease WHERE name = 'nightly-report'";
    expect(await server.sql(kept)).toBe(String(leadership.token));
  });

  it('keeps a published value to the letter, whatever is in it', async () => {
    const [a, b] = [join('awkward'), join('awkward')];
    const leadership = await won(a);
    const value = {
      text: 'a\u0000b "\\',
      half: '\ud800',
      large: 1e300,
      small: -0.1,
      list: [null, true, {}],
      ü: '€',
    };
    await leadership.publish(value);
    const read = await seen(b, 'the value', ({ version }) => version === 1);
    expect(read.value).toEqual(value);
    expect(JSON.stringify(read.value)).toBe(JSON.stringify(value));
  });

  it('lets an administrator depose a leader, and nobody else begin before its lease is over', async () => {
    const [a, b] = [join('nightly-report'), join('nightly-report')];
    const first = await won(a);
    const next = won(b);
    await server.sql(documented('UPDATE caucus_lease SET holder'));
    await aborted(first.signal);
    expect(first.signal.reason).toMatchObject({ cause: 'deposed' });
    await first.resign();
    expect((await next).token).toBeGreaterThan(first.token);
    expect(first.isValid()).toBe(false);
  });

  it('fences a transaction: renewals pass it, a new token waits for it, an old token finds nothing', async () => {
    const name = 'fenced';
    const fence = documented('SELECT 1');
    const a = join(name);
    const first = await won(a);
    const client = new Client({ connectionString: server.url });
    await client.connect();
    try {
      await client.query('CREATE TABLE reports (total int); INSERT INTO reports VALUES (0)');
      await client.query('BEGIN');
      expect((await client.query(fence, [name, first.token])).rowCount).toBe(1);
      const { expiresInMs } = first;
      await expect.poll(() => first.expiresInMs > expiresInMs, { interval: 1 }).toBe(true);

      await server.sql(documented('UPDATE').replace('nightly-report', name)); // Its leader is over and does not know it.
      await aborted(first.signal);
      await first.resign();
      const b = join(name);
      const totalOf = (): Promise<string> => server.sql('SELECT total FROM reports');
      const waiting = won(b).then((leadership) => ({ leadership, total: totalOf() }));
      await seen(
        b,
        'that it waits for the transaction',
        ({ cause, detail }) => cause === 'store-unreachable' && detail.includes('another transaction'),
      );
      await client.query('UPDATE reports SET total = 1');
      await client.query('COMMIT');
      const { leadership, total } = await waiting;
      expect(await total, 'everything was written before the new leader began').toBe('1');
      expect(leadership.token).toBeGreaterThan(first.token);

      await client.query('BEGIN');
      expect((await client.query(fence, [name, first.token])).rowCount, 'the old token').toBe(0);
      await client.query('ROLLBACK');
      expect((await client.query(fence, [name, leadership.token])).rowCount, 'the new one').toBe(1);
    } finally {
      await client.end();
    }
  });

  it('can be used by those who may not make it, with the rights of the guide', async () => {
    await won(join('rights-of-the-owner')); // The table is there.
    await server.sql("CREATE ROLE app LOGIN PASSWORD 'simple'");
    const url = server.urlAt(server.port, 'app', 'simple');
    const election = new Election('rights', open(url));
    await seen(
      election,
      'that it lacks rights',
      ({ cause, detail }) =>
        cause === 'store-unreachable' && /user app lacks a right .* denied for .*caucus_lease/.test(detail),
    );
    await server.sql(documented('GRANT'));
    expect((await won(election)).isValid()).toBe(true);
    await seen(
      new Election('rights', open(url, { schema: 'forbidden' })),
      'that it may not make it',
      ({ detail }) => detail.includes('user app lacks a right'),
    );
  });

  it('is refused if it is of another version, or not ours', async () => {
    await server.sql('CREATE TABLE theirs (name text)');
    await seen(join('x', { table: 'theirs' }), 'a refusal', ({ detail }) =>
      detail.includes('the table public.theirs exists but is not ours'),
    );
    await server.sql("COMMENT ON TABLE theirs IS 'caucus leases, version 9'");
    await seen(join('x', { table: 'theirs' }), 'a refusal', ({ detail }) =>
      detail.includes('the table public.theirs is of version 9, and this package knows version 1'),
    );
  });

  it('is made again when it was dropped, and tokens go on growing', async () => {
    const a = join('dropped', { schema: 'dropped' });
    const first = await won(a);
    await server.sql('DROP TABLE dropped.caucus_lease');
    await aborted(first.signal);
    await first.resign();
    expect((await won(a)).token).toBeGreaterThan(first.token);
  });

  it('gets its counter again when that was dropped, and tokens go on growing', async () => {
    const a = join('uncounted', { schema: 'uncounted' });
    const first = await won(a);
    await first.resign();
    await server.sql('DROP SEQUENCE uncounted.caucus_lease_fence');
    expect((await won(a)).token).toBeGreaterThan(first.token);
    expect((await won(join('other', { schema: 'uncounted' }))).token).toBeGreaterThan(first.token);
  });

  it('grants tokens in their order, also if a row is deleted while somebody takes it', async () => {
    const options = { schema: 'ordered', leaseMs: 60_000, callMs: 20_000, retryMs: 100, listen: false };
    const [a, b] = [join('ordered', options), join('ordered', options)];
    await (await won(b)).resign();
    const admin = new Client({ connectionString: server.adminUrl });
    await admin.connect();
    try {
      await admin.query("DELETE FROM ordered.caucus_lease WHERE name = 'ordered'");
      // Holds the first when it has drawn a token and is about to write it.
      await admin.query(`
        CREATE FUNCTION ordered.hold() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
          PERFORM set_config('lock_timeout', '0', true);
          IF NEW.leader = '${a.self}' THEN PERFORM pg_advisory_xact_lock(77); END IF;
          RETURN NEW;
        END $$`);
      await admin.query(
        'CREATE TRIGGER hold BEFORE INSERT ON ordered.caucus_lease FOR EACH ROW EXECUTE FUNCTION ordered.hold()',
      );
      await admin.query('SELECT pg_advisory_lock(77)');
      const tokens: bigint[] = [];
      const led = async (election: Election): Promise<void> => {
        const leadership = await won(election);
        tokens.push(leadership.token);
        await leadership.resign();
        await election.close();
      };
      const first = led(a);
      const held = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted";
      await expect.poll(() => server.sql(held), { interval: 5 }).toBe('1');
      // Without an order, the second would draw a token, use it and be gone before the first has used its own.
      const second = led(b);
      await Promise.race([second, sleep(1000)]);
      await server.sql("DELETE FROM ordered.caucus_lease WHERE name = 'ordered'");
      await admin.query('SELECT pg_advisory_unlock(77)');
      await Promise.all([first, second]);
      expect(tokens).toHaveLength(2);
      expect(tokens[1]).toBeGreaterThan(tokens[0]!);
    } finally {
      await admin.end();
    }
  });

  it('stands once in the line of a pool that has no connection left', async () => {
    const pool = server.pool({ max: 2 });
    const others = await Promise.all([pool.connect(), pool.connect()]);
    const election = new Election('in-line', open(pool, { leaseMs: 600, retryMs: 100 }));
    const calledOff = AbortSignal.timeout(2500); // Several attempts.
    await expect(election.campaign({ signal: calledOff })).rejects.toThrow();
    expect(pool.waitingCount, 'one to ask, and one to listen').toBe(2);
    const campaign = won(election);
    for (const other of others) other.release();
    expect((await campaign).isValid()).toBe(true);
    expect(pool.waitingCount).toBe(0);
    await engines[0]!.close();
    await pool.end();
  });

  it('says that all clients of a pool are in use, also where the pool itself gives up sooner', async () => {
    for (const more of [{}, { connectionTimeoutMillis: 50 }]) {
      const pool = server.pool({ max: 2 });
      const others = await Promise.all([pool.connect(), pool.connect()]);
      Object.assign(pool.options, more); // On a busy machine, the two connections above may take longer than that.
      const engine = open(pool, { leaseMs: 3000, retryMs: 100 });
      const election = new Election('in-use', engine);
      const { detail } = await seen(election, 'an error', ({ cause }) => cause === 'store-unreachable');
      expect(detail).toBe("PostgreSQL is unavailable: the pool's 2 clients are all in use");
      for (const other of others) other.release();
      expect((await won(election)).isValid()).toBe(true);
      await engine.close();
      await pool.end();
    }
  });

  it('is asked at most fifteen times in a lease by a leader and a candidate that wait: once a second with the usual 15 s', async () => {
    const leaseMs = 3000;
    const pools = [0, 1].map(() => server.pool({ max: 2 }));
    let statements = 0;
    for (const pool of pools)
      pool.on('connect', (client) => {
        const query = client.query.bind(client) as (...args: unknown[]) => unknown;
        client.query = ((...args: unknown[]) => {
          statements += 1;
          return query(...args);
        }) as typeof client.query;
      });
    const [a, b] = pools.map((pool) => new Election('idle', open(pool, { leaseMs })));
    const { token } = await won(a!);
    void b!.campaign().catch(() => {});
    await seen(b!, 'the leader', (each) => each.token === token);
    const before = statements;
    await sleep(leaseMs);
    expect(statements - before).toBeLessThanOrEqual(15);
    for (const engine of engines.splice(0)) await engine.close();
    for (const pool of pools) await pool.end();
    expect(before).toBeGreaterThan(0);
  });

  it('works over a pool of the user, who remains its owner', async () => {
    const pool = server.pool({ max: 3 });
    const election = new Election('pooled', open(pool, { leaseMs: 15_000 }));
    const waiter = join('pooled', { leaseMs: 15_000, retryMs: 3_600_000 });
    const first = await won(election);
    await expect.poll(() => pool.totalCount).toBe(2);
    await seen(waiter, 'the leader', ({ token }) => token === first.token);
    const next = won(waiter, 10_000);
    await first.resign();
    expect((await next).token).toBeGreaterThan(first.token);
    await engines[0]!.close();
    expect(pool.totalCount).toBe(0);
    expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    await pool.end();
  });

  it('holds elections where transactions are serializable', async () => {
    const strict = `${server.url}?options=${encodeURIComponent('-c default_transaction_isolation=serializable')}`;
    const all = Array.from({ length: 5 }, () => new Election('strict', open(strict)));
    let acting = 0;
    const tokens: bigint[] = [];
    for (const each of all)
      await seen(each, 'anything', ({ cause }) => cause === 'started' || cause === 'won');
    await Promise.all(
      all.map(async (each) => {
        const leadership = await won(each);
        acting += 1;
        expect(acting).toBe(1);
        tokens.push(leadership.token);
        acting -= 1;
        await leadership.resign();
      }),
    );
    expect(tokens).toEqual(tokens.toSorted((x, y) => Number(x - y)));
    expect(new Set(tokens).size).toBe(5);
  });

  it('leaves no connection when it is closed', async () => {
    const name = 'leaves-nothing';
    const url = `${server.url}?application_name=${name}`;
    const engine = open(url);
    await won(new Election(name, engine));
    const count = `SELECT count(*) FROM pg_stat_activity WHERE usename = '${USER}' AND application_name = '${name}'`;
    await expect.poll(() => server.sql(count)).toBe('2');
    await engine.close();
    await expect.poll(() => server.sql(count)).toBe('0');
    expect(await server.sql(`SELECT holder IS NULL FROM caucus_lease WHERE name = '${name}'`)).toBe('t');
  });
});
