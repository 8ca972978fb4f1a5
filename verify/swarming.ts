import { runSeed } from '../src/simulation/index.ts';
import type { Swarmed, SwarmJob } from './jobs.ts';
import { subjectNamed } from './subjects.ts';

/** Every kind of fault in one run, as `caucus simulate --swarm` draws them. */
export function runSwarm({ from, runs }: SwarmJob): Swarmed {
  const { definition } = subjectNamed('quorum');
  const started = process.cpuUsage();
  const failed: number[] = [];
  let steps = 0;
  for (let seed = from; seed < from + runs; seed++) {
    const { world, failure } = runSeed(definition, seed, { hash: 'moments' });
    steps += world.steps;
    if (failure !== null) failed.push(seed);
  }
  // Other jobs run beside this one: what counts is the time of the processor.
  const { user, system } = process.cpuUsage(started);
  return { runs, steps, seconds: (user + system) / 1e6, failed };
}
