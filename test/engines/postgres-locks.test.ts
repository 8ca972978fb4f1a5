/** What locks of others on the table, or on rows of it, do to those who lead and to the server. */
import { chownSync, statSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, type Pool } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Election } from '../../src/election/index.ts';
import { aborted, seen, won } from '../../src/engines/conformance/stage.ts';
import type { LeaseEngine } from '../../src/engines/lease/lease-engine.ts';
import { type PostgresOptions, postgres } from '../../src/engines/postgres/index.ts';
import { makeCertificate } from '../support/certificate.ts';
import { hasPgBouncer, PgBouncer } from '../support/servers/pgbouncer.ts';
import { hasPostgres, PASSWORD, PostgresServer, USER } from '../support/servers/postgres.ts';

const REPLICAS = 10;
const MOST_CONNECTIONS = 40;
const LOCKED = 20;
/** Those who wait try again so often that, if each waited for its row for a quarter of a call, no renewal would come through. */
const BUSY = { leaseMs: 3000, callMs: 1000, retryMs: 100 };

describe.runIf(hasPostgres())('locks of others in PostgreSQL', () => {
  let server: PostgresServer;
  let stranger: Client;
  const engines: LeaseEngine[] = [];

  beforeAll(async () => {
    server = await PostgresServer.start({ max_connections: String(MOST_CONNECTIONS) });
  });
  afterAll(() => server?.close());
  afterEach(async () => {
    await stranger?.end();
    await Promise.all(engines.splice(0).map((engine) => engine.close()));
  });

  function open(options: PostgresOptions = {}): LeaseEngine {
    const engine = postgres(server.url, options);
    engines.push(engine);
    return engine;
  }

  /** Somebody else, in the middle of a transaction. */
  async function begin(...statements: string[]): Promise<void> {
    stranger = new Client({ connectionString: server.adminUrl });
    await stranger.connect();
    for (const each of ['BEGIN', ...statements]) await stranger.query(each);
  }

  const backends = async (): Promise<{ all: number; waiting: number }> => {
    const text = `SELECT count(*)::int AS all, count(*) FILTER (WHERE wait_event_type = 'Lock')::int AS waiting
      FROM pg_stat_activity WHERE usename = '${USER}'`;
    return (await stranger.query(text)).rows[0];
  };

  it('a locked table: no backend is left waiting by those who gave up, and others can still connect', async () => {
    const options = { leaseMs: 2000, callMs: 300, retryMs: 300 };
    const elections = Array.from({ length: REPLICAS }, () => new Election('job', open(options)));
    const first = await won(elections[0]!);
    for (const each of elections) await seen(each, 'the leader', ({ token }) => token === first.token);
    for (const each of elections.slice(1)) each.campaign().catch(() => {});
    await begin('LOCK TABLE caucus_lease IN ACCESS EXCLUSIVE MODE');
    const most = { all: 0, waiting: 0 };
    for (let looks = 0; looks < 60; looks++) {
      const now = await backends();
      most.all = Math.max(most.all, now.all);
      most.waiting = Math.max(most.waiting, now.waiting);
      await sleep(100);
    }
    // Each has a connection that asks and one that listens; one more may be on its way out.
    expect(most.waiting, `waiting backends (${JSON.stringify(most)})`).toBeLessThanOrEqual(2 * REPLICAS);
    const newcomer = new Client({ connectionString: server.url });
    await newcomer.connect();
    await newcomer.end();
    await stranger.query('ROLLBACK');
    await first.resign();
    const token = BigInt(await server.sql("SELECT fence FROM caucus_lease WHERE name = 'job'"));
    await seen(elections[0]!, 'a new leader', (now) => now.token !== null && now.token >= token);
    await expect.poll(async () => (await backends()).waiting).toBe(0);
  });

  it.each(['FOR KEY SHARE', 'FOR UPDATE'])(
    'rows of other elections that are locked %s cost a healthy leader nothing',
    async (lock) => {
      const engine = open(BUSY);
      const prefix = `other-${lock.replaceAll(' ', '-')}`;
      const names = Array.from({ length: LOCKED }, (_, i) => `${prefix}-${i}`);
      const maker = open(BUSY);
      for (const name of names) await (await won(new Election(name, maker))).resign();
      const healthy = await won(new Election(`healthy-${prefix}`, engine));
      let isLost = false;
      healthy.signal.addEventListener('abort', () => {
        isLost = true;
      });
      await begin(`SELECT 1 FROM caucus_lease WHERE name LIKE '${prefix}-%' ${lock}`);
      const others = names.map((name) => new Election(name, engine));
      for (const each of others) each.campaign().catch(() => {});
      const sinceMs = performance.now();
      while (!isLost && performance.now() - sinceMs < 3 * BUSY.leaseMs) await sleep(100);
      expect(isLost ? healthy.signal.reason : 'it leads', 'after three leases').toBe('it leads');
      // Who waits for such a row is told so.
      const { detail } = await seen(others[7]!, 'the reason', ({ cause }) => cause === 'store-unreachable');
      expect(detail).toMatch(/another transaction at .* has locked the row$/);
      await stranger.query('ROLLBACK');
      for (const each of others) await seen(each, 'that it leads', ({ isSelf }) => isSelf);
    },
  );

  it('rows of elections that it leads too, locked FOR UPDATE, cost a leader nothing but those', async () => {
    const engine = open({ ...BUSY, renewMs: 500 });
    const names = Array.from({ length: LOCKED }, (_, i) => `led-${i}`);
    const held = await Promise.all(names.map((name) => won(new Election(name, engine))));
    const healthy = await won(new Election('healthy-leader', engine));
    await begin(`SELECT 1 FROM caucus_lease WHERE name LIKE 'led-%' FOR UPDATE`);
    await Promise.all(held.map(({ signal }) => aborted(signal)));
    expect(held[0]!.signal.reason).toMatchObject({
      cause: 'store-unreachable',
      detail: expect.stringMatching(
        /did not renew it in time: another transaction at .* has locked the row$/,
      ),
    });
    const { expiresInMs } = healthy;
    await expect.poll(() => healthy.expiresInMs > expiresInMs, { interval: 1 }).toBe(true);
    expect(healthy.isValid()).toBe(true);
    await Promise.all(held.map((each) => each.resign()));
  });

  describe('a statement that nobody waits for any more is given up in the server', () => {
    /** Whether it waited for the table, and then no longer did, while the table was still locked. */
    async function isGivenUp(url: string | Pool, options: PostgresOptions): Promise<void> {
      const engine = postgres(url, { leaseMs: 5000, callMs: 500, renewMs: 100, ...options });
      engines.push(engine);
      const held = await won(new Election('given-up', engine));
      await begin('LOCK TABLE caucus_lease IN ACCESS EXCLUSIVE MODE');
      await expect.poll(async () => (await backends()).waiting, { interval: 5 }).toBe(1);
      await expect.poll(async () => (await backends()).waiting, { interval: 5, timeout: 4000 }).toBe(0);
      await stranger.query('ROLLBACK');
      await held.resign().catch(() => {});
    }

    it('over TCP', () => isGivenUp(server.url, {}));

    it('over a socket', () => {
      const secret = encodeURIComponent(PASSWORD);
      const at = `host=${encodeURIComponent(server.folder)}&port=${server.port}`;
      return isGivenUp(`postgres://${USER}:${secret}@/elections?${at}`, {});
    });

    it('over TLS', async () => {
      const certificate = makeCertificate();
      const { uid, gid } = statSync(server.folder);
      for (const [name, text] of Object.entries({ cert: certificate.cert, key: certificate.key })) {
        writeFileSync(server.file(`${name}.pem`), text, { mode: 0o600 });
        chownSync(server.file(`${name}.pem`), uid, gid);
        await server.sql(`ALTER SYSTEM SET ssl_${name}_file = '${server.file(`${name}.pem`)}'`);
      }
      await server.sql('ALTER SYSTEM SET ssl = on');
      await server.sql('SELECT pg_reload_conf()');
      const isOn = (): Promise<string> => server.sql('SHOW ssl');
      await expect.poll(isOn).toBe('on');
      await isGivenUp(server.url, { ssl: { ca: certificate.cert } });
      await certificate.close();
    });

    it('over the connection of a pool', async () => {
      const pool = server.pool();
      pool.on('error', () => {});
      await isGivenUp(pool, {});
      await Promise.all(engines.splice(0).map((engine) => engine.close()));
      await pool.end();
    });

    it.runIf(hasPgBouncer())('behind a pooler in transaction mode', async () => {
      const pooler = await PgBouncer.start(server.port);
      await isGivenUp(server.urlAt(pooler.port), { listen: false });
      await Promise.all(engines.splice(0).map((engine) => engine.close()));
      await pooler.close();
    });
  });
});
