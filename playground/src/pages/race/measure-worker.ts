import type { Run } from '../../game/run/run.ts';
import { type Measured, measure } from './measure.ts';

/** What the page asks of this thread. To end it early, the page ends the thread. */
export interface MeasureOrder {
  readonly runs: readonly Run[];
  readonly seeds: number;
}

export interface MeasureReport {
  readonly measured: readonly Measured[];
  readonly isDone: boolean;
}

const TELL_EVERY_MS = 100;

/** All of them advance together, so that they can be compared at any moment. */
function work({ runs, seeds }: MeasureOrder): void {
  const all = runs.map((run) => measure(run, seeds));
  let toldMs = performance.now();
  for (;;) {
    const measured: Measured[] = [];
    let isDone = false;
    for (const each of all) {
      const { value, done } = each.next();
      measured.push(value);
      isDone = done === true;
    }
    if (isDone || performance.now() - toldMs > TELL_EVERY_MS) {
      postMessage({ measured, isDone } satisfies MeasureReport);
      toldMs = performance.now();
    }
    if (isDone) return;
  }
}

addEventListener('message', (event: MessageEvent<MeasureOrder>) => work(event.data));
