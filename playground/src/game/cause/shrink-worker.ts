import type { Run } from '../run/run.ts';
import { type Shrinking, shrink, type Target } from './shrink.ts';

/** What the page asks of this thread. To end it early, the page ends the thread. */
export interface ShrinkOrder {
  readonly run: Run;
  readonly target: Target;
}

export interface ShrinkReport extends Shrinking {
  readonly isDone: boolean;
}

const TELL_EVERY_MS = 100;

function work({ run, target }: ShrinkOrder): void {
  const pieces = shrink(run, target);
  let toldMs = performance.now();
  for (;;) {
    const { value, done } = pieces.next();
    if (done || performance.now() - toldMs > TELL_EVERY_MS) {
      postMessage({ ...value, isDone: done === true } satisfies ShrinkReport);
      toldMs = performance.now();
    }
    if (done) return;
  }
}

addEventListener('message', (event: MessageEvent<ShrinkOrder>) => work(event.data));
