/**
 * `npm run verify:versions`: clusters of an earlier release are upgraded member by member and downgraded again, in every order, while
 * processes are stopped and go on: three members in all 36 pairs of orders, five in all 120 orders up, each with another one down.
 *
 *     npm run verify:versions -- [MEMBERS [RUNS [SEED [FIRST]]]]
 *
 * does RUNS of these with MEMBERS (all, and three and then five, if omitted), from number FIRST on (1 if omitted), so that several
 * processes can share them. A run that fails prints its orders and its seed.
 * Each member is on a host of its own where namespaces can be made; with `--loopback` all are on this one.
 */
import { Random } from '../src/core/index.ts';
import { drawPauses, EarlierRelease, type Order, type Rolled, roll } from '../test/support/rolling.ts';
import { readPlaces } from './places.ts';
import { say } from './say.ts';

interface Run {
  readonly up: readonly number[];
  readonly down: readonly number[];
  readonly seed: number;
}

const { ground, numbers } = readPlaces();
const [only, most = Number.POSITIVE_INFINITY, seed = 1, first = 1] = numbers;
const earlier = new EarlierRelease();
try {
  for (const members of only === undefined ? [3, 5] : [only]) await all(members);
} finally {
  earlier.remove();
}

async function all(members: number): Promise<void> {
  const drawn = drawRuns(members);
  const runs = drawn.slice(first - 1, first - 1 + most);
  const sum = { restarts: 0, leaders: 0, pauses: 0, changes: 0, allowed: 0 };
  let failures = 0;
  for (const [i, run] of runs.entries()) {
    const told = `${words(run.up)} up, ${words(run.down)} down, seed ${run.seed}`;
    try {
      add(sum, await one(members, run));
    } catch (error) {
      failures += 1;
      say(`WRONG: ${members} members, ${told}: ${error instanceof Error ? error.message : error}`);
    }
    say(
      `${members} members, run ${first + i} of ${drawn.length} (${told}); so far ${sumWords(sum, failures)}`,
    );
  }
  say(`${members} members, ${runs.length} runs: ${sumWords(sum, failures)}`);
  if (failures > 0) process.exitCode = 1;
}

function sumWords({ restarts, leaders, pauses, changes, allowed }: Rolled, failures: number): string {
  return `${failures} wrong, ${restarts} restarts (${leaders} of leaders), ${pauses} pauses, ${changes} changes of leader (${allowed} at most were due)`;
}

function one(members: number, { up, down, seed: ofRun }: Run): Promise<Rolled> {
  return roll(earlier, members, [orderOf(up), orderOf(down)], drawPauses(ofRun, 2 * members), ground);
}

/** Of three members all pairs of orders; of more, each order once up and once down. */
function drawRuns(members: number): readonly Run[] {
  const random = new Random(seed, `orders of ${members}`);
  const orders = permutations(Array.from({ length: members }, (_, i) => i));
  const pairs =
    members <= 3
      ? orders.flatMap((up) => orders.map((down) => [up, down] as const))
      : shuffled(orders, random).map((up, i, all) => [up, all[(i + 1) % all.length]!] as const);
  return pairs.map(([up, down], i) => ({ up, down, seed: seed + i }));
}

function shuffled<T>(items: readonly T[], random: Random): readonly T[] {
  return items
    .map((item) => ({ item, at: random.fraction() }))
    .sort((one, other) => one.at - other.at)
    .map(({ item }) => item);
}

function permutations(of: readonly number[]): readonly (readonly number[])[] {
  if (of.length < 2) return [of];
  return of.flatMap((first) =>
    permutations(of.filter((each) => each !== first)).map((rest) => [first, ...rest]),
  );
}

function orderOf(places: readonly number[]): Order {
  return (ids) => places.map((place) => ids[place]!);
}

function words(places: readonly number[]): string {
  return places.map((place) => String.fromCharCode(97 + place)).join('');
}

function add(sum: Record<keyof Rolled, number>, rolled: Rolled): void {
  for (const name of Object.keys(sum) as (keyof Rolled)[]) sum[name] += rolled[name];
}
