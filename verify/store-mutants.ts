/** Hunts every bug that is planted in the store: the swarm with `quorum` from its first seed on, then rules. */
import { quorum } from '../src/protocols/quorum/index.ts';
import { mutants } from '../test/store/mutants.ts';
import { type Loaded, load } from '../test/store/mutate.ts';
import { type RuleName, rules } from '../test/store/rules.ts';
import type { Caught, Hunted } from './mutants-document.ts';
import { say } from './say.ts';

const MOST_SEEDS = 1000;

export async function huntInStore(): Promise<readonly Hunted[]> {
  const hunted: Hunted[] = [];
  for (const mutant of mutants) {
    const { name } = mutant;
    const started = process.cpuUsage();
    const caught = hunt(await load(mutant));
    const { user, system } = process.cpuUsage(started);
    hunted.push({ name, caught, seconds: (user + system) / 1e6 });
    say(`${name}: ${caught === null ? 'NOT CAUGHT' : `${caught.by}, ${caught.shown.property}`}`);
  }
  return hunted;
}

function hunt({ store, simulation }: Loaded): Caught | null {
  for (let seed = 1; seed <= MOST_SEEDS; seed++) {
    const { failure } = simulation.runSeed(quorum, seed, { hash: 'moments' });
    if (failure !== null)
      return { by: `swarm, seed ${seed}`, shown: failure, effort: seed === 1 ? '1 run' : `${seed} runs` };
  }
  const broken = (Object.keys(rules) as RuleName[]).find((name) => !rules[name](store));
  return broken === undefined
    ? null
    : { by: 'rule', shown: { property: broken, detail: broken }, effort: '' };
}
