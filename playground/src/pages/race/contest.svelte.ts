import type { Action } from '../../../../src/simulation/index.ts';
import { type Frame, frameAt } from '../../game/history/frame.ts';
import type { Run } from '../../game/run/run.ts';
import { Timeline } from '../../game/run/timeline.ts';
import { type Score, scoreAt } from './score.ts';

/** How long computing one frame may take before it is drawn anyway. */
const BUDGET_MS = 12;

/** Several protocols with the same faults, on one clock. */
export class Contest {
  #timelines: readonly Timeline[] = $state.raw([]);
  cursorMs = $state(0);
  isPlaying = $state(false);
  speed = $state(2);
  /** Increases whenever there is more history. */
  #revision = $state(0);

  get timelines(): readonly Timeline[] {
    void this.#revision;
    return this.#timelines;
  }

  get headMs(): number {
    return Math.min(...this.timelines.map(({ headMs }) => headMs));
  }

  /** Starts again, with the faults of the runs, from this moment on. */
  start(runs: readonly Run[], atMs: number): void {
    this.#timelines = runs.map((run) => new Timeline(run));
    for (const timeline of this.#timelines) timeline.extendTo(atMs);
    this.cursorMs = atMs;
    this.#revision += 1;
  }

  frame(index: number): Frame {
    return frameAt(this.timelines[index]!.history, this.cursorMs);
  }

  score(index: number): Score {
    return scoreAt(this.timelines[index]!.history, this.cursorMs);
  }

  /** Advances by this much time of the visitor. */
  advance(passedMs: number): void {
    if (!this.isPlaying) return;
    const wantedMs = this.cursorMs + Math.min(passedMs, 100) * this.speed;
    const endMs = performance.now() + BUDGET_MS;
    const there = this.#timelines.map((timeline) => {
      return wantedMs <= timeline.headMs || timeline.extendTo(wantedMs, () => performance.now() < endMs);
    });
    this.#revision += 1;
    this.cursorMs = there.every(Boolean) ? wantedMs : Math.max(this.cursorMs, this.headMs);
    if (this.#timelines.some(({ isFull }) => isFull)) this.isPlaying = false;
  }

  seek(ms: number): void {
    this.cursorMs = Math.max(0, Math.min(ms, this.headMs));
  }

  /** The same action for all, now. What was computed beyond this moment is computed again with it. */
  act(...actions: readonly Action[]): void {
    this.#timelines = this.#timelines.map((timeline) => {
      if (timeline.headMs <= this.cursorMs) return timeline;
      const again = new Timeline(timeline.runUpTo(this.cursorMs));
      again.extendTo(this.cursorMs);
      return again;
    });
    const moments = this.#timelines.map((timeline) => timeline.act(actions));
    this.cursorMs = Math.max(...moments);
    for (const timeline of this.#timelines) timeline.extendTo(this.cursorMs);
    this.#revision += 1;
  }
}
