import type { Run } from '../../game/run/run.ts';
import type { MeasureOrder, MeasureReport } from './measure-worker.ts';

export const SEEDS = 200;

/** Plays many seeds in a separate thread, so that the page stays responsive. */
export class Measurer {
  /** Null if nothing was requested. */
  report: MeasureReport | null = $state.raw(null);
  problem = $state('');
  isBusy = $state(false);
  #worker: Worker | null = null;

  start(runs: readonly Run[]): void {
    this.clear();
    const worker = new Worker(new URL('./measure-worker.ts', import.meta.url), { type: 'module' });
    this.#worker = worker;
    this.isBusy = true;
    worker.onmessage = ({ data }: MessageEvent<MeasureReport>) => {
      this.report = data;
      if (data.isDone) this.stop();
    };
    worker.onerror = () => {
      this.problem = 'This browser could not run it in the background.';
      this.stop();
    };
    worker.postMessage({ runs, seeds: SEEDS } satisfies MeasureOrder);
  }

  /** The measurements so far are kept. */
  stop(): void {
    this.#worker?.terminate();
    this.#worker = null;
    this.isBusy = false;
  }

  clear(): void {
    this.stop();
    this.report = null;
    this.problem = '';
  }
}
