import { availableParallelism } from 'node:os';
import { asObject, BadInput } from '../core/index.ts';
import { catalogue } from '../protocols/index.ts';
import { readScenario, resultOf, type Scenario, type World } from '../simulation/index.ts';
import { type Overrides, readOverrides, readRuns, type SimulateFlags } from './flags.ts';
import { onInterrupt } from './interrupt.ts';
import { runMany } from './many-runs.ts';
import { counted, duration } from './numbers.ts';
import { type Listener, runOnce } from './one-run.ts';
import { pageOf } from './page.ts';
import { Progress } from './progress.ts';
import { inputName, readInput } from './read-input.ts';
import { Refusal } from './refusal.ts';
import { repeatCommand } from './repeat.ts';
import { runsSummary } from './runs-summary.ts';
import { Story } from './story.ts';
import { summary } from './summary.ts';
import { timeline } from './timeline.ts';
import { TraceFile } from './trace-file.ts';

/** No promise was broken, or one was. Bad input is 2. */
export type ExitCode = 0 | 1;

const DEFAULT_SEED = 1;

interface Job {
  readonly scenario: Scenario;
  /** The scenario as it was read, with the flags in it. */
  readonly given: Readonly<Record<string, unknown>>;
  readonly seed: number;
  readonly file: string | undefined;
  readonly flags: SimulateFlags;
}

export async function simulateCommand(file: string | undefined, flags: SimulateFlags): Promise<ExitCode> {
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

/** What a newcomer wants to see, and what makes failover times worth counting: a leader dies and comes back. */
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
  const story = new Story();
  let trace: TraceFile | null = null;
  const uninterrupted = onInterrupt(() => trace?.abandon());
  let world: World;
  try {
    if (flags.trace !== undefined) trace = new TraceFile(flags.trace);
    const listeners: Listener[] = [...(flags.json ? [] : [story]), ...(trace === null ? [] : [trace])];
    world = await runOnce(scenario, seed, listeners);
    trace?.commit();
  } finally {
    trace?.abandon();
    uninterrupted();
  }
  const result = resultOf(world);
  const page = pageOf(process.stdout, process.env);
  const title = `${result.protocol}: ${counted(scenario.members.length, 'member')} for ${duration(result.untilMs)}, seed ${seed}`;
  print(flags, result, () => [
    page.paint(title, 'bold'),
    '',
    ...timeline(story, scenario, page),
    '',
    ...summary(world, result, repeatCommand(file, flags, seed), page),
  ]);
  return result.violations.some((violation) => violation.claimed) ? 1 : 0;
}

async function simulateMany({ scenario, given, seed, file, flags }: Job, runs: number): Promise<ExitCode> {
  if (runs - 1 > Number.MAX_SAFE_INTEGER - seed) {
    throw new Refusal(
      `--runs: expected seeds up to ${Number.MAX_SAFE_INTEGER}, found ${seed} and ${runs} runs`,
    );
  }
  const progress = process.stderr.isTTY ? new Progress(process.stderr, runs) : null;
  const uninterrupted = onInterrupt(() => progress?.clear());
  const result = await runMany({
    scenario,
    given,
    fromSeed: seed,
    runs,
    threads: availableParallelism(),
    onProgress: (done) => progress?.update(done),
  });
  progress?.clear();
  uninterrupted();
  const page = pageOf(process.stdout, process.env);
  print(flags, result, () => runsSummary(result, (one) => repeatCommand(file, flags, one), page));
  return result.broken.count > 0 ? 1 : 0;
}

/** Standard output holds the result and nothing else: one JSON document, or lines for people. */
function print({ json }: SimulateFlags, result: object, lines: () => readonly string[]): void {
  process.stdout.write(json ? `${JSON.stringify(result, null, 2)}\n` : `${lines().join('\n')}\n`);
}
