/** Hunts every bug that is planted in `quorum`, in `src/peers`, in the store, in the host and in support, and writes docs/mutants.md: what caught which, and how fast. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { assertNever, type Definition } from '../src/core/index.ts';
import { quorum } from '../src/protocols/quorum/index.ts';
import { mutants as hostMutants } from '../test/host/mutants.ts';
import { tryStorm as tryConnected } from '../test/peers/hunting.ts';
import { mutants as peerMutants } from '../test/peers/mutants.ts';
import { type Loaded, load as loadPeers } from '../test/peers/mutate.ts';
import { type RuleName as PeerRuleName, rules as peerRules } from '../test/peers/rules.ts';
import { deputySeeds, unseen } from '../test/quorum/deputy-seeds.ts';
import { explore, type Shown, tryDirected, tryRule, tryStorm } from '../test/quorum/hunting.ts';
import { hunts } from '../test/quorum/hunts.ts';
import { mutants } from '../test/quorum/mutants.ts';
import { load } from '../test/quorum/mutate.ts';
import { type RuleName, rules } from '../test/quorum/rules.ts';
import { type ScenarioName, scenarios } from '../test/quorum/scenarios.ts';
import { logMutants } from '../test/store/log-mutants.ts';
import { mutants as storeMutants } from '../test/store/mutants.ts';
import type { Bug } from '../test/support/plant.ts';
import { mutants as supportMutants } from '../test/supporting/mutants.ts';
import { huntInHost } from './host-mutants.ts';
import { byRule, type Caught, firstSeed, type Hunted, huntEach, seedsUpTo } from './hunted.ts';
import type { HuntJob, StandJob } from './jobs.ts';
import {
  deputySection,
  hostSection,
  logSection,
  mutantsDocument,
  peersSection,
  type Stood,
  storeSection,
  supportSection,
} from './mutants-document.ts';
import { huntInStore } from './store-mutants.ts';
import { huntInSupport } from './support-mutants.ts';

const MOST_SEEDS = 150;
/** One seed in eight has connections. */
const MOST_CONNECTED = 1000;
const file: string = path.resolve(import.meta.dirname, '..', 'docs', 'mutants.md');

/** So many bugs are hunted by one process. */
const AT_A_TIME = 25;

/** Every bug is hunted, whatever is known to catch it: the swarm from its first seed on, directed runs, rules, the explorer. */
export function huntJobs(): readonly (HuntJob | StandJob)[] {
  const all: Readonly<Record<HuntJob['in'], readonly Bug[]>> = {
    protocol: mutants,
    peers: peerMutants,
    store: storeMutants,
    host: hostMutants,
    support: supportMutants,
  };
  const hunting = Object.entries(all).flatMap(([part, { length }]) =>
    Array.from({ length: Math.ceil(length / AT_A_TIME) }, (_, i) => ({
      kind: 'hunt' as const,
      in: part as HuntJob['in'],
      from: i * AT_A_TIME,
      to: Math.min(length, (i + 1) * AT_A_TIME),
    })),
  );
  return [{ kind: 'stand' }, ...hunting];
}

export function runHunt({ in: part, from, to }: HuntJob): Promise<readonly Hunted[]> {
  switch (part) {
    case 'protocol':
      return huntEach(mutants.slice(from, to), load, hunt);
    case 'peers':
      return huntEach(peerMutants.slice(from, to), loadPeers, huntConnected);
    case 'store':
      return huntInStore(from, to);
    case 'host':
      return huntInHost(from, to);
    case 'support':
      return huntInSupport(from, to);
    default:
      return assertNever(part);
  }
}

/** Writes the page, and returns the bugs that were not caught. */
export function writeMutants(
  found: readonly { readonly job: HuntJob; readonly hunted: readonly Hunted[] }[],
  stood: readonly Stood[],
): readonly string[] {
  const sorted = found.toSorted((a, b) => a.job.from - b.job.from);
  const of = (part: HuntJob['in']): readonly Hunted[] =>
    sorted.filter(({ job }) => job.in === part).flatMap(({ hunted }) => hunted);
  const sections = [
    mutantsDocument(of('protocol'), mutants, stood, MOST_SEEDS),
    deputySection(deputySeeds, unseen),
    peersSection(of('peers'), peerMutants, MOST_CONNECTED),
    storeSection(of('store'), storeMutants),
    logSection(logMutants),
    hostSection(of('host'), hostMutants),
    supportSection(of('support'), supportMutants),
  ];
  writeFileSync(file, sections.join('\n'));
  return sorted
    .flatMap(({ hunted }) => hunted)
    .filter(({ caught }) => caught === null)
    .map(({ name }) => name);
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
    if (shown !== null) return { by: `directed run \`${name}\``, shown, effort: '' };
  }
  const rule = (Object.keys(rules) as RuleName[]).find((name) => tryRule(definition, name) !== null);
  if (rule !== undefined) return byRule(rule);
  for (const [name, each] of Object.entries(hunts)) {
    const { shown, states } = explore(definition, each);
    if (shown !== null) return { by: `explorer, ${name}`, shown, effort: `${states} states` };
  }
  return null;
}

/** A check that fails with the protocol as it is would show nothing about a bug. */
export function runStand(): readonly Stood[] {
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
