/**
 * `npm run verify:crowd`: forty participants over three members (docs/operations.md), five rounds of killing and stopping;
 * `npm run verify:crowd -- COUNT ROUNDS` for others. Each process is on a host of its own where namespaces can be made; with
 * `--loopback` all are on this one.
 */

import { runCrowd } from '../test/engines/safety/crowd.ts';
import type { Place } from '../test/support/ground.ts';
import { Members } from '../test/support/servers/members.ts';
import { readPlaces } from './places.ts';
import { say } from './say.ts';

const { ground, numbers } = readPlaces();
const [count = 40, rounds = 5] = numbers;
let places: readonly Place[] = [];
const members = await Members.start([], async (voters) => {
  const all = await ground(voters + count);
  places = Array.from({ length: count }, (_, i) => all.place(voters + i));
  return all;
});
try {
  const { faults, leaderships, left } = await runCrowd(members, {
    count,
    rounds,
    leaseMs: 10_000,
    say,
    places,
  });
  say(`${leaderships} leaderships; left in the register: ${JSON.stringify(left)}`);
  for (const fault of faults) say(`WRONG: ${fault}`);
  if (faults.length > 0) process.exitCode = 1;
  else say('at no moment two could act, and no token was given twice');
} finally {
  await members.close();
}
