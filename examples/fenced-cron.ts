/**
 * A job on a schedule, on one of all replicas, whose result and record PostgreSQL commits together. Start it three times:
 *
 *     npm install caucus pg && npm pkg set type=module
 *     DATABASE_URL=postgres://app@127.0.0.1/app npx tsx fenced-cron.ts
 */
import { caucus } from 'caucus';

const shutdown = new AbortController();
process.once('SIGTERM', () => shutdown.abort());

const door = await caucus(process.env.DATABASE_URL!);
await door.election('nightly-report').schedule(
  process.argv[2] ?? '0 3 * * *',
  async ({ occasion, token, transaction }) => {
    await transaction.query('INSERT INTO reports (day, token) VALUES ($1, $2)', [occasion, String(token)]);
    process.stdout.write(`${occasion}: token ${token}\n`);
  },
  { transaction: true, timezone: 'Europe/Berlin', signal: shutdown.signal },
);
await door.close();
