/**
 * A report that is made once for each day, however many copies of this program run, and however often:
 *
 *     npx tsx nightly-report.ts local: 2026-11-16           or postgres://…, redis://…, etcd://…
 */
import { Election, openEngine } from 'caucus';

const say = (what: string): void => void process.stdout.write(`${what}\n`);
const [url = 'local:', day = new Date().toISOString().slice(0, 10)] = process.argv.slice(2);
const engine = await openEngine(url);
const election = new Election('nightly-report', engine);

const { outcome, by } = await election.once(
  day,
  async ({ occasion, token, attempt }) => {
    say(`making the report of ${occasion}: attempt ${attempt}, token ${token}`);
  },
  { retries: 3 },
);
say(`${day}: ${outcome}, by ${by === election.self ? 'this copy' : 'another one'}`);
await engine.close();
