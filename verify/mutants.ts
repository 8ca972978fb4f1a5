/** Hunts every bug that is planted in `quorum` and in `src/peers`, and writes docs/mutants.md: what caught which, and how fast. */
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
import { type Caught, type Hunted, mutantsDocument, peersSection, type Stood } from './mutants-document.ts';
import { say } from './say.ts';
import { huntInStore } from './store-mutants.ts';

const MOST_SEEDS = 150;
/** One seed in eight has connections. */
const MOST_CONNECTED = 1000;
const file: string = path.resolve(import.meta.dirname, '..', 'docs', 'mutants.md');

/** Really hunts, whatever is known to catch a bug: the swarm from its first seed on, directed runs, rules, the explorer. */
export async function writeMutants(): Promise<void> {
  const hunted: Hunted[] = [];
  for (const mutant of mutants) {
    const loaded = await load(mutant);
    hunted.push(timed(mutant.name, () => hunt(loaded)));
  }
  const peers = await huntPeers();
  const stored = await huntInStore();
  writeFileSync(
    file,
    `${mutantsDocument(hunted, stored, stand(), MOST_SEEDS)}\n${peersSection(peers, MOST_CONNECTED)}`,
  );
  const free = [...hunted, ...stored, ...peers]
    .filter(({ caught }) => caught === null)
    .map(({ name }) => name);
  if (free.length > 0) throw new Error(`not caught: ${free.join('; ')}`);
}

/** The bugs of `src/peers`: the swarm, among its seeds that have connections, and the rules of the machine. */
export async function huntPeers(): Promise<readonly Hunted[]> {
  const hunted: Hunted[] = [];
  for (const mutant of peerMutants) {
    const loaded = await loadPeers(mutant);
    hunted.push(timed(mutant.name, () => huntConnected(loaded)));
  }
  return hunted;
}

function timed(name: string, hunting: () => Caught | null): Hunted {
  const started = process.cpuUsage();
  const caught = hunting();
  const { user, system } = process.cpuUsage(started);
  say(`${name}: ${caught === null ? 'NOT CAUGHT' : `${caught.by}, ${caught.shown.property}`}`);
  return { name, caught, seconds: (user + system) / 1e6 };
}

function huntConnected(loaded: Loaded): Caught | null {
  for (let seed = 7, runs = 1; seed <= MOST_CONNECTED; seed += 8, runs++) {
    const shown = tryConnected(loaded, quorum, seed);
    if (shown !== null)
      return { by: `swarm, seed ${seed}`, shown, effort: runs === 1 ? '1 run' : `${runs} runs` };
  }
  for (const name of Object.keys(peerRules) as PeerRuleName[]) {
    if (!peerRules[name](loaded.Peers))
      return { by: 'rule', shown: { property: name, detail: name }, effort: '' };
  }
  return null;
}

function hunt(definition: Definition): Caught | null {
  for (let seed = 1; seed <= MOST_SEEDS; seed++) {
    const shown = tryStorm(definition, seed);
    if (shown !== null)
      return { by: `swarm, seed ${seed}`, shown, effort: seed === 1 ? '1 run' : `${seed} runs` };
  }
  for (const name of Object.keys(scenarios) as ScenarioName[]) {
    const shown = tryDirected(definition, name);
    if (shown !== null) return { by: `scenario, ${name}`, shown, effort: '' };
  }
  for (const name of Object.keys(rules) as RuleName[]) {
    const shown = tryRule(definition, name);
    if (shown !== null) return { by: 'rule', shown: { ...shown, property: name }, effort: '' };
  }
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
