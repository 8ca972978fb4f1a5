/** Leads, or finds that it cannot, closes its engine, and must end by itself then: `redis-leaver.ts URL ELECTION`. */
import { Election } from '../../src/election/index.ts';
import { redis } from '../../src/engines/redis/index.ts';

const [url, name] = process.argv.slice(2);
const engine = redis(url!, { leaseMs: 1500, callMs: 900 });
await engine.load(); // On a busy machine it takes longer than a call may.
const election = new Election(name!, engine);
const won = election.campaign().then(
  (leadership) => leadership.resign(),
  () => {},
);
for await (const { isSelf, cause } of election.observe()) {
  if (cause === 'store-unreachable') {
    process.stdout.write('unreachable\n');
    break;
  }
  if (isSelf) {
    process.stdout.write('led\n');
    await won;
    break;
  }
}
await engine.close();
process.stdout.write('closed\n');
