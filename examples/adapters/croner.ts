/** One replica of a service with croner. Start several, on any engine: `npx tsx croner.ts local:` */
import { Election, openEngine } from 'caucus';
import { oncePerFire } from 'caucus/croner';
import { Cron } from 'croner';

const engine = await openEngine(process.argv[2] ?? 'local:');
const election = new Election('cron', engine);

new Cron(
  '* * * * * *',
  { name: 'report', catch: true },
  oncePerFire(election, ({ occasion, token }) => {
    process.stdout.write(`${occasion} token ${token}\n`); // Your write: the token goes with it.
  }),
);
