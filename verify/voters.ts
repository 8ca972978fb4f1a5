/**
 * `npx tsx verify/voters.ts --rounds 50`: real voters in network namespaces, in random orders, with loss and cuts. Each
 * round starts five from a seed host alone, lets a sixth join, removes one and kills one; then five more with `quorum`
 * start in the same disorder, and no two of them may lead with one token. Before that, twenty times as many starts with
 * `quorum` are simulated. Needs root; a failure prints its seed. `--only simulated|lists|certified` plays one kind.
 */
import { Random } from '../src/core/index.ts';
import { catalogue } from '../src/protocols/index.ts';
import { readScenario, simulate } from '../src/simulation/index.ts';
import { withoutNamespaces } from '../test/support/namespaces.ts';
import { randomStart } from '../test/support/random-starts.ts';
import { certifiedStart, roundOfSix, VotersApart } from '../test/support/voters-apart.ts';
import { say } from './say.ts';

const KINDS = {
  lists: { options: [], play: roundOfSix },
  certified: { options: ['quorum=true', 'voters=5'], play: certifiedStart },
} as const;

const rounds = numberOf('--rounds', 50);
const from = numberOf('--seed', 1);
const only = given('--only');
const reason = only === 'simulated' ? null : withoutNamespaces();
if (reason !== null) {
  say(`no network namespaces here: ${reason}`);
  process.exit(2);
}
let failed = 0;
if (only === undefined || only === 'simulated') failed += simulated(20 * rounds);
for (const [kind, { options, play }] of Object.entries(KINDS)) {
  if (only !== undefined && only !== kind) continue;
  let passed = 0;
  for (let seed = from; seed < from + rounds; seed++) {
    const voters = new VotersApart(6, options);
    const startMs = performance.now();
    try {
      const told = await play(voters, new Random(seed, kind));
      passed += 1;
      say(`${kind} ${seed}: ${((performance.now() - startMs) / 1000).toFixed(1)} s: ${told}`);
    } catch (error) {
      failed += 1;
      say(`${kind} ${seed}: FAILED: ${(error as Error).message}`);
    } finally {
      await voters.close();
    }
  }
  say(`${kind}: ${passed} of ${rounds} rounds passed`);
}
if (failed > 0) process.exitCode = 1;

/** Random starts with `quorum` in simulation: how many broke a promise, or found no leader. */
function simulated(starts: number): number {
  let broken = 0;
  for (let seed = from; seed < from + starts; seed++) {
    const { violations, final } = simulate(readScenario(randomStart(seed), catalogue), seed);
    const claimed = violations.find((violation) => violation.claimed);
    if (claimed === undefined && final.agreed) continue;
    broken += 1;
    say(`simulated ${seed}: FAILED: ${claimed?.detail ?? 'no leader that all follow'}`);
  }
  say(`simulated: ${starts - broken} of ${starts} starts passed`);
  return broken;
}

function given(flag: string): string | undefined {
  const at = process.argv.indexOf(flag);
  return at < 0 ? undefined : process.argv[at + 1];
}

function numberOf(flag: string, usual: number): number {
  return Number(given(flag) ?? usual);
}
