/** A thread that runs the seeds it is handed and answers with their outcomes. */
import { parentPort, workerData } from 'node:worker_threads';
import { catalogue } from '../protocols/index.ts';
import { outcomeOf, type RunOutcome, readScenario, runWorld } from '../simulation/index.ts';

/** `given` is the scenario as it was read: a checked one holds functions, which cannot travel. */
export interface Work {
  readonly given: unknown;
}

export interface Chunk {
  readonly fromSeed: number;
  readonly count: number;
}

/** `fault` tells of a defect of our own: a run that did not come to an end, with its seed. */
export type Answer =
  | { readonly chunk: Chunk; readonly outcomes: readonly RunOutcome[] }
  | { readonly chunk: Chunk; readonly fault: string };

const scenario = readScenario((workerData as Work).given, catalogue);

function run(chunk: Chunk): Answer {
  const outcomes: RunOutcome[] = [];
  for (let seed = chunk.fromSeed; seed < chunk.fromSeed + chunk.count; seed++) {
    try {
      outcomes.push(outcomeOf(runWorld(scenario, seed)));
    } catch (error) {
      return { chunk, fault: `seed ${seed}: ${(error as Error).stack}` };
    }
  }
  return { chunk, outcomes };
}

parentPort!.on('message', (chunk: Chunk) => parentPort!.postMessage(run(chunk)));
