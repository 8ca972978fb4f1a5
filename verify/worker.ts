/** A process that does one job: it is told by its parent what, and answers. */
import { assertNever } from '../src/core/index.ts';
import { runComparison } from './comparing.ts';
import { runExploration } from './exploring.ts';
import type { AnswerOf, Job } from './jobs.ts';
import { runSwarm } from './swarming.ts';
import { runTrials } from './trials.ts';

function answer(job: Job): AnswerOf[Job['kind']] {
  switch (job.kind) {
    case 'explore':
      return runExploration(job);
    case 'trials':
      return runTrials(job);
    case 'compare':
      return runComparison();
    case 'swarm':
      return runSwarm(job);
    default:
      return assertNever(job);
  }
}

process.once('message', (job: Job) => {
  process.send!(answer(job), () => process.disconnect());
});
