/** Hunts every bug that is planted in `quorum`, in `src/peers`, in the store and in the host, and writes docs/mutants.md: what caught which, and how fast. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Definition } from '../src/core/index.ts';
import { quorum } from '../src/protocols/quorum/index.ts';
import { tryStorm as tryConnected } from '../test/peers/hunting.ts';
import { mutants as peerMutants } from '../test/peers/mutants.ts';
import { type Loaded, load as loadPeers } from '../test/peers/mutate.ts';
import { type RuleName as PeerRuleName, rules as peerRules } from '../test/peers/rules.ts';
import { explore, type Shown, tryDirected, tryRule, tryStorm } from '../test/quorum/hunting.ts';
import { hunts } from '../test/quorum/hunts.ts';
import { mutants } from '../test/quorum/mutants.ts';
import { load } from '../test/quorum/mutate.ts';
import { type RuleName, rules } from '../test/quorum/rules.ts';
import { type ScenarioName, scenarios } from '../test/quorum/scenarios.ts';
import { huntInHost } from './host-mutants.ts';
import { byRule, type Caught, firstSeed, huntEach, seedsUpTo } from './hunted.ts';
import { hostSection, mutantsDocument, peersSection, type Stood, storeSection } from './mutants-document.ts';
import { huntInStore } from './store-mutants.ts';

const MOST_SEEDS = 150;
/** One seed in eight has connections. */
const MOST_CONNECTED = 1000;
const file: string = path.resolve(import.meta.dirname, '..', 'docs', 'mutants.md');

/** Really hunts, whatever is known to catch a bug: the swarm from its first seed on, directed runs, rules, the explorer. */
export async function writeMutants(): Promise<void> {
  const hunted = await huntEach(mutants, load, hunt);
  const peers = await huntEach(peerMutants, loadPeers, huntConnected);
  const stored = await huntInStore();
  const hosted = await huntInHost();
  const sections = [
    mutantsDocument(hunted, stand(), MOST_SEEDS),
    peersSection(peers, MOST_CONNECTED),
    storeSection(stored),
    hostSection(hosted),
  ];
  writeFileSync(file, sections.join('\n'));
  const free = [...hunted, ...peers, ...stored, ...hosted]
    .filter(({ caught }) => caught === null)
    .map(({ name }) => name);
  if (free.length > 0) throw new Error(`not caught: ${free.join('; ')}`);
}

/** The bugs of `src/peers`: the swarm, among its seeds that have connections, and the rules of the machine. */
function huntConnected(loaded: Loaded): Caught | null {
  const seeds = seedsUpTo(MOST_CONNECTED, 7, 8);
  return (
    firstSeed(seeds, (seed) => tryConnected(loaded, quorum, seed)) ??
    byRule((Object.keys(peerRules) as PeerRuleName[]).find((name) => !peerRules[name](loaded.Peers)))
  );
}

function hunt(definition: Definition): Caught | null {
  const caught = firstSeed(seedsUpTo(MOST_SEEDS), (seed) => tryStorm(definition, seed));
  if (caught !== null) return caught;
  for (const name of Object.keys(scenarios) as ScenarioName[]) {
    const shown = tryDirected(definition, name);
    if (shown !== null) return { by: `scenario, ${name}`, shown, effort: '' };
  }
  const rule = (Object.keys(rules) as RuleName[]).find((name) => tryRule(definition, name) !== null);
  if (rule !== undefined) return byRule(rule);
  for (const [name, each] of Object.entries(hunts)) {
    const { shown, states } = explore(definition, each);
    if (shown !== null) return { by: `explorer, ${name}`, shown, effort: `${states} states` };
  }
  return null;
}

/** What cries out at the protocol as it is has caught nothing. */
function stand(): readonly Stood[] {
  const alarm = (shown: Shown | null, where: string): void => {
    if (shown !== null) throw new Error(`quorum as it is, ${where}: ${shown.property}, ${shown.detail}`);
  };
  for (let seed = 1; seed <= MOST_SEEDS; seed++) alarm(tryStorm(quorum, seed), `seed ${seed}`);
  for (const name of Object.keys(scenarios) as ScenarioName[]) alarm(tryDirected(quorum, name), name);
  for (const name of Object.keys(rules) as RuleName[]) alarm(tryRule(quorum, name), name);
  return Object.entries(hunts).map(([name, each]) => {
    const { shown, states } = explore(quorum, each);
    alarm(shown, `explorer, ${name}`);
    return { name, about: each.about, properties: each.properties, states };
  });
}
