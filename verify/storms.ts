/**
 * Storms over several elections of the same members, which rest on support: `npx tsx verify/storms.ts [STORMS] [FIRST SEED]`.
 * With STORMS omitted, 1,000.
 */
import { quorum } from '../src/protocols/quorum/index.ts';
import { drawManyStorm, runManyStorm } from '../src/simulation/index.ts';
import { say } from './say.ts';

const [storms = 1000, first = 1] = process.argv.slice(2).map(Number);
let [failures, leaderships, messages, requests] = [0, 0, 0, 0];
for (let seed = first; seed < first + storms; seed++) {
  const outcome = runManyStorm(quorum, drawManyStorm(seed));
  leaderships += outcome.leaderships;
  messages += outcome.messages;
  requests += outcome.supportMessages;
  if (outcome.failure === null) continue;
  failures += 1;
  say(`runManyStorm(quorum, drawManyStorm(${seed})): ${outcome.failure}`);
}
say(
  `${storms} storms from seed ${first} on: ${failures} failed; ${leaderships} leaderships, ` +
    `${messages} messages of elections, ${requests} requests for support and answers`,
);
process.exitCode = failures === 0 ? 0 : 1;
