import type { Run } from '../run/run.ts';
import type { Target } from './shrink.ts';
import type { ShrinkOrder, ShrinkReport } from './shrink-worker.ts';

/** Shrinks a run in a separate thread, so that the page stays responsive. */
export class Shrinker {
  /** Null if nothing was requested. */
  report: ShrinkReport | null = $state.raw(null);
  problem = $state('');
  isBusy = $state(false);
  #worker: Worker | null = null;

  start(run: Run, target: Target): void {
    this.cancel();
    const worker = new Worker(new URL('./shrink-worker.ts', import.meta.url), { type: 'module' });
    this.#worker = worker;
    this.isBusy = true;
    worker.onmessage = ({ data }: MessageEvent<ShrinkReport>) => {
      this.report = data;
      if (data.isDone) this.#end();
    };
    worker.onerror = () => {
      this.problem = 'This browser could not run it in the background.';
      this.#end();
    };
    worker.postMessage({ run, target } satisfies ShrinkOrder);
  }

  cancel(): void {
    this.#end();
    this.report = null;
    this.problem = '';
  }

  #end(): void {
    this.#worker?.terminate();
    this.#worker = null;
    this.isBusy = false;
  }
}
