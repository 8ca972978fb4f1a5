/**
 * `npx tsx verify/voters.ts`: voters of `draw` that know only a seed host, started in random disorder. `--help` says
 * more. A failure prints its seed, and exit code 1 follows.
 */
import path from 'node:path';
import { parseArgs } from 'node:util';
import { Random } from '../src/core/index.ts';
import { catalogue } from '../src/protocols/index.ts';
import { readScenario, simulate } from '../src/simulation/index.ts';
import { installDebian } from '../test/support/debian.ts';
import { certifiedStart, roundOfSix } from '../test/support/disorder.ts';
import { withoutNamespaces } from '../test/support/namespaces.ts';
import { randomStart } from '../test/support/random-starts.ts';
import { VotersApart } from '../test/support/voters-apart.ts';
import { say } from './say.ts';

const HELP = `npx tsx verify/voters.ts [--only simulated|lists|certified] [--rounds N] [--seed N] [--keep FOLDER]

  simulated   20 N starts with \`quorum\` in the simulator: no promise is broken, and all end with one leader
  lists       N rounds in network namespaces: five real voters start from a seed host alone, in a random order, while
              packets are lost and links are cut; a sixth joins; one is removed; one dies for good. After each step
              those that are left have one list and one leader
  certified   N rounds with \`quorum\`: five start in the same disorder, and some are killed meanwhile; then the cluster is
              split, the leader stands still or dies, a disk is lost, or all die. No two processes ever lead with one token, and one leads in the end

  --only      one kind of rounds (default: all three)
  --rounds    N (default: 50)
  --seed      the first seed (default: 1)
  --keep      keep the logs and recordings of all voters in this folder, by round

Build first (npm run build): the voters are processes of dist. Namespaces need root, \`ip\` and \`iptables\`.
Exit code 0: all passed; 1: a round failed; 2: wrong input, or no namespaces here.
`;

const KINDS = {
  lists: { options: [], play: roundOfSix },
  certified: { options: ['quorum=true', 'voters=5'], play: certifiedStart },
} as const;

const wishes = read();
process.exitCode = await verify();

interface Wishes {
  readonly kinds: readonly string[];
  readonly rounds: number;
  readonly seed: number;
  readonly keep: string | null;
}

function read(): Wishes {
  try {
    const { values } = parseArgs({
      options: {
        help: { type: 'boolean', default: false },
        only: { type: 'string' },
        rounds: { type: 'string', default: '50' },
        seed: { type: 'string', default: '1' },
        keep: { type: 'string' },
      },
    });
    if (values.help) {
      process.stdout.write(HELP);
      process.exit(0);
    }
    const all = ['simulated', ...Object.keys(KINDS)];
    if (values.only !== undefined && !all.includes(values.only))
      throw new Error(`--only: expected one of ${all.join(', ')}, found ${JSON.stringify(values.only)}`);
    return {
      kinds: values.only === undefined ? all : [values.only],
      rounds: count('--rounds', values.rounds),
      seed: count('--seed', values.seed),
      keep: values.keep ?? null,
    };
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exit(2);
  }
}

function count(flag: string, text: string): number {
  if (/^[1-9][0-9]{0,8}$/.test(text)) return Number(text);
  throw new Error(`${flag}: expected a whole number from 1, found ${JSON.stringify(text)}`);
}

async function verify(): Promise<number> {
  let failed = 0;
  if (wishes.kinds.includes('simulated')) failed += simulated(20 * wishes.rounds);
  const apart = wishes.kinds.filter((kind): kind is keyof typeof KINDS => kind in KINDS);
  if (apart.length > 0) {
    const reason = installDebian(['iproute2', 'iptables']) ?? withoutNamespaces();
    if (reason !== null) {
      say(`no network namespaces here: ${reason}`);
      return 2;
    }
  }
  for (const kind of apart) failed += await inNamespaces(kind);
  return failed > 0 ? 1 : 0;
}

/** How many rounds of this kind failed. */
async function inNamespaces(kind: keyof typeof KINDS): Promise<number> {
  const { options, play } = KINDS[kind];
  const { rounds, seed: first, keep } = wishes;
  let failed = 0;
  for (let seed = first; seed < first + rounds; seed++) {
    const voters = new VotersApart(6, options, keep === null ? null : path.join(keep, `${kind}-${seed}`));
    const startMs = performance.now();
    const told = (words: string): void =>
      say(`${kind} ${seed}: ${((performance.now() - startMs) / 1000).toFixed(1)} s: ${words}`);
    try {
      const done = await play(voters, new Random(seed, kind));
      told(`${done} (agreed after ${voters.waits})`);
    } catch (error) {
      failed += 1;
      told(`FAILED: ${(error as Error).message}`);
    } finally {
      await voters.close();
    }
  }
  say(`${kind}: ${rounds - failed} of ${rounds} rounds passed`);
  return failed;
}

/** How many random starts with `quorum` broke a promise, or found no leader, in simulation. */
function simulated(starts: number): number {
  let broken = 0;
  for (let seed = wishes.seed; seed < wishes.seed + starts; seed++) {
    const { violations, final } = simulate(readScenario(randomStart(seed), catalogue), seed);
    const claimed = violations.find((violation) => violation.claimed);
    if (claimed === undefined && final.agreed) continue;
    broken += 1;
    say(`simulated ${seed}: FAILED: ${claimed?.detail ?? 'no leader that all follow'}`);
  }
  say(`simulated: ${starts - broken} of ${starts} starts passed`);
  return broken;
}
