import type { Worker } from 'node:worker_threads';
import { type RunOutcome, type RunsResult, RunTotals, type Scenario } from '../simulation/index.ts';
import { startRunThread } from './run-thread.ts';
import type { Answer, Chunk } from './run-worker.ts';

export interface ManyRuns {
  readonly scenario: Scenario;
  /** The same scenario as it was read, for the threads. */
  readonly given: unknown;
  readonly fromSeed: number;
  readonly runs: number;
  readonly threads: number;
  /** Is told how many runs are done. */
  readonly onProgress: (done: number) => void;
}

/** Small enough that all threads end at about the same time, large enough that handing out costs nothing. */
const MOST_IN_CHUNK = 16;

/** Runs many seeds on several threads. What comes out depends on neither their number nor their pace. */
export async function runMany(many: ManyRuns): Promise<RunsResult> {
  const { scenario, given, fromSeed, runs, threads, onProgress } = many;
  const totals = new RunTotals(scenario.definition.name, scenario.untilMs, fromSeed);
  const early = new Map<number, readonly RunOutcome[]>();
  const chunks = chunksOf(many);
  let done = 0;

  /** Outcomes are added in the order of their seeds; those that come early wait. */
  function accept({ fromSeed: from }: Chunk, outcomes: readonly RunOutcome[]): void {
    early.set(from, outcomes);
    for (;;) {
      const due = early.get(fromSeed + totals.runs);
      if (due === undefined) break;
      early.delete(fromSeed + totals.runs);
      for (const outcome of due) totals.add(outcome);
    }
    done += outcomes.length;
    onProgress(done);
  }

  const workers: Worker[] = [];
  const serve = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const worker = startRunThread({ given });
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
  return totals.result();
}

function* chunksOf({ fromSeed, runs, threads }: ManyRuns): Generator<Chunk, undefined> {
  const size = Math.max(1, Math.min(MOST_IN_CHUNK, Math.floor(runs / (threads * 4))));
  for (let at = 0; at < runs; at += size) yield { fromSeed: fromSeed + at, count: Math.min(size, runs - at) };
}
