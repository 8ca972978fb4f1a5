import type { Shown } from '../test/quorum/hunting.ts';
import type { Bug } from '../test/support/plant.ts';
import { say } from './say.ts';

export interface Caught {
  readonly by: string;
  readonly shown: Shown;
  /** What it took: runs of the swarm, or states of the explorer. */
  readonly effort: string;
}

/** What became of one planted bug. */
export interface Hunted {
  readonly name: string;
  readonly caught: Caught | null;
  readonly seconds: number;
}

/** Plants one bug after the other and hunts it, whatever is known to catch it. */
export async function huntEach<Loaded>(
  bugs: readonly Bug[],
  load: (bug: Bug) => Promise<Loaded>,
  hunt: (loaded: Loaded) => Caught | null | Promise<Caught | null>,
): Promise<readonly Hunted[]> {
  const hunted: Hunted[] = [];
  for (const bug of bugs) {
    const { name } = bug;
    const loaded = await load(bug);
    const started = process.cpuUsage();
    const caught = await hunt(loaded);
    const { user, system } = process.cpuUsage(started);
    say(`${name}: ${caught === null ? 'NOT CAUGHT' : `${caught.by}, ${caught.shown.property}`}`);
    hunted.push({ name, caught, seconds: (user + system) / 1e6 });
  }
  return hunted;
}

/** The first of these seeds of the swarm in which something is wrong. `before`: so many runs were held already. */
export function firstSeed(
  seeds: Iterable<number>,
  run: (seed: number) => Shown | null,
  before = 0,
): Caught | null {
  let runs = before;
  for (const seed of seeds) {
    runs += 1;
    const shown = run(seed);
    if (shown !== null)
      return { by: `swarm, seed ${seed}`, shown, effort: runs === 1 ? '1 run' : `${runs} runs` };
  }
  return null;
}

/** Some seeds of the swarm, in order. */
export function seedsUpTo(most: number, first = 1, gap = 1): readonly number[] {
  return Array.from({ length: Math.floor((most - first) / gap) + 1 }, (_, i) => first + i * gap);
}

/** A rule that a bug has broken, if there is one. */
export function byRule(name: string | undefined): Caught | null {
  return name === undefined ? null : { by: 'rule', shown: { property: name, detail: name }, effort: '' };
}
