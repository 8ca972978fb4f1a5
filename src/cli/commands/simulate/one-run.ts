import { setImmediate } from 'node:timers/promises';
import type { TraceLine } from '../../../core/index.ts';
import { type Scenario, type Violation, World } from '../../../simulation/index.ts';

/** Is notified while the run goes on. */
export interface Listener {
  line(line: TraceLine): void;
  violation?(violation: Violation): void;
}

const STEPS_AT_A_TIME = 4096;

/** Runs a scenario to its end, pausing now and then so that Ctrl-C works. */
export async function runOnce(
  scenario: Scenario,
  seed: number,
  listeners: readonly Listener[],
): Promise<World> {
  const trace = (line: TraceLine): void => {
    for (const listener of listeners) listener.line(line);
  };
  const world = new World(scenario, seed, listeners.length === 0 ? {} : { trace });
  const untilUs = Math.round(scenario.untilMs * 1000);
  let told = 0;
  for (let steps = 1; world.step(untilUs); steps++) {
    for (; told < world.violations.length; told++) {
      for (const listener of listeners) listener.violation?.(world.violations[told]!);
    }
    if (steps % STEPS_AT_A_TIME === 0) await setImmediate();
  }
  world.runUntil(scenario.untilMs);
  world.finish();
  return world;
}
