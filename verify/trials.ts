import { outcomeOf, runStorm } from '../src/simulation/index.ts';
import { faults } from './faults.ts';
import type { BrokenInRuns, Example, TrialsJob, Tried } from './jobs.ts';
import { type Subject, subjectNamed } from './subjects.ts';
import { drawTrial, smallest } from './trial.ts';
import { verdictOn } from './verdict.ts';

/** Runs every seed of one kind of fault, and makes what breaks a property small. */
export function runTrials(job: TrialsJob): Tried {
  const subject = subjectNamed(job.subject);
  const fault = faults.find(({ name }) => name === job.fault)!;
  const broken = new Map<string, BrokenInRuns>();
  let changes = 0;
  for (let seed = 1; seed <= subject.runs; seed++) {
    const { world, failure } = runStorm(drawTrial(subject, fault, seed), subject.definition);
    const outcome = outcomeOf(world);
    changes += outcome.changes;
    const found = new Map(outcome.violations.map(({ property, claimed }) => [property, claimed]));
    // A member that throws, and a cluster that does not settle though it must, break something too, in every election.
    if (failure !== null) found.set(failure.property, failure.property !== 'L1' || subject.name === 'quorum');
    for (const [property, claimed] of found) {
      const known = broken.get(property);
      broken.set(property, {
        property,
        claimed: claimed || known?.claimed === true,
        runs: (known?.runs ?? 0) + 1,
        firstSeed: known?.firstSeed ?? seed,
      });
    }
  }
  const examples = examplesOf(subject, job.fault, [...broken.values()]);
  return { job, runs: subject.runs, changes, broken: [...broken.values()], examples };
}

/** As few as show all that is broken. */
function examplesOf(subject: Subject, faultName: string, broken: readonly BrokenInRuns[]): Example[] {
  const fault = faults.find(({ name }) => name === faultName)!;
  const examples: Example[] = [];
  for (const { property, firstSeed } of broken) {
    if (examples.some(({ properties }) => properties.includes(property))) continue;
    const scenario = smallest(drawTrial(subject, fault, firstSeed), property, subject);
    if (scenario === null) continue;
    const shown = verdictOn(scenario).broken;
    const properties = broken
      .map((each) => each.property)
      .filter((each) => shown.has(each) && (each !== 'L1' || property === 'L1'));
    examples.push({ scenario, properties, trace: null, isShortest: false });
  }
  return examples;
}
