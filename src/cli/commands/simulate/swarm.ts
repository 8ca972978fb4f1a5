import type { Definition } from '../../../core/index.ts';
import { catalogue } from '../../../protocols/index.ts';
import { RunTotals, readScenario, runSeed, scenarioOf } from '../../../simulation/index.ts';
import { counted, grouped } from '../../../story/index.ts';
import { readProtocolName } from '../../input/protocol-name.ts';
import { Refusal } from '../../input/refusal.ts';
import { onInterrupt } from '../../terminal/interrupt.ts';
import { pageOf } from '../../terminal/page.ts';
import { Progress } from '../../terminal/progress.ts';
import { readJobs, readOverrides, readRuns, refuseTooManySeeds, type SimulateFlags } from './flags.ts';
import { runSeeds } from './many-runs.ts';
import { refuseUnwritable } from './scenario-file.ts';
import { type Shrinking, shrinkAndKeep } from './shrinking.ts';
import type { ExitCode } from './simulate.ts';
import { failureLines, shrunkLines, swarmSummary } from './swarm-summary.ts';
import { print, watchRun } from './watched-run.ts';

interface Job {
  readonly definition: Definition;
  readonly seed: number;
  readonly runs: number;
  readonly flags: SimulateFlags;
}

/** A run that failed, and the command that shows it. */
export interface Failing {
  readonly seed: number;
  readonly property: string;
  readonly detail: string;
  readonly repro: string;
}

const DEFAULT_PROTOCOL = 'epoch';
const DEFAULT_SEED = 1;
/** How many failing runs are listed; all are counted. */
const MOST_NAMED = 20;

/** Runs scenarios that are drawn from their seeds, including the faults. */
export async function swarmCommand(file: string | undefined, flags: SimulateFlags): Promise<ExitCode> {
  const job = readSwarm(file, flags);
  if (flags.shrink !== undefined) refuseUnwritable('--shrink', flags.shrink);
  if (flags.printScenario) return printScenario(job);
  return job.runs === 1 ? swarmOne(job) : swarmMany(job);
}

function readSwarm(file: string | undefined, flags: SimulateFlags): Job {
  if (file !== undefined) throw new Refusal('--swarm: expected no FILE, since every scenario is drawn');
  for (const flag of ['members', 'until'] as const) {
    if (flags[flag] !== undefined) throw new Refusal(`--${flag}: expected no --swarm, which draws it itself`);
  }
  const { seed = DEFAULT_SEED } = readOverrides(flags);
  const runs = readRuns(flags) ?? 1;
  refuseTooManySeeds(seed, runs);
  if (flags.printScenario && runs > 1) {
    throw new Refusal('--print-scenario: expected a single run, found --runs');
  }
  return {
    definition: readProtocolName(flags.protocol ?? DEFAULT_PROTOCOL, '--protocol'),
    seed,
    runs,
    flags,
  };
}

function printScenario({ definition, seed }: Job): ExitCode {
  process.stdout.write(`${JSON.stringify(scenarioOf(runSeed(definition, seed).storm), null, 2)}\n`);
  return 0;
}

async function swarmOne({ definition, seed, flags }: Job): Promise<ExitCode> {
  // Judged separately: a run with output does not stop at a failure.
  const { storm, failure } = runSeed(definition, seed);
  const scenario = scenarioOf(storm);
  const { result, lines } = await watchRun(readScenario(scenario, catalogue), seed, flags);
  const shrunk =
    failure === null || flags.shrink === undefined
      ? null
      : await shrinkAndKeep(storm, failure, definition, flags.shrink);
  const repro = reproCommand(definition, seed);
  const page = pageOf(process.stdout, process.env);
  print(flags, { ...result, swarm: true, failure, scenario, shrunk }, () => [
    ...lines(repro, page),
    ...(failure === null ? [] : failureLines({ seed, repro, ...failure }, page)),
    ...shrunkLines(shrunk, page),
  ]);
  return failure === null ? 0 : 1;
}

async function swarmMany({ definition, seed, runs, flags }: Job): Promise<ExitCode> {
  const totals = new RunTotals(definition.name, 0, seed);
  const failing: Failing[] = [];
  let done = 0;
  let failed = 0;
  const page = pageOf(process.stdout, process.env);
  const tell = (shrunk?: Shrinking | null): void => {
    // Every run has its own length.
    const { untilMs: _, ...result } = totals.result();
    print(
      flags,
      { ...result, swarm: true, failed, failing, ...(shrunk === undefined ? {} : { shrunk }) },
      () => swarmSummary(totals.result(), failed, failing, page),
    );
  };
  const progress = process.stderr.isTTY ? new Progress(process.stderr, runs) : null;
  const uninterrupted = onInterrupt(() => {
    progress?.clear();
    if (done > 0) tell();
    const advice = done === 0 ? '' : `; --seed ${seed + done} goes on`;
    process.stderr.write(`caucus: interrupted after ${grouped(done)} of ${counted(runs, 'run')}${advice}\n`);
  });
  await runSeeds({
    work: { swarm: definition.name },
    fromSeed: seed,
    runs,
    threads: readJobs(flags),
    onProgress: (done) => progress?.update(done),
    onOutcome(outcome) {
      totals.add(outcome);
      done += 1;
      if (outcome.failure === null) return;
      failed += 1;
      const { property, detail } = outcome.failure;
      const repro = reproCommand(definition, outcome.seed);
      if (failing.length < MOST_NAMED) failing.push({ seed: outcome.seed, property, detail, repro });
    },
  });
  progress?.clear();
  uninterrupted();
  if (flags.json) tell(await shrinkFirst(definition, failing, flags));
  else {
    // Failures are printed before shrinking, which may take a while.
    tell();
    const lines = shrunkLines(await shrinkFirst(definition, failing, flags), page);
    if (lines.length > 0) print(flags, {}, () => lines);
  }
  return failed > 0 ? 1 : 0;
}

async function shrinkFirst(
  definition: Definition,
  [first]: readonly Failing[],
  { json, shrink: file }: SimulateFlags,
): Promise<Shrinking | null> {
  if (first === undefined) return null;
  const { storm, failure } = runSeed(definition, first.seed);
  // With --json the scenario is printed, and a file is written only if one was named.
  const target = file ?? (json ? null : `caucus-${definition.name}-seed${first.seed}.json`);
  return failure === null ? null : shrinkAndKeep(storm, failure, definition, target);
}

function reproCommand({ name }: Definition, seed: number): string {
  return `npx caucus simulate --swarm --protocol ${name} --seed ${seed}`;
}
