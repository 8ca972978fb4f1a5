/** A thread that runs the seeds it is given and returns their outcomes. */
import { parentPort, workerData } from 'node:worker_threads';
import { catalogue } from '../../../protocols/index.ts';
import {
  outcomeOf,
  readScenario,
  runWorld,
  type SwarmOutcome,
  swarmOutcome,
} from '../../../simulation/index.ts';

/**
 * `given` is a scenario as it was parsed: a checked one contains functions, which cannot be sent to a thread. `swarm`
 * names a protocol for which each seed draws a scenario.
 */
export type Work = { readonly given: unknown } | { readonly swarm: string };

export interface Chunk {
  readonly fromSeed: number;
  readonly count: number;
}

/** `fault` reports a defect of our own: a run that failed to end, with its seed. */
export type Answer =
  | { readonly chunk: Chunk; readonly outcomes: readonly SwarmOutcome[] }
  | { readonly chunk: Chunk; readonly fault: string };

function runnerOf(work: Work): (seed: number) => SwarmOutcome {
  if ('swarm' in work) return (seed) => swarmOutcome(catalogue[work.swarm]!, seed);
  const scenario = readScenario(work.given, catalogue);
  return (seed) => ({ ...outcomeOf(runWorld(scenario, seed)), failure: null });
}

const runOne = runnerOf(workerData as Work);

function run(chunk: Chunk): Answer {
  const outcomes: SwarmOutcome[] = [];
  for (let seed = chunk.fromSeed; seed < chunk.fromSeed + chunk.count; seed++) {
    try {
      outcomes.push(runOne(seed));
    } catch (error) {
      return { chunk, fault: `seed ${seed}: ${(error as Error).stack}` };
    }
  }
  return { chunk, outcomes };
}

parentPort!.on('message', (chunk: Chunk) => parentPort!.postMessage(run(chunk)));
