import { fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import type { AnswerOf, Job } from './jobs.ts';

const WORKER = path.join(import.meta.dirname, 'worker.ts');

/** Does the jobs in their order, as many at once as there are cores, each in a process of its own. */
export async function runJobs(
  jobs: readonly Job[],
  onAnswer: (job: Job, answer: AnswerOf[Job['kind']]) => void,
): Promise<void> {
  const left = [...jobs];
  const serve = async (): Promise<void> => {
    for (let job = left.shift(); job !== undefined; job = left.shift()) onAnswer(job, await runJob(job));
  };
  await Promise.all(Array.from({ length: availableParallelism() }, serve));
}

function runJob(job: Job): Promise<AnswerOf[Job['kind']]> {
  return new Promise((resolve, reject) => {
    const child = fork(WORKER, { execArgv: ['--import', 'tsx'] });
    child.once('message', (answer: AnswerOf[Job['kind']]) => resolve(answer));
    child.once('error', reject);
    child.once('exit', (code) =>
      reject(new Error(`${JSON.stringify(job)} ended with ${code} and no answer`)),
    );
    child.send(job);
  });
}
