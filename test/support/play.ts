import { catalogue } from '../../src/protocols/index.ts';
import { type Result, readScenario, simulate, type WorldOptions } from '../../src/simulation/index.ts';

/** Runs a scenario as it would stand in a file. Messages and reports are frozen, to catch shared state. */
export function play(scenario: object, seed = 1, options: WorldOptions = {}): Result {
  return simulate(readScenario(scenario, catalogue), seed, { freeze: true, ...options });
}
