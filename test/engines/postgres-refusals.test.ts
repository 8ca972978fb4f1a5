/** What the engine for PostgreSQL refuses, and that it never tells a password. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { inspect } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { BadInput } from '../../src/core/index.ts';
import { Election, type Observation } from '../../src/election/index.ts';
import { seen, won } from '../../src/engines/conformance/stage.ts';
import type { LeaseEngine } from '../../src/engines/lease/lease-engine.ts';
import { type PostgresOptions, postgres } from '../../src/engines/postgres/index.ts';
import { hasPgBouncer, PgBouncer } from '../support/servers/pgbouncer.ts';
import { hasPostgres, PostgresServer, USER } from '../support/servers/postgres.ts';

const SECRET = 'tr0ub4dor';

describe('what the engine for PostgreSQL refuses at once', () => {
  const refused: readonly (readonly [what: string, at: unknown, options: object, says: RegExp])[] = [
    [
      'another scheme',
      `mysql://me:${SECRET}@h/db`,
      {},
      /^url: expected postgres:\/\/.*mysql:\/\/\*\*\*@h\/\*\*\*/,
    ],
    ['no URL', 7, {}, /^url: expected postgres:.* or a pool/],
    ['nothing', undefined, {}, /^url: expected .*found nothing/],
    ['no host', `postgres:///db?password=${SECRET}`, {}, /^url: expected a host/],
    ['no database', `postgres://me:${SECRET}@h:5432`, {}, /^url: expected the name of a database/],
    ['several hosts', `postgres://me:${SECRET}@h,g/db`, {}, /^url: expected one host/],
    ['a bare # in the password', `postgres://me:${SECRET}#@h/db`, {}, /^url: expected .*%23 for #/],
    ['a bare % in the password', `postgres://me:${SECRET}%@h/db`, {}, /^url: expected .*%25 for %/],
    ['a port that is none', `postgres://me:${SECRET}@h:99999/db`, {}, /^url: expected/],
    ['a schema to be escaped', 'postgres://h/db', { schema: 'a"b' }, /^schema: expected 1 to 48 letters/],
    ['a table to be escaped', 'postgres://h/db', { table: 'a; DROP' }, /^table: expected 1 to 48 letters/],
    ['a table with a long name', 'postgres://h/db', { table: 'x'.repeat(49) }, /^table: expected/],
    ['ssl that is none', 'postgres://h/db', { ssl: 'yes' }, /^ssl: expected true, false, or TLS options/],
    ['ssl for a pool', { connect() {} }, { ssl: true }, /^ssl: expected to be given to the pool/],
    ['a pool of one', { connect() {}, options: { max: 1 } }, {}, /^url: expected a pool of two connections/],
    ['listen that is none', 'postgres://h/db', { listen: 'no' }, /^listen: expected true or false/],
    [
      'a lease below the floor',
      'postgres://h/db',
      { leaseMs: 499 },
      /^leaseMs: expected at least 500, since/,
    ],
    ['a name with a space', 'postgres://h/db', { name: 'a b' }, /^name: expected/],
  ];
  for (const [what, at, options, says] of refused) {
    it(what, () => {
      const call = (): unknown => postgres(at as string, options as PostgresOptions);
      expect(call).toThrow(BadInput);
      expect(call).toThrow(says);
      try {
        call();
      } catch (error) {
        expect(inspect(error)).not.toContain(SECRET);
      }
    });
  }

  it('names that a row cannot hold', async () => {
    const engine = postgres('postgres://127.0.0.1:1/db');
    for (const name of ['', 'a\u0000b', 'a\nb', '\ud800', 'x'.repeat(1001), 'ü'.repeat(501)]) {
      expect(() => engine.seat(name), JSON.stringify(name)).toThrow(
        /^election: expected a name of 1 to 1000 bytes/,
      );
    }
    await engine.close();
  });
});

describe.runIf(hasPostgres())('what the engine for PostgreSQL refuses when it connects', () => {
  let server: PostgresServer;
  const engines: LeaseEngine[] = [];

  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server.close());
  afterEach(async () => {
    await Promise.all(engines.splice(0).map((engine) => engine.close()));
  });

  function open(url: string, options: PostgresOptions = {}): LeaseEngine {
    const engine = postgres(url, { leaseMs: 1000, ...options });
    engines.push(engine);
    return engine;
  }

  /** What the server says. On a busy machine it may be silent at the first attempts. */
  const isRefused = ({ cause, detail }: Observation): boolean =>
    cause === 'store-unreachable' && !detail.includes('no answer within');
  const refusal = (url: string): Promise<Observation> =>
    seen(new Election('refused', open(url)), 'why', isRefused);

  it('a wrong password, without telling it', async () => {
    const url = server.urlAt(server.port, USER, SECRET);
    const election = new Election('refused', open(url));
    const { detail } = await seen(election, 'why', isRefused);
    expect(detail).toBe(
      `PostgreSQL is unavailable: 127.0.0.1:${server.port} refused the password of user ${USER}`,
    );
    const shown = inspect([engines[0], election], { depth: 20, showHidden: true });
    expect(shown).not.toContain(SECRET);
  });

  it('no password, an unknown database, a port where nobody listens', async () => {
    const at = `127.0.0.1:${server.port}`;
    expect((await refusal(`postgres://${USER}@${at}/elections`)).detail).toContain(
      `${at} asks for a password of user ${USER}`,
    );
    expect((await refusal(server.url.replace(/elections$/, 'nowhere'))).detail).toContain(
      'database "nowhere" does not exist',
    );
    expect((await refusal('postgres://127.0.0.1:1/db')).detail).toContain('no server listens at 127.0.0.1:1');
  });

  it('a server that lets nobody write', async () => {
    const option = encodeURIComponent('-c default_transaction_read_only=on');
    const { detail } = await refusal(`${server.url}?options=${option}`);
    expect(detail).toContain('refuses all writes (default_transaction_read_only is on)');
  });

  it('a standby, until it is promoted', async () => {
    const first = await won(new Election('promoted', open(server.url)));
    const standby = await server.standby();
    try {
      const { detail } = await refusal(standby.url);
      expect(detail).toBe(
        `PostgreSQL is unavailable: 127.0.0.1:${standby.port} is a read-only standby; connect to the primary`,
      );
      const election = new Election('promoted', open(standby.url));
      const next = won(election);
      await server.stop();
      await standby.sql('SELECT pg_promote()', 'postgres');
      expect((await next).token).toBeGreaterThan(first.token);
    } finally {
      await standby.close();
      await server.restart();
    }
  });

  it('nothing more once it is closed: the process ends by itself', async () => {
    const root = path.resolve(import.meta.dirname, '../..');
    const script = `
      import { Election } from '${root}/dist/election/index.js';
      import { postgres } from '${root}/dist/engines/postgres/index.js';
      const engine = postgres(process.argv[1], { leaseMs: 1000 });
      const leadership = await new Election('child', engine).campaign();
      console.log(String(leadership.token > 0n));
      await leadership.resign();
      await engine.close();`;
    const args = ['--input-type=module', '-e', script, server.url];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'], timeout: 20_000 });
    let said = '';
    child.stdout.on('data', (data) => {
      said += data;
    });
    const [code] = await once(child, 'exit');
    expect([code, said.trim()]).toEqual([0, 'true']);
  });

  describe.runIf(hasPgBouncer())('but not a pooler in transaction mode', () => {
    let pooler: PgBouncer;

    beforeAll(async () => {
      pooler = await PgBouncer.start(server.port);
    });
    afterAll(() => pooler.close());

    for (const listen of [true, false]) {
      it(`through which elections work, ${listen ? 'listening in vain' : 'not listening'}`, async () => {
        const url = server.urlAt(pooler.port);
        const options = { listen, leaseMs: 2000, retryMs: 100 };
        const name = `pooled-${listen}`;
        const [a, b] = [open(url, options), open(url, options)].map((each) => new Election(name, each));
        const first = await won(a!);
        await first.publish({ through: 'a pooler' });
        const read = await seen(b!, 'the value', ({ version }) => version === 1);
        expect(read.value).toEqual({ through: 'a pooler' });
        const next = won(b!, 1500);
        await first.resign();
        expect((await next).token).toBeGreaterThan(first.token);
      });
    }
  });
});
