/**
 * `npm run verify:crowd`: forty participants over three members (docs/operations.md), five rounds of killing and stopping;
 * `npm run verify:crowd -- COUNT ROUNDS` for others.
 */

import { runCrowd } from '../test/engines/safety/crowd.ts';
import { Members } from '../test/support/servers/members.ts';
import { say } from './say.ts';

const [count = 40, rounds = 5] = process.argv.slice(2).map(Number);
const members = await Members.start();
try {
  const { faults, leaderships, left } = await runCrowd(members, {
    count,
    rounds,
    leaseMs: 10_000,
    say,
  });
  say(`${leaderships} leaderships; left in the register: ${JSON.stringify(left)}`);
  for (const fault of faults) say(`WRONG: ${fault}`);
  if (faults.length > 0) process.exitCode = 1;
  else say('at no moment two could act, and no token was given twice');
} finally {
  await members.close();
}
