/** A table of PostgreSQL that a stale leader cannot write to: `npx tsx fencing.ts postgres://user@host/database`. */
import { SqlFence } from 'caucus/fencing';
import { Pool } from 'pg';

const pool = new Pool({ connectionString: process.argv[2] });
await pool.query('CREATE TABLE IF NOT EXISTS reports (total int)');

const fence = new SqlFence('nightly-report');
await pool.query(fence.definition); // Once, or in a migration.

/** All of it is committed, or nothing, and nothing if a newer leader has written. */
const save = (total: number, token: bigint): Promise<unknown> =>
  fence.transaction(pool, token, (client) => client.query('INSERT INTO reports VALUES ($1)', [total]));

await save(10, 4n);
await save(20, 5n); // A new leader.
await save(11, 4n).catch((error) => process.stdout.write(`${error.message}\n`)); // The old one did not know yet.
const { rows } = await pool.query('SELECT sum(total)::int AS sum FROM reports');
process.stdout.write(`the sum is ${rows[0].sum}\n`);
await pool.end();
