/** Occasions that are recorded in the transaction of their work, on a real PostgreSQL. */
import { Client, type Pool } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Election, type OnceWork, type TransactionContext } from '../../src/election/index.ts';
import { Memory } from '../../src/engines/memory/memory.ts';
import { postgres } from '../../src/engines/postgres/index.ts';
import { aborted } from '../election/support.ts';
import { hasPostgres, PostgresServer } from '../support/servers/postgres.ts';

const options = { leaseMs: 60_000 };

describe.runIf(hasPostgres())('an occasion in a transaction', () => {
  let server: PostgresServer;
  let client: Client;
  let elections = 0;
  const open: { close(): Promise<void> }[] = [];

  beforeAll(async () => {
    server = await PostgresServer.start();
    client = new Client({ connectionString: server.url });
    await client.connect();
    await client.query('CREATE TABLE results (occasion text, token numeric)');
  });
  beforeEach(async () => {
    elections += 1;
    await client.query('TRUNCATE results');
  });
  afterAll(async () => {
    for (const each of open) await each.close();
    await client.end();
    await server.close();
  });

  const replica = (at: string | Pool = server.url, lease: object = options): Election => {
    const engine = postgres(at as string, lease);
    open.push(engine);
    return new Election(`report-${elections}`, engine);
  };
  const insert: OnceWork<void, TransactionContext> = async ({ transaction, occasion, token }) => {
    await transaction.query('INSERT INTO results VALUES ($1, $2)', [occasion, String(token)]);
  };
  const results = async (): Promise<readonly string[]> =>
    (await client.query('SELECT occasion FROM results')).rows.map(({ occasion }) => occasion);

  it('commits the result and the record together', async () => {
    const [a, b] = [replica(), replica()];
    let seenWithin = -1;
    const work: OnceWork<string, TransactionContext> = async (context) => {
      await insert(context);
      seenWithin = (await results()).length;
      return 'value';
    };
    const ends = await Promise.all([a, b].map((each) => each.once(1, work, { transaction: true })));
    expect(ends.map(({ outcome }) => outcome).sort()).toEqual(['already-done', 'done']);
    expect(ends.find(({ outcome }) => outcome === 'done')!.value).toBe('value');
    expect(seenWithin).toBe(0);
    expect(await results()).toEqual(['1']);
  });

  it('rolls back what fails, and tries it again', async () => {
    const a = replica();
    const work: OnceWork<void, TransactionContext> = async (context) => {
      await insert(context);
      if (context.attempt < 3) throw new Error('no paper');
    };
    const end = await a.once(1, work, { transaction: true, retries: 2, backOffMs: 1 });
    expect(end).toMatchObject({ outcome: 'done', run: { attempt: 3 } });
    expect(await results()).toEqual(['1']);
  });

  it('rolls back if the leadership was taken meanwhile, and runs it again with a greater token', async () => {
    const a = replica();
    const tokens: bigint[] = [];
    const work: OnceWork<void, TransactionContext> = async (context) => {
      tokens.push(context.token);
      await insert(context);
      if (tokens.length === 1) void a.resign();
    };
    const end = await a.once(1, work, { transaction: true });
    expect(end).toMatchObject({ outcome: 'done', token: tokens[1], run: { attempt: 2 } });
    expect(await results()).toEqual(['1']);
    expect(tokens[1]).toBeGreaterThan(tokens[0]!);
  });

  it('keeps others from leading while it lasts, and is renewed', async () => {
    const [a, b] = [replica(server.url, { leaseMs: 600 }), replica(server.url, { leaseMs: 600 })];
    let isOver = false;
    const work: OnceWork<void, TransactionContext> = async (context) => {
      await insert(context);
      await new Promise((resolve) => setTimeout(resolve, 1500));
      isOver = true;
    };
    const first = a.once(1, work, { transaction: true });
    const second = b.once(1, work, { transaction: true });
    const ends = [await first, await second].map(({ outcome }) => outcome).sort();
    expect({ ends, isOver, results: await results() }).toEqual({
      ends: ['already-done', 'done'],
      isOver: true,
      results: ['1'],
    });
  });

  it.each(['a URL', 'a pool'])(
    'ends a transaction that its program leaves alone, and tells the work, with %s',
    async (kind) => {
      const pool = server.pool({ max: 3 });
      const a = replica(kind === 'a pool' ? pool : server.url);
      const work: OnceWork<void, TransactionContext> = async (context) => {
        await insert(context);
        if (context.attempt === 1) await aborted(context.signal);
      };
      const options = { transaction: { idleMs: 500 } };
      const why = 'the work did not use its transaction for 500 ms (idleMs), so the server has ended it';
      expect(await a.once(1, work, options)).toMatchObject({ outcome: 'failed', run: { error: why } });
      const end = await a.once(2, work, { ...options, retries: 5, backOffMs: 1 });
      expect(end.outcome).toBe('done');
      expect(await results()).toEqual(['2']);
      await a.close();
      await open.pop()!.close();
      await pool.end();
    },
  );

  it('refuses work that ends its transaction itself', async () => {
    const a = replica();
    const work: OnceWork<void, TransactionContext> = async (context) => {
      await insert(context);
      await context.transaction.query('COMMIT');
    };
    expect(await a.once(1, work, { transaction: true })).toMatchObject({
      outcome: 'failed',
      run: { error: expect.stringMatching(/^the work has ended its transaction itself/) },
    });
  });

  it('fails if the work hides a refusal of the server, or one comes with the commit', async () => {
    const a = replica();
    const hidden: OnceWork<void, TransactionContext> = async ({ transaction }) => {
      await transaction.query('SELECT 1/0').catch(() => {});
    };
    expect(await a.once(1, hidden, { transaction: true })).toMatchObject({
      outcome: 'failed',
      run: { error: expect.stringMatching(/current transaction is aborted/) },
    });
    await client.query(
      'ALTER TABLE results ADD CONSTRAINT one UNIQUE (occasion) DEFERRABLE INITIALLY DEFERRED',
    );
    const twice: OnceWork<void, TransactionContext> = async (context) => {
      await insert(context);
      await insert(context);
    };
    expect(await a.once(2, twice, { transaction: true })).toMatchObject({
      outcome: 'failed',
      run: { error: expect.stringMatching(/duplicate key/) },
    });
    expect(await results()).toEqual([]);
    await client.query('ALTER TABLE results DROP CONSTRAINT one');
  });

  it('takes a client of a pool, and gives it back', async () => {
    const pool = server.pool({ max: 3 });
    const a = replica(pool);
    for (let occasion = 1; occasion <= 5; occasion++) {
      expect((await a.once(occasion, insert, { transaction: true })).outcome).toBe('done');
    }
    expect(await results()).toHaveLength(5);
    await a.close();
    await open.pop()!.close();
    await pool.end();
  });

  it('is for PostgreSQL alone', async () => {
    const engine = new Memory().engine();
    await expect(new Election('e', engine).once(1, () => {}, { transaction: true })).rejects.toMatchObject({
      code: 'E_UNSUPPORTED',
      message: 'transaction: only PostgreSQL can record an occasion in one',
    });
    await engine.close();
    const a = replica();
    const end = await a.once(1, (context) => (context as TransactionContext).transaction, {});
    expect(end).toMatchObject({
      outcome: 'failed',
      run: { error: expect.stringMatching(/say transaction: true/) },
    });
  });
});
