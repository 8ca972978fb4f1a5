import { availableParallelism } from 'node:os';
import { durationMs, integer, type MemberId, natural } from '../../../core/index.ts';
import { catalogue } from '../../../protocols/index.ts';
import { readScenario } from '../../../simulation/index.ts';
import { readProtocolName } from '../../input/protocol-name.ts';
import { Refusal } from '../../input/refusal.ts';
import { readMembers, readNumber } from '../../input/values.ts';

/** The flags of `caucus simulate`, as commander parses them: all texts. */
export interface SimulateFlags {
  readonly protocol?: string;
  readonly members?: string;
  readonly seed?: string;
  readonly runs?: string;
  readonly jobs?: string;
  readonly until?: string;
  readonly json?: boolean;
  readonly trace?: string;
  readonly swarm?: boolean;
  readonly shrink?: string;
  readonly printScenario?: boolean;
}

/** The fields of a scenario that flags can override. */
export interface Overrides {
  readonly protocol?: string;
  readonly members?: number | readonly MemberId[];
  readonly untilMs?: number;
  readonly seed?: number;
}

const MOST_RUNS = 10_000_000;
const MOST_JOBS = 256;

/** Checks every flag separately, so that an error names its flag. */
export function readOverrides(flags: SimulateFlags): Overrides {
  const { protocol, members, until, seed } = flags;
  return {
    ...(protocol === undefined ? {} : { protocol: readProtocolName(protocol, '--protocol').name }),
    ...(members === undefined ? {} : { members: readMembersFlag(members) }),
    ...(until === undefined ? {} : { untilMs: readNumber(until, '--until', durationMs) }),
    ...(seed === undefined ? {} : { seed: readNumber(seed, '--seed', natural) }),
  };
}

/** How many runs, or null for a single one that is shown in full. */
export function readRuns({ runs, jobs, trace }: SimulateFlags): number | null {
  if (runs === undefined) {
    if (jobs !== undefined) throw new Refusal('--jobs: expected --runs with it, found none');
    return null;
  }
  const count = readNumber(runs, '--runs', integer(1, MOST_RUNS));
  if (trace !== undefined) {
    throw new Refusal('--trace: expected a single run, found --runs (a trace is the history of one seed)');
  }
  return count;
}

/** On how many threads the runs are done. The result does not depend on it. */
export function readJobs({ jobs }: SimulateFlags): number {
  return jobs === undefined ? availableParallelism() : readNumber(jobs, '--jobs', integer(1, MOST_JOBS));
}

export function refuseTooManySeeds(seed: number, runs: number): void {
  if (runs - 1 <= Number.MAX_SAFE_INTEGER - seed) return;
  const most = Number.MAX_SAFE_INTEGER;
  throw new Refusal(`--runs: expected seeds up to ${most}, found ${seed} and ${runs} runs`);
}

/** Flags that need `--swarm`. */
export function refuseSwarmFlags({ shrink, printScenario }: SimulateFlags): void {
  if (shrink !== undefined) throw new Refusal('--shrink: expected --swarm with it, found none');
  if (printScenario) throw new Refusal('--print-scenario: expected --swarm with it, found none');
}

/** Errors in ids name the flag. */
function readMembersFlag(text: string): number | readonly MemberId[] {
  const members = readMembers(text);
  try {
    readScenario({ members }, catalogue);
  } catch (error) {
    throw new Refusal(`--${(error as Error).message}`);
  }
  return members;
}
