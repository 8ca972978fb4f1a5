import { resultOf } from '../src/cli/commands/check/result.ts';
import { type Bounds, Explorer } from '../src/exploration/index.ts';
import { catalogue } from '../src/protocols/index.ts';
import { readScenario } from '../src/simulation/index.ts';
import { faults } from './faults.ts';
import type { Explored, ExploreJob } from './jobs.ts';
import { processorSeconds, say } from './say.ts';
import { baseOf, protocolOf, type Subject, subjectNamed, subjects } from './subjects.ts';

const MEMBERS = 3;
/** Few: some states take a tenth of a second, and the time is looked at in between. */
const STATES_AT_A_TIME = 50;
const SAY_EVERY_MS = 15_000;
/** Nothing that only matters to the command. */
const PLAIN = { fingerprints: false, progressS: null };
/** From so many states it is tried whether all come to agree. */
const SAMPLES = 200;

/** An exploration that has taken so much processor time is given up, and called incomplete. */
const MOST_SECONDS: Readonly<Record<string, number>> = { quorum: 240 };
const MOST_SECONDS_OF_OTHERS = 30;

/**
 * With these, `quorum` can be explored completely within four minutes of processor time each, or nearly. Two terms with a crash
 * take longer than that.
 */
const QUORUM: Readonly<Record<string, Partial<Bounds>>> = {
  network: { terms: 2, crashes: 0 },
  crash: { terms: 1, crashes: 1 },
  disk: { terms: 1, crashes: 1, amnesia: 1 },
  evidence: { terms: 1, crashes: 0, evidence: 1 },
};

/** One command of a user in each history, in one term. With `publish` there are too many states for the time. */
const QUORUM_COMMANDS: readonly Partial<Bounds>[] = ([['resign', 'transfer'], ['publish']] as const).map(
  (types) => ({ terms: 1, crashes: 0, commands: { most: 1, types } }),
);

function boundsFor(subject: Subject, fault: string, usual: Partial<Bounds>): Partial<Bounds> | null {
  if (subject.name === 'quorum') return QUORUM[fault] ?? null;
  return { terms: usual.amnesia ? 1 : 2, ...usual };
}

/** Every exploration, the longest first. */
export function explorations(): readonly ExploreJob[] {
  const rows = subjects.toReversed().flatMap((subject) =>
    faults.flatMap((fault): ExploreJob[] => {
      const bounds = fault.bounds === null ? null : boundsFor(subject, fault.name, fault.bounds);
      return bounds === null ? [] : [{ kind: 'explore', subject: subject.name, fault: fault.name, bounds }];
    }),
  );
  const commands = QUORUM_COMMANDS.map(
    (bounds): ExploreJob => ({ kind: 'explore', subject: 'quorum', fault: null, bounds }),
  );
  return [...commands, ...rows];
}

export function runExploration(job: ExploreJob): Explored {
  const subject = subjectNamed(job.subject);
  const { maxStates, isExact } = subject;
  const base = { ...baseOf(subject), members: MEMBERS };
  const scenario = readScenario(base, catalogue);
  const exploring = {
    protocol: protocolOf(subject),
    members: scenario.members,
    bounds: job.bounds,
    covering: !isExact,
    maxStates,
    maxStatesForShortest: Math.min(maxStates, 300_000),
    samples: SAMPLES,
  };
  const seconds = processorSeconds();
  const mostSeconds = MOST_SECONDS[subject.name] ?? MOST_SECONDS_OF_OTHERS;
  let saidMs = performance.now();
  const explorer = new Explorer(exploring);
  while (seconds() < mostSeconds && explorer.advance(STATES_AT_A_TIME)) {
    if (performance.now() - saidMs < SAY_EVERY_MS) continue;
    saidMs = performance.now();
    const { states, frontier } = explorer.progress;
    say(
      `${titleOf(job)}: ${states.toLocaleString('en-US')} states, ${frontier.toLocaleString('en-US')} to go`,
    );
  }
  const took = seconds();
  const checked = { ...scenario, base, bounds: job.bounds, maxStates, exact: isExact, ...PLAIN };
  return { job, result: resultOf(checked, exploring, explorer.result(), took, false) };
}

function titleOf({ subject, fault }: ExploreJob): string {
  return `${subject}, ${fault ?? 'commands'}`;
}
