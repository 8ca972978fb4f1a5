import { Worker } from 'node:worker_threads';
import { type RunsResult, RunTotals, type Scenario, type SwarmOutcome } from '../../../simulation/index.ts';
import type { Answer, Chunk, Work } from './run-worker.ts';

interface Seeds {
  readonly fromSeed: number;
  readonly runs: number;
  readonly threads: number;
  /** Called with the number of runs that are done. */
  readonly onProgress: (done: number) => void;
}

export interface ManyRuns extends Seeds {
  readonly scenario: Scenario;
  /** The scenario as it was parsed, for the threads. */
  readonly given: unknown;
}

export interface SeedRuns extends Seeds {
  readonly work: Work;
  /** Called with the outcome of each seed, in their order. */
  readonly onOutcome: (outcome: SwarmOutcome) => void;
}

/** Small enough that all threads end at about the same time, large enough that distribution costs nothing. */
const MOST_IN_CHUNK = 16;

/** Adds up many runs of one scenario. The result does not depend on the number of threads or their speed. */
export async function runMany({ scenario, given, ...seeds }: ManyRuns): Promise<RunsResult> {
  const totals = new RunTotals(scenario.definition.name, scenario.untilMs, seeds.fromSeed);
  await runSeeds({ ...seeds, work: { given }, onOutcome: (outcome) => totals.add(outcome) });
  return totals.result();
}

/** Runs many seeds on several threads. */
export async function runSeeds(many: SeedRuns): Promise<void> {
  const { work, fromSeed, runs, threads, onProgress, onOutcome } = many;
  const early = new Map<number, readonly SwarmOutcome[]>();
  const chunks = chunksOf(many);
  let done = 0;
  let nextSeed = fromSeed;

  /** Outcomes are reported in the order of their seeds; early ones wait. */
  function accept({ fromSeed: from }: Chunk, outcomes: readonly SwarmOutcome[]): void {
    early.set(from, outcomes);
    for (;;) {
      const due = early.get(nextSeed);
      if (due === undefined) break;
      early.delete(nextSeed);
      nextSeed += due.length;
      for (const outcome of due) onOutcome(outcome);
    }
    done += outcomes.length;
    onProgress(done);
  }

  const workers: Worker[] = [];
  const serve = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const worker = startRunThread(work);
      workers.push(worker);
      const next = (): void => {
        const { value: chunk } = chunks.next();
        if (chunk === undefined) resolve();
        else worker.postMessage(chunk);
      };
      worker.on('error', reject);
      worker.on('exit', () => reject(new Error('a thread ended before its work was done')));
      worker.on('message', (answer: Answer) => {
        if ('fault' in answer) return reject(new Error(answer.fault));
        accept(answer.chunk, answer.outcomes);
        next();
      });
      next();
    });
  try {
    await Promise.all(Array.from({ length: Math.min(threads, runs) }, serve));
  } finally {
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
}

function* chunksOf({ fromSeed, runs, threads }: Seeds): Generator<Chunk, undefined> {
  const size = Math.max(1, Math.min(MOST_IN_CHUNK, Math.floor(runs / (threads * 4))));
  for (let at = 0; at < runs; at += size) yield { fromSeed: fromSeed + at, count: Math.min(size, runs - at) };
}

/** Starts a thread with run-worker in it, from compiled code or, during development, from source. */
function startRunThread(workerData: Work): Worker {
  if (!import.meta.url.endsWith('.ts')) {
    return new Worker(new URL('./run-worker.js', import.meta.url), { workerData });
  }
  // A new thread has to register tsx again before it can load TypeScript.
  const reader = JSON.stringify(import.meta.resolve('tsx/esm/api'));
  const file = JSON.stringify(new URL('./run-worker.ts', import.meta.url));
  const code = `import(${reader}).then((tsx) => (tsx.register(), import(${file})))`;
  return new Worker(code, { eval: true, workerData });
}
