/**
 * Explorations that begin where a script has led: each way in which `quorum` was once broken, with today's rules and without the
 * one that stands against it; and larger clusters and changes of members, as far as a few minutes go.
 */
import { readSettings } from '../src/core/index.ts';
import { type Bounds, Explorer, type Exploring, type Setup } from '../src/exploration/index.ts';
import { quorum } from '../src/protocols/quorum/index.ts';
import { exploringOf, type FamilyName, families, led } from '../test/exploration/families.ts';
import { type MembershipName, membershipExploring, memberships } from '../test/exploration/memberships.ts';
import { exploringHunt } from '../test/quorum/hunting.ts';
import { type HuntName, hunts } from '../test/quorum/hunts.ts';
import { load } from '../test/quorum/mutate.ts';
import type { Directed, DirectedJob, UnscriptedJob } from './jobs.ts';
import { processorSeconds, say } from './say.ts';

/** An exploration that has taken so much processor time is given up, and called incomplete. */
const MOST_SECONDS = 45;
const MOST_SECONDS_UNSCRIPTED = 90;
const SAY_EVERY_MS = 15_000;
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

/** One of three members stands by as a deputy. */
const deputies: readonly HuntName[] = (Object.keys(hunts) as HuntName[]).filter(
  (name) => hunts[name].deputies !== undefined,
);

export function directedJobs(): readonly DirectedJob[] {
  const names = Object.keys(families);
  return [
    ...[...Object.keys(wide), ...deputies].map((name) => ({
      kind: 'directed' as const,
      name,
      isPlanted: false,
    })),
    ...[false, true].flatMap((isPlanted) =>
      names.map((name) => ({ kind: 'directed' as const, name, isPlanted })),
    ),
  ];
}

/** Each is explored with today's rules; and each bug of the families in the first exploration that shows it. */
export function unscriptedJobs(): readonly UnscriptedJob[] {
  return (Object.keys(memberships) as MembershipName[]).flatMap((name) =>
    [null, ...memberships[name].shows].map((planted) => ({ kind: 'unscripted' as const, name, planted })),
  );
}

export async function runDirected(job: DirectedJob | UnscriptedJob): Promise<Directed> {
  const exploring = await exploringFor(job);
  const seconds = processorSeconds();
  const explorer = new Explorer(exploring);
  const most = job.kind === 'unscripted' ? MOST_SECONDS_UNSCRIPTED : MOST_SECONDS;
  let saidMs = performance.now();
  while (!explorer.hasBrokenPromise && seconds() < most && explorer.advance(STATES_AT_A_TIME)) {
    if (performance.now() - saidMs < SAY_EVERY_MS) continue;
    saidMs = performance.now();
    const { states: looked, frontier } = explorer.progress;
    say(`${job.name}: ${looked.toLocaleString('en-US')} states, ${frontier.toLocaleString('en-US')} to go`);
  }
  const took = seconds();
  const { bounds, states, complete, violations } = explorer.result();
  const found = violations.filter(({ claimed }) => claimed).map(({ property }) => property);
  return { job, bounds, states, complete, found, seconds: took };
}

async function exploringFor(job: DirectedJob | UnscriptedJob): Promise<Exploring> {
  if (job.kind === 'unscripted') {
    const family = job.planted === null ? null : families[job.planted as FamilyName];
    const definition =
      family === null ? quorum : await load({ name: `family ${job.planted}`, patches: family.planted });
    return membershipExploring(memberships[job.name as MembershipName], definition);
  }
  const { name, isPlanted } = job;
  const hunt = deputies.find((each) => each === name);
  if (hunt !== undefined) return exploringHunt(quorum, hunts[hunt]);
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
