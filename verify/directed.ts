/**
 * Explorations that begin where a script has led: each way in which `quorum` was once broken, with today's rules and without the
 * one that stands against it; and larger clusters and changes of members, as far as a few minutes go.
 */
import { readSettings } from '../src/core/index.ts';
import { type Bounds, Explorer, type Exploring, type Setup } from '../src/exploration/index.ts';
import { quorum } from '../src/protocols/quorum/index.ts';
import { exploringOf, type FamilyName, families, led } from '../test/exploration/families.ts';
import { load } from '../test/quorum/mutate.ts';
import type { Directed, DirectedJob } from './jobs.ts';

/** What is not done by then is given up, and called incomplete. */
const MOST_SECONDS = 120;
const STATES_AT_A_TIME = 1000;

interface Wide {
  readonly members: number;
  readonly bounds: Partial<Bounds>;
}

/** A leader has been elected and has committed a value; from there on everything is tried. */
const wide: Readonly<Record<string, Wide>> = {
  'three members, one change of members, one lost disk': {
    members: 3,
    bounds: {
      terms: 2,
      crashes: 1,
      amnesia: 1,
      unsynced: false,
      timers: 3,
      commands: { most: 1, types: ['add', 'remove'] },
      counters: { round: 4, version: 4 },
    },
  },
  'four members': { members: 4, bounds: { terms: 2, crashes: 0, timers: 3, counters: { round: 3 } } },
  'five members': { members: 5, bounds: { terms: 2, crashes: 0, timers: 3, counters: { round: 3 } } },
};

export function directedJobs(): readonly DirectedJob[] {
  const names = Object.keys(families);
  return [
    ...Object.keys(wide).map((name) => ({ kind: 'directed' as const, name, isPlanted: false })),
    ...[false, true].flatMap((isPlanted) =>
      names.map((name) => ({ kind: 'directed' as const, name, isPlanted })),
    ),
  ];
}

export async function runDirected(job: DirectedJob): Promise<Directed> {
  const exploring = await exploringFor(job);
  const startedMs = performance.now();
  const seconds = (): number => (performance.now() - startedMs) / 1000;
  const explorer = new Explorer(exploring);
  while (!explorer.hasBrokenPromise && seconds() < MOST_SECONDS && explorer.advance(STATES_AT_A_TIME)) {
    // Each call looks at some more states.
  }
  const took = seconds();
  const { bounds, states, complete, violations } = explorer.result();
  const found = violations.filter(({ claimed }) => claimed).map(({ property }) => property);
  return { job, bounds, states, complete, found, seconds: took };
}

async function exploringFor({ name, isPlanted }: DirectedJob): Promise<Exploring> {
  const plan = wide[name];
  if (plan === undefined) {
    const family = families[name as FamilyName];
    const planted = { name: `family ${name}`, patches: family.planted };
    return exploringOf(family, isPlanted ? await load(planted) : quorum);
  }
  const ids = Array.from({ length: plan.members }, (_, i) => i + 1);
  const members: Setup[] = ids.map((id) => ({ id, settings: { priority: 1 } }));
  const protocol = quorum.create({
    timing: readSettings(quorum.timing, {}, 'timing'),
    options: readSettings(quorum.options, {}, 'options'),
  });
  const script = [...led(...ids), { do: 'lose' as const }];
  return { protocol, members, script, bounds: plan.bounds, samples: 0, maxStatesForShortest: 0 };
}
