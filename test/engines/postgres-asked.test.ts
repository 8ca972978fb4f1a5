/** Requests to resign in PostgreSQL: in tables that were made before there were any, and for those who are not woken. */
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Election } from '../../src/election/index.ts';
import { aborted, seen, won } from '../../src/engines/conformance/stage.ts';
import type { LeaseEngine } from '../../src/engines/lease/lease-engine.ts';
import { type PostgresOptions, postgres } from '../../src/engines/postgres/index.ts';
import { hasPostgres, PostgresServer, USER } from '../support/servers/postgres.ts';

/** As the first version of this package has made it. */
const oldTable = (table: string): string => `
CREATE SEQUENCE ${table}_fence;
CREATE TABLE ${table} (
  name       text COLLATE "C" PRIMARY KEY,
  holder     uuid,
  leader     text,
  fence      bigint NOT NULL,
  expires_at timestamptz NOT NULL,
  value      json,
  version    bigint NOT NULL DEFAULT 0,
  request    bigint NOT NULL
);
CREATE UNIQUE INDEX ${table}_name_fence ON ${table} (name, fence);
COMMENT ON TABLE ${table} IS 'caucus leases, version 1: one row per election';
INSERT INTO ${table} VALUES
  ('job', NULL, NULL, 41, clock_timestamp(), '{"at":"here"}', 3, 9), ('other', NULL, NULL, 5, clock_timestamp(), NULL, 0, 1);
SELECT setval('${table}_fence', 41)`;

describe.runIf(hasPostgres())('requests to resign in PostgreSQL', () => {
  let server: PostgresServer;
  const engines: LeaseEngine[] = [];

  beforeAll(async () => {
    server = await PostgresServer.start();
    await server.sql("CREATE ROLE app LOGIN PASSWORD 'simple'");
  });
  afterAll(() => server.close());
  afterEach(async () => {
    await Promise.all(engines.splice(0).map((engine) => engine.close()));
  });

  function join(options: PostgresOptions, url = server.url): Election {
    const engine = postgres(url, { leaseMs: 3000, ...options });
    engines.push(engine);
    return new Election('job', engine);
  }

  async function makeOld(table: string): Promise<void> {
    await server.sql(oldTable(table));
    for (const each of [`TABLE ${table}`, `SEQUENCE ${table}_fence`])
      await server.sql(`ALTER ${each} OWNER TO ${USER}`);
    await server.sql(`GRANT SELECT, INSERT, UPDATE ON ${table} TO app`);
    await server.sql(`GRANT USAGE ON SEQUENCE ${table}_fence TO app`);
  }

  const asApp = (): string => server.urlAt(server.port, 'app', 'simple');

  it('are held by a table of the first version, which its owner brings up to date, with all that is in it', async () => {
    await makeOld('brought');
    const all = Array.from({ length: 5 }, () => join({ table: 'brought' }));
    const [a, b] = all as [Election, Election];
    const first = await won(a);
    expect(first.token).toBeGreaterThan(41n);
    expect(a.value).toEqual({ at: 'here' });
    expect(a.version).toBe(3);
    for (const each of all) await seen(each, 'the leader', ({ token }) => token === first.token);
    await b.askToResign({ reason: 'an upgrade' });
    await aborted(first.signal);
    expect(first.signal.reason).toMatchObject({ detail: 'its resignation was requested: an upgrade' });
    expect(await server.sql("SELECT fence, asked FROM brought WHERE name = 'job'")).toBe(
      `${first.token}|${first.token} an upgrade`,
    );
    expect(await server.sql("SELECT fence FROM brought WHERE name = 'other'")).toBe('5');
    await first.resign();
  });

  it('are refused while the table cannot hold them, and everything else goes on', async () => {
    await makeOld('foreign_old');
    const a = join({ table: 'foreign_old' }, asApp());
    const first = await won(a);
    const b = join({ table: 'foreign_old' }, asApp());
    await seen(b, 'the leader', ({ token }) => token === first.token);
    await expect(b.askToResign()).rejects.toMatchObject({
      code: 'E_UNSUPPORTED',
      message: expect.stringMatching(/has no column for requests to resign: connect once as its owner$/),
    });
    const { expiresInMs } = first;
    await expect.poll(() => first.expiresInMs > expiresInMs, { interval: 1 }).toBe(true);
    await first.resign();
    expect((await won(b)).token).toBeGreaterThan(first.token);
  });

  it('do not make anybody wait for a table that somebody uses', async () => {
    await makeOld('used');
    const client = new Client({ connectionString: server.url });
    await client.connect();
    try {
      await client.query('BEGIN');
      await client.query("SELECT FROM used WHERE name = 'other' FOR KEY SHARE");
      const a = join({ table: 'used' });
      const first = await won(a);
      await expect(a.askToResign()).rejects.toMatchObject({ code: 'E_UNSUPPORTED' });
      await client.query('COMMIT');
      // The next connection finds it free.
      const b = join({ table: 'used' });
      await seen(b, 'the leader', ({ token }) => token === first.token);
      await b.askToResign();
      expect(await server.sql("SELECT asked FROM used WHERE name = 'job'")).toBe(String(first.token));
      await first.resign();
    } finally {
      await client.end();
    }
  });

  it('are heard at the next renewal where nobody is woken', async () => {
    const a = join({ listen: false, table: 'quiet' });
    const first = await won(a);
    const b = join({ table: 'quiet' }, server.url);
    await seen(b, 'the leader', ({ token }) => token === first.token);
    await b.askToResign({ reason: 'quietly' });
    await aborted(first.signal);
    expect(first.signal.reason).toMatchObject({
      cause: 'resigned',
      detail: 'its resignation was requested: quietly',
    });
    await first.resign();
  });
});
