import { BadInput, type Json } from '../../../../src/core/index.ts';
import { catalogue } from '../../../../src/protocols/index.ts';
import { readScenario, type Scenario, type WorldEvent } from '../../../../src/simulation/index.ts';

/**
 * A run in the form of a scenario file: `caucus simulate` plays the same one. Together with its seed it determines
 * everything that is ever visible.
 */
export interface Run {
  readonly protocol: string;
  readonly members: number | readonly Json[];
  readonly options?: Readonly<Record<string, Json>>;
  readonly timing?: Readonly<Record<string, Json>>;
  readonly network?: Readonly<Record<string, Json>>;
  readonly disk?: Readonly<Record<string, Json>>;
  readonly seed: number;
  readonly untilMs: number;
  readonly events: readonly WorldEvent[];
}

export const MOST_MEMBERS = 100;
/** A day. Longer runs are for the command. */
export const LONGEST_RUN_MS = 86_400_000;

/** A run that the command can play, and a page cannot. */
export class TooLarge extends BadInput {}

/** Checks a run from outside: a link, a file. Throws BadInput that names the field and what was expected. */
export function readRun(given: unknown): Run {
  const scenario = readScenario(given, catalogue);
  const count = scenario.members.length;
  if (count > MOST_MEMBERS) {
    throw new TooLarge('members', `at most ${MOST_MEMBERS} in the playground`, String(count));
  }
  if (scenario.untilMs > LONGEST_RUN_MS) {
    throw new TooLarge('untilMs', `at most ${LONGEST_RUN_MS} in the playground`, String(scenario.untilMs));
  }
  const { protocol = 'epoch', members = 5, options, timing, network, disk } = given as Partial<Run>;
  return {
    protocol,
    members,
    ...(options === undefined ? {} : { options }),
    ...(timing === undefined ? {} : { timing }),
    ...(network === undefined ? {} : { network }),
    ...(disk === undefined ? {} : { disk }),
    seed: scenario.seed ?? 1,
    untilMs: scenario.untilMs,
    events: scenario.events,
  };
}

/** The scenario of a run, with a list of events that can grow while it is played. */
export function scenarioOf(run: Run, events: WorldEvent[]): Scenario {
  return { ...readScenario({ ...run, events: run.events }, catalogue), events };
}

export function countOf({ members }: Run): number {
  return typeof members === 'number' ? members : members.length;
}
