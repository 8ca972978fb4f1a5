import { type Action, toUs } from '../../../../src/simulation/index.ts';
import type { Run } from './run.ts';
import { Timeline } from './timeline.ts';

/** One branch of a run. The first has no parent. */
export interface Branch {
  readonly id: number;
  readonly parent: number | null;
  /** Where it left its parent. */
  readonly forkMs: number;
  /** What was done there. */
  readonly actions: readonly Action[];
}

/** Timelines take memory, so those that were not used for long are computed again when needed. */
const MOST_KEPT = 6;

/**
 * All branches from one beginning. An action at the end continues the branch; an action in the past keeps the branch
 * and begins another one there.
 */
export class Tree {
  readonly branches: Branch[] = [{ id: 0, parent: null, forkMs: 0, actions: [] }];
  current = 0;
  readonly #runs: Run[];
  readonly #timelines = new Map<number, Timeline>();

  constructor(run: Run, timeline: Timeline = new Timeline(run)) {
    this.#runs = [run];
    this.#timelines.set(0, timeline);
  }

  get timeline(): Timeline {
    return this.#timelines.get(this.current)!;
  }

  /** Does something at that moment. Returns when it took effect. */
  act(actions: readonly Action[], atMs: number): number {
    const { timeline } = this;
    if (toUs(atMs) >= timeline.world.nowUs) return timeline.act(actions);
    const run = timeline.runUpTo(atMs);
    const id = this.branches.length;
    this.branches.push({ id, parent: this.current, forkMs: atMs, actions });
    this.#runs.push(run);
    this.#open(id, atMs);
    return this.timeline.act(actions);
  }

  /** Switches to another branch, which is computed as far as it was before. */
  show(id: number): void {
    if (this.branches[id] === undefined || id === this.current) return;
    this.#open(id, this.#runs[id]!.untilMs);
  }

  #open(id: number, untilMs: number): void {
    this.#runs[this.current] = this.timeline.runUpTo(this.timeline.headMs);
    this.current = id;
    const known = this.#timelines.get(id);
    const timeline = known ?? new Timeline(this.#runs[id]!);
    if (known === undefined) timeline.extendTo(untilMs);
    this.#timelines.delete(id);
    this.#timelines.set(id, timeline); // The most recently used is last.
    const oldest = this.#timelines.keys().next().value!;
    if (this.#timelines.size > MOST_KEPT) this.#timelines.delete(oldest);
  }
}
