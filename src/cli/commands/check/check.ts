import { setImmediate } from 'node:timers/promises';
import { Explorer, type Exploring } from '../../../exploration/index.ts';
import { duration, grouped } from '../../../story/index.ts';
import { onInterrupt } from '../../terminal/interrupt.ts';
import { pageOf } from '../../terminal/page.ts';
import { refuseUnwritable, writeScenario } from '../simulate/scenario-file.ts';
import type { ExitCode } from '../simulate/simulate.ts';
import { type CheckFlags, type CheckJob, readCheck } from './flags.ts';
import { type CheckResult, resultOf } from './result.ts';
import { checkWords } from './words.ts';

/** Few enough that Ctrl-C works and the progress line moves. */
const STATES_AT_A_TIME = 2000;
const REDRAW_MS = 100;
const CLEAR = '\r\x1b[2K';

/** Checks every order of events in a small cluster, and reports what can go wrong. */
export async function checkCommand(protocol: string, flags: CheckFlags): Promise<ExitCode> {
  const job = readCheck(protocol, flags);
  if (flags.scenario !== undefined) refuseUnwritable('--scenario', flags.scenario);
  const exploring = exploringOf(job);
  const result = await explore(job, exploring);
  const written = flags.scenario === undefined ? null : writeGravest(flags.scenario, result);
  if (flags.json) {
    process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
  } else {
    const promised = exploring.protocol.pledges.map(({ property }) => property);
    const lines = checkWords(result, promised, written, pageOf(process.stdout, process.env));
    process.stdout.write(`${lines.join('\n')}\n`);
  }
  return result.violations.some(({ claimed }) => claimed) ? 1 : 0;
}

function exploringOf({
  definition,
  timing,
  options,
  members,
  bounds,
  maxStates,
  exact,
}: CheckJob): Exploring {
  // An option that is a record may name members; then they are not symmetric.
  const symmetry = !Object.values(options).some((value) => typeof value === 'object' && value !== null);
  const protocol = definition.create({ timing, options });
  return { protocol, members, bounds, maxStates, symmetry, covering: !exact };
}

async function explore(job: CheckJob, exploring: Exploring): Promise<CheckResult> {
  const explorer = new Explorer(exploring);
  const { stderr } = process;
  const startedMs = performance.now();
  let drawnMs = startedMs;
  const uninterrupted = onInterrupt(() => {
    if (stderr.isTTY) stderr.write(CLEAR);
  });
  while (explorer.advance(STATES_AT_A_TIME)) {
    const nowMs = performance.now();
    if (stderr.isTTY && nowMs - drawnMs > REDRAW_MS) {
      drawnMs = nowMs;
      stderr.write(CLEAR + progressLine(explorer, nowMs - startedMs).slice(0, (stderr.columns ?? 80) - 1));
    }
    await setImmediate();
  }
  if (stderr.isTTY) stderr.write(CLEAR);
  uninterrupted();
  const seconds = (performance.now() - startedMs) / 1000;
  return resultOf(job, exploring, explorer.result(), seconds);
}

function progressLine({ progress }: Explorer, passedMs: number): string {
  const { states, frontier, transitions } = progress;
  const speed = grouped(Math.round((states * 1000) / Math.max(passedMs, 1)));
  return `${grouped(states)} states, ${grouped(frontier)} to go, ${grouped(transitions)} transitions · ${speed} states/s · ${duration(passedMs)}`;
}

/** Writes the scenario of the gravest violation. Returns the file's name, or null if there was nothing to write. */
function writeGravest(file: string, { violations }: CheckResult): string | null {
  const replayable = violations.filter(({ replays }) => replays);
  const gravest = replayable.find(({ claimed }) => claimed) ?? replayable[0];
  if (gravest === undefined) return null;
  writeScenario('--scenario', file, gravest.scenario!);
  return file;
}
