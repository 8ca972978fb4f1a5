/**
 * The same program on whatever you run, by the URL alone:
 *
 *     npx tsx any-engine.ts local:                          the processes of this machine, no server at all
 *     npx tsx any-engine.ts etcd://127.0.0.1:2379           or postgres://…, redis://…, nats://…, kubernetes:
 */
import { Election, openEngine } from 'caucus';

const say = (what: string): void => void process.stdout.write(`${what}\n`);
const engine = await openEngine(process.argv[2] ?? 'local:');
const election = new Election('nightly-report', engine);
for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => void election.close().then(() => engine.close()));

await election
  .lead(async ({ token, signal, assert }) => {
    say(`${election.self} leads with token ${token}`);
    while (!signal.aborted) {
      assert();
      await new Promise((resolve) => setTimeout(resolve, 1000)); // One piece of the work.
    }
    say(`${election.self} no longer leads: ${signal.reason.detail}`);
  })
  .catch((error) => say(error.message));
