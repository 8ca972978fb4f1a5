import { asObject, BadInput } from '../../../core/index.ts';
import { catalogue } from '../../../protocols/index.ts';
import { readScenario, type Scenario } from '../../../simulation/index.ts';
import { inputName, readInput } from '../../input/read-input.ts';
import { Refusal } from '../../input/refusal.ts';
import { onInterrupt } from '../../terminal/interrupt.ts';
import { pageOf } from '../../terminal/page.ts';
import { Progress } from '../../terminal/progress.ts';
import {
  type Overrides,
  readJobs,
  readOverrides,
  readRuns,
  refuseSwarmFlags,
  refuseTooManySeeds,
  type SimulateFlags,
} from './flags.ts';
import { runMany } from './many-runs.ts';
import { repeatCommand } from './repeat.ts';
import { runsSummary } from './runs-summary.ts';
import { print, watchRun } from './watched-run.ts';

/** Whether a promise was broken (1). Bad input is 2. */
export type ExitCode = 0 | 1;

const DEFAULT_SEED = 1;

interface Job {
  readonly scenario: Scenario;
  /** The scenario as it was parsed, with the flags in it. */
  readonly given: Readonly<Record<string, unknown>>;
  readonly seed: number;
  readonly file: string | undefined;
  readonly flags: SimulateFlags;
}

export async function simulateCommand(file: string | undefined, flags: SimulateFlags): Promise<ExitCode> {
  refuseSwarmFlags(flags);
  const runs = readRuns(flags);
  const job = await readJob(file, flags);
  return runs === null ? simulateOne(job) : simulateMany(job, runs);
}

async function readJob(file: string | undefined, flags: SimulateFlags): Promise<Job> {
  const overrides = readOverrides(flags);
  const document = file === undefined ? defaultScenario(overrides) : await readInput(file);
  try {
    const given = { ...asObject(document, ''), ...overrides };
    const scenario = readScenario(given, catalogue);
    return { scenario, given, seed: scenario.seed ?? DEFAULT_SEED, file, flags };
  } catch (error) {
    if (error instanceof BadInput && file !== undefined)
      throw new Refusal(`${inputName(file)}: ${error.message}`);
    throw error;
  }
}

/** The default: a leader dies and comes back, which shows a failover and gives failover times. */
function defaultScenario({ untilMs = 20_000 }: Overrides): object {
  return {
    untilMs,
    events: [
      { atMs: untilMs * 0.4, do: 'crash', member: 'leader' },
      { atMs: untilMs * 0.7, do: 'restart', member: 'all' },
    ],
  };
}

async function simulateOne({ scenario, seed, file, flags }: Job): Promise<ExitCode> {
  const { result, lines } = await watchRun(scenario, seed, flags);
  const repeat = repeatCommand(file, flags, seed);
  print(flags, result, () => lines(repeat, pageOf(process.stdout, process.env)));
  return result.violations.some((violation) => violation.claimed) ? 1 : 0;
}

async function simulateMany({ scenario, given, seed, file, flags }: Job, runs: number): Promise<ExitCode> {
  refuseTooManySeeds(seed, runs);
  const progress = process.stderr.isTTY ? new Progress(process.stderr, runs) : null;
  const uninterrupted = onInterrupt(() => progress?.clear());
  const result = await runMany({
    scenario,
    given,
    fromSeed: seed,
    runs,
    threads: readJobs(flags),
    onProgress: (done) => progress?.update(done),
  });
  progress?.clear();
  uninterrupted();
  const page = pageOf(process.stdout, process.env);
  print(flags, result, () => runsSummary(result, (one) => repeatCommand(file, flags, one), page));
  return result.broken.count > 0 ? 1 : 0;
}
