/**
 * Fifty stalls of a main thread that its member survives, and fifty that it does not: `npx tsx verify/stalls.ts [ROUNDS]`. Needs
 * the build (`npm run build`), and takes 25 minutes. Each member is on a host of its own where namespaces can be made; with
 * `--loopback` all are on this one.
 */
import { keepsThrough, losesBefore, StallLab } from '../test/support/stall-lab.ts';
import { readPlaces } from './places.ts';
import { say } from './say.ts';

const { ground, numbers } = readPlaces();
const [rounds = 50] = numbers;
const MAX_STALL_MS = 5000;
let failures = 0;

for (const [what, stallMs, one] of [
  ['keeps the leadership', 3000, keepsThrough],
  ['loses it before another acts', 10_000, losesBefore],
] as const) {
  const lab = await StallLab.open(MAX_STALL_MS, ground);
  let good = 0;
  for (let round = 1; round <= rounds; round++) {
    const wrong = await one(lab, stallMs);
    if (wrong === null) good += 1;
    else say(`round ${round}: ${wrong}`);
  }
  await lab.close();
  failures += rounds - good;
  say(`busy for ${stallMs} ms, maxStallMs ${MAX_STALL_MS}: ${what}: ${good} of ${rounds}`);
}
process.exitCode = failures === 0 ? 0 : 1;
