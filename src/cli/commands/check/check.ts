import { setImmediate } from 'node:timers/promises';
import { Explorer, type Exploring } from '../../../exploration/index.ts';
import { endingOf, exitCodeOf } from '../../terminal/interrupt.ts';
import { pageOf } from '../../terminal/page.ts';
import { refuseUnwritable, writeScenario } from '../simulate/scenario-file.ts';
import { type CheckFlags, type CheckJob, readCheck } from './flags.ts';
import { ProgressLine } from './progress-line.ts';
import { type CheckResult, resultOf } from './result.ts';
import { checkWords } from './words.ts';

/** Few enough that Ctrl-C works and the progress line moves. */
const STATES_AT_A_TIME = 2000;

/** Checks every order of events in a small cluster, and reports what can go wrong. */
export async function checkCommand(protocol: string, flags: CheckFlags): Promise<number> {
  const job = readCheck(protocol, flags);
  if (flags.scenario !== undefined) refuseUnwritable('--scenario', flags.scenario);
  const exploring = exploringOf(job);
  const { result, signal } = await explore(job, exploring);
  const written = flags.scenario === undefined ? null : writeGravest(flags.scenario, result);
  if (flags.json) {
    process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
  } else {
    const promised = exploring.protocol.pledges.map(({ property }) => property);
    const lines = checkWords(result, promised, written, pageOf(process.stdout, process.env));
    process.stdout.write(`${lines.join('\n')}\n`);
  }
  if (result.violations.some(({ claimed }) => claimed)) return 1;
  return signal === null ? 0 : exitCodeOf(signal);
}

function exploringOf({
  definition,
  timing,
  options,
  members,
  bounds,
  maxStates,
  exact,
  fingerprints,
}: CheckJob): Exploring {
  // An option that is a record may name members; then they are not symmetric.
  const symmetry = !Object.values(options).some((value) => typeof value === 'object' && value !== null);
  const protocol = definition.create({ timing, options });
  return { protocol, members, bounds, maxStates, symmetry, covering: !exact, fingerprints };
}

interface Explored {
  readonly result: CheckResult;
  /** What ended the search before its end; null if nothing did. */
  readonly signal: NodeJS.Signals | null;
}

async function explore(job: CheckJob, exploring: Exploring): Promise<Explored> {
  const explorer = new Explorer(exploring);
  const progress = new ProgressLine(job.progressS);
  const startedMs = performance.now();
  const ending = endingOf(() => progress.clear());
  while (ending.signal === null && explorer.advance(STATES_AT_A_TIME)) {
    progress.show(explorer.progress, performance.now() - startedMs);
    await setImmediate();
  }
  progress.clear();
  ending.forget();
  const seconds = (performance.now() - startedMs) / 1000;
  return { result: resultOf(job, exploring, explorer.result(), seconds), signal: ending.signal };
}

/** Writes the scenario of the gravest violation. Returns the file's name, or null if there was nothing to write. */
function writeGravest(file: string, { violations }: CheckResult): string | null {
  const replayable = violations.filter(({ replays }) => replays);
  const gravest = replayable.find(({ claimed }) => claimed) ?? replayable[0];
  if (gravest === undefined) return null;
  writeScenario('--scenario', file, gravest.scenario!);
  return file;
}
