import { setImmediate } from 'node:timers/promises';
import type { Definition } from '../../../core/index.ts';
import { type Failure, type Shrunk, type Storm, scenarioOf, shrink } from '../../../simulation/index.ts';
import { counted } from '../../../story/index.ts';
import { onInterrupt } from '../../terminal/interrupt.ts';
import { quoted } from './repeat.ts';
import { writeScenario } from './scenario-file.ts';

/** A failing run that was shrunk, as it is printed. */
export interface Shrinking {
  readonly seed: number;
  readonly property: string;
  readonly detail: string;
  /** How many runs it took. */
  readonly tries: number;
  readonly scenario: object;
  /** Where it was written, and the command that replays it; null without a file. */
  readonly file: string | null;
  readonly replay: string | null;
}

const CLEAR = '\r\x1b[2K';
const REDRAW_MS = 100;

/** Shrinks a failing run, with a progress line on a terminal, and writes it if a file is given. */
export async function shrinkAndKeep(
  storm: Storm,
  failure: Failure,
  definition: Definition,
  file: string | null,
): Promise<Shrinking> {
  const { storm: small, failure: found, tries } = await shrinkSlowly(storm, failure, definition);
  const scenario = scenarioOf(small);
  if (file !== null) writeScenario('--shrink', file, scenario);
  return {
    seed: storm.seed,
    property: found.property,
    detail: found.detail,
    tries,
    scenario,
    file,
    replay: file === null ? null : `npx caucus simulate ${quoted(file)} --seed ${storm.seed}`,
  };
}

/** Pauses now and then, so that Ctrl-C works. */
async function shrinkSlowly(storm: Storm, failure: Failure, definition: Definition): Promise<Shrunk> {
  const { stderr } = process;
  const clear = (): void => {
    if (stderr.isTTY) stderr.write(CLEAR);
  };
  const uninterrupted = onInterrupt(clear);
  const pieces = shrink(storm, failure, definition);
  let drawnMs = performance.now();
  for (;;) {
    const { value, done } = pieces.next();
    if (done) {
      clear();
      uninterrupted();
      return value;
    }
    if (performance.now() - drawnMs < REDRAW_MS) continue;
    if (stderr.isTTY) stderr.write(CLEAR + shrinkLine(value).slice(0, (stderr.columns ?? 80) - 1));
    await setImmediate();
    drawnMs = performance.now();
  }
}

export function shrinkLine({ storm, tries }: Shrunk): string {
  const { seed, faults, members } = storm;
  const size = `${counted(faults.length, 'event')}, ${counted(members.length, 'member')}`;
  return `shrinking seed ${seed}: ${size} after ${counted(tries, 'run')}`;
}
