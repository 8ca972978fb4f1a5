import { type Result, resultOf, type Scenario, type World } from '../../../simulation/index.ts';
import { counted, duration, Story } from '../../../story/index.ts';
import { onInterrupt } from '../../terminal/interrupt.ts';
import type { Page } from '../../terminal/page.ts';
import type { SimulateFlags } from './flags.ts';
import { type Listener, runOnce } from './one-run.ts';
import { summary } from './summary.ts';
import { timeline } from './timeline.ts';
import { TraceFile } from './trace-file.ts';

/** A single run that was recorded, and how to print it. */
export interface WatchedRun {
  readonly world: World;
  readonly result: Result;
  /** `repeat` is the command that repeats the run. */
  lines(repeat: string, page: Page): string[];
}

/** Runs a scenario once, and writes its trace if a file is given. */
export async function watchRun(scenario: Scenario, seed: number, flags: SimulateFlags): Promise<WatchedRun> {
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
  const title = `${result.protocol}: ${counted(scenario.members.length, 'member')} for ${duration(result.untilMs)}, seed ${seed}`;
  return {
    world,
    result,
    lines: (repeat, page) => [
      page.paint(title, 'bold'),
      '',
      ...timeline(story, scenario, page),
      '',
      ...summary(world, result, repeat, page),
    ],
  };
}

/** Standard output has only the result: one JSON document, or lines for people. */
export function print({ json }: SimulateFlags, result: object, lines: () => readonly string[]): void {
  process.stdout.write(json ? `${JSON.stringify(result, null, 2)}\n` : `${lines().join('\n')}\n`);
}
