/** A process that does one job: its parent sends the job, and gets the answer. */
import { assertNever } from '../src/core/index.ts';
import { runComparison } from './comparing.ts';
import { runDirected } from './directed.ts';
import { runExploration } from './exploring.ts';
import type { AnswerOf, Job } from './jobs.ts';
import { runHunt, runStand } from './mutants.ts';
import { runSupport } from './supporting.ts';
import { runSwarm } from './swarming.ts';
import { runTrials } from './trials.ts';

async function answer(job: Job): Promise<AnswerOf[Job['kind']]> {
  switch (job.kind) {
    case 'explore':
      return runExploration(job);
    case 'trials':
      return runTrials(job);
    case 'compare':
      return runComparison(job);
    case 'swarm':
      return runSwarm(job);
    case 'directed':
    case 'unscripted':
      return runDirected(job);
    case 'support':
      return runSupport(job);
    case 'hunt':
      return runHunt(job);
    case 'stand':
      return runStand();
    default:
      return assertNever(job);
  }
}

process.once('message', async (job: Job) => {
  process.send!(await answer(job), () => process.disconnect());
});
