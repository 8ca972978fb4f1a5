/** The guards of caucus/fencing, each with the write of a stale leader that must be refused. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { S3 } from '@aws-sdk/client-s3';
import express from 'express';
import { Redis } from 'ioredis';
import type { Pool } from 'pg';
import connect from 'postgres';
import { createClient } from 'redis';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import {
  FileFence,
  Gate,
  RedisFence,
  requireToken,
  S3Fence,
  SqlFence,
  TOKEN_HEADER,
} from '../../src/adapters/fencing/index.ts';
import { hasPostgres, PostgresServer } from '../support/servers/postgres.ts';
import { hasRedis, RedisServer } from '../support/servers/redis.ts';
import { runExample } from './support/example.ts';
import { S3Server } from './support/s3-server.ts';

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of cleanUp.splice(0).reverse()) await each();
});

const stale = (token: number, seen: number) => ({
  code: 'E_STALE_TOKEN',
  message: `token ${token} is stale: ${seen} was seen`,
});

describe.runIf(hasPostgres())('a fence in PostgreSQL', () => {
  let server: PostgresServer | null = null;
  afterAll(() => server?.close());

  async function prepared(): Promise<{ pool: Pool; fence: SqlFence }> {
    server ??= await PostgresServer.start();
    const pool = server.pool();
    cleanUp.push(() => pool.end());
    const fence = new SqlFence('report');
    await pool.query(`DROP TABLE IF EXISTS fences, reports; CREATE TABLE reports (total int);`);
    await pool.query(fence.definition);
    return { pool, fence };
  }

  const totals = async (pool: Pool): Promise<number[]> =>
    (await pool.query('SELECT total FROM reports ORDER BY total')).rows.map(({ total }) => total);

  it('lets a transaction of pg commit only with a token that is not stale', async () => {
    const { pool, fence } = await prepared();
    const insert = (token: bigint, total: number): Promise<unknown> =>
      fence.transaction(pool, token, (client) => client.query('INSERT INTO reports VALUES ($1)', [total]));
    await insert(4n, 40);
    await insert(4n, 41);
    await insert(5n, 50);
    await expect(insert(4n, 42)).rejects.toMatchObject(stale(4, 5));
    const work = fence.transaction(pool, 6n, async (client) => {
      await client.query('INSERT INTO reports VALUES (60)');
      throw new Error('the work failed');
    });
    await expect(work).rejects.toThrow('the work failed');
    await insert(5n, 51); // The token of the failed transaction was rolled back with it.
    expect(await totals(pool)).toEqual([40, 41, 50, 51]);
    expect(pool.idleCount).toBe(pool.totalCount);
  });

  it('lets a stale transaction that began earlier wait for a newer one, and refuses it', async () => {
    const { pool, fence } = await prepared();
    const newer = await pool.connect();
    await newer.query('BEGIN');
    await fence.check(newer, 2n ** 60n + 1n);
    const late = fence.transaction(pool, 2n ** 60n, (client) =>
      client.query('INSERT INTO reports VALUES (1)'),
    );
    late.catch(() => {});
    await expect
      .poll(async () => {
        const waiting = `SELECT count(*)::int AS n FROM pg_stat_activity WHERE wait_event_type = 'Lock'`;
        return (await pool.query(waiting)).rows[0].n;
      })
      .toBe(1);
    await newer.query('COMMIT');
    newer.release();
    await expect(late).rejects.toMatchObject({ code: 'E_STALE_TOKEN' });
    expect(await totals(pool)).toEqual([]);
  });

  it('works in a transaction of another library', async () => {
    const { pool, fence } = await prepared();
    const sql = connect(server!.url);
    cleanUp.push(() => sql.end());
    const write = (token: bigint): Promise<unknown> =>
      sql.begin(async (tx) => {
        await fence.check({ query: (text, values) => tx.unsafe(text, values) }, token);
        await tx`INSERT INTO reports VALUES (${Number(token)})`;
      });
    await write(5n);
    await expect(write(4n)).rejects.toMatchObject(stale(4, 5));
    expect(await totals(pool)).toEqual([5]);
  });

  it('refuses the stale leader of the example', async () => {
    const { pool } = await prepared();
    const printed = await runExample('fencing.ts', server!.url);
    expect(printed).toBe('token 4 is stale: 5 was seen\nthe sum is 30\n');
    expect(await totals(pool)).toEqual([10, 20]);
  });

  it('refuses names and tokens that it cannot use', async () => {
    expect(() => new SqlFence('')).toThrow('election: expected the name of an election, found ""');
    expect(() => new SqlFence('x', { table: 'a; DROP' })).toThrow('table: expected a name like fences');
    const check = new SqlFence('x').check({ query: async () => [] }, -1n);
    await expect(check).rejects.toThrow('token: expected the token of a leadership, a bigint, found -1');
  });
});

describe.runIf(hasRedis())('a fence in Redis', () => {
  let server: RedisServer | null = null;
  afterAll(() => server?.close());

  it.each(['ioredis', 'redis'])(
    'runs commands of %s only with a token that is not stale',
    async (library) => {
      server ??= await RedisServer.start();
      const client = library === 'ioredis' ? new Redis(server.url) : createClient({ url: server.url });
      if (!(client instanceof Redis)) await client.connect();
      cleanUp.push(() => client.quit());
      const fence = new RedisFence(client, `fence:${library}`);
      // Above 2^53, where Lua's numbers would not tell them apart, and with one digit more.
      const [old, newer] = [9_999_999_999_999_999n, 10_000_000_000_000_000n];
      await fence.run(old, [['SET', library, 'old']]);
      await fence.run(newer, [['SET', library, 'newer']]);
      const late = fence.run(old, [['SET', library, 'late']]);
      await expect(late).rejects.toMatchObject({
        code: 'E_STALE_TOKEN',
        message: `token ${old} is stale: ${newer} was seen`,
      });
      expect(
        await fence.run(newer, [
          ['APPEND', library, '!'],
          ['GET', library],
        ]),
      ).toEqual([6, 'newer!']);
      expect(await fence.run(newer + 1n, [])).toEqual([]);
      await expect(fence.run(newer, [['SET', library, 'late']])).rejects.toMatchObject({
        code: 'E_STALE_TOKEN',
      });
      expect(await server.cli(['GET', library])).toBe('newer!');
    },
  );

  it('refuses what is no client', () => {
    expect(() => new RedisFence({} as never, 'x')).toThrow(
      'client: expected a client of the package ioredis or redis, found {}',
    );
  });
});

describe('a fence in an S3-like store', () => {
  async function prepared(): Promise<{ store: S3Server; fence: S3Fence; text: () => Promise<string> }> {
    const store = await S3Server.start();
    const credentials = { accessKeyId: 'x', secretAccessKey: 'x' };
    const client = new S3({ endpoint: store.url, region: 'x', credentials, forcePathStyle: true });
    cleanUp.push(() => {
      client.destroy();
      return store.close();
    });
    const fence = new S3Fence(client, { bucket: 'b' });
    const text = async (): Promise<string> => {
      const found = await fence.get('report');
      return `${Buffer.from(found!.content)} of ${found!.token}`;
    };
    return { store, fence, text };
  }

  it('refuses a token that is stale', async () => {
    const { store, fence, text } = await prepared();
    expect(await fence.get('report')).toBe(null);
    await fence.put(4n, 'report', 'four');
    await fence.put(5n, 'report', 'five');
    await expect(fence.put(4n, 'report', 'late')).rejects.toMatchObject(stale(4, 5));
    expect(await text()).toBe('five of 5');
    expect(store.objects.size).toBe(2);
  });

  it('refuses a stale write that was compared before the newer one, also where that wrote the same bytes', async () => {
    const { store, fence, text } = await prepared();
    await fence.put(4n, 'report', 'same');
    let isFirst = true;
    store.beforePut = async (key) => {
      if (key !== 'report' || !isFirst) return;
      isFirst = false;
      await fence.put(5n, 'report', 'same');
    };
    await expect(fence.put(4n, 'report', 'late')).rejects.toMatchObject(stale(4, 5));
    expect(await text()).toBe('same of 5');
    expect(store.objects.size).toBe(2);
  });

  it('says so if others write without end, and if the key is used for something else', async () => {
    const { store, fence } = await prepared();
    let depth = 0;
    store.beforePut = async (key) => {
      if (key !== 'report' || depth > 0) return;
      depth++;
      await fence.put(4n, 'report', 'other');
      depth--;
    };
    const write = fence.put(4n, 'report', 'mine');
    await expect(write).rejects.toThrow(
      'report was changed by others during each of 10 attempts to write it',
    );
    store.objects.set('report', Buffer.from('hello'));
    await expect(fence.get('report')).rejects.toThrow(
      'report: expected a document that S3Fence wrote, found "hello"',
    );
  });
});

describe('a fence of files', () => {
  function prepared(): { folder: string; fence: FileFence; text: () => Promise<string> } {
    const folder = mkdtempSync(path.join(tmpdir(), 'caucus-fence-'));
    cleanUp.push(() => rmSync(folder, { recursive: true }));
    const fence = new FileFence(path.join(folder, 'report.json'));
    const text = async (): Promise<string> => {
      const stored = await fence.read();
      return `${stored!.data} of ${stored!.token}`;
    };
    return { folder, fence, text };
  }

  it('refuses a token that is stale', async () => {
    const { folder, fence, text } = prepared();
    expect(await fence.read()).toBe(null);
    await fence.write(9n, 'nine');
    await fence.write(9n, 'nine again');
    await fence.write(10n, 'ten');
    await expect(fence.write(9n, 'late')).rejects.toMatchObject(stale(9, 10));
    expect(await text()).toBe('ten of 10');
    expect(readdirSync(folder)).toEqual(['report.json@10.1']);
  });

  it('is never read from a stale leader, whenever that wrote', async () => {
    const { folder, fence, text } = prepared();
    await fence.write(10n, 'ten');
    // Written after the check, by a process that had been stopped in between.
    writeFileSync(path.join(folder, 'report.json@9.7'), 'late');
    expect(await text()).toBe('ten of 10');
    await fence.write(10n, 'ten again');
    expect(readdirSync(folder)).toEqual(['report.json@10.2']);
  });

  it('keeps the last of many writes at once, and readers always find one', async () => {
    const { fence } = prepared();
    await fence.write(1n, '0');
    const writes = Array.from({ length: 20 }, (_, i) =>
      fence.write(BigInt(i + 1), `${i + 1}`).catch(() => {}),
    );
    const seen: bigint[] = [];
    const reading = Promise.all(writes).then(() => 'done');
    while ((await Promise.race([reading, Promise.resolve()])) === undefined)
      seen.push((await fence.read())!.token);
    expect(seen).toEqual(seen.toSorted((a, b) => Number(a - b)));
    expect((await fence.read())!.token).toBe(20n);
  });
});

it('an HTTP guard refuses a stale token before the handlers that write', async () => {
  const written: string[] = [];
  const app = express().post('/', requireToken(new Gate()), (request, response) => {
    written.push(String(request.headers[TOKEN_HEADER]));
    response.end('done');
  });
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanUp.push(() => new Promise((resolve) => server.close(resolve)));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const statuses: number[] = [];
  for (const token of ['4', '5', '4', '5', null, 'x']) {
    const headers: Record<string, string> = token === null ? {} : { [TOKEN_HEADER]: token };
    statuses.push((await fetch(url, { method: 'POST', headers })).status);
  }
  expect(statuses).toEqual([200, 200, 412, 200, 428, 400]);
  expect(written).toEqual(['4', '5', '5']);
});
