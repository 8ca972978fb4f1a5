import type { MemberId } from '../../../src/core/index.ts';
import type { Action } from '../../../src/simulation/index.ts';
import type { Cause } from './cause/cause.ts';
import { type Frame, frameAt } from './history/frame.ts';
import type { History } from './history/history.ts';
import { newRun } from './run/presets.ts';
import type { Run } from './run/run.ts';
import { decodeShare, encodeShare, type Shared } from './run/share.ts';
import type { Timeline } from './run/timeline.ts';
import { type Branch, Tree } from './run/tree.ts';
import type { Selection } from './selection.ts';

/** How long computing one frame may take before it is drawn anyway. */
const BUDGET_MS = 12;
/** How long one piece of a run that is being opened may take. */
const UNFOLD_MS = 60;
const FULL = 'This run is as long as a page can hold. Rewind and try something else, or start again.';
export const TICK_MS = 100;
export const SPEEDS: readonly number[] = [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 25];

/**
 * One run on the page: what is played, the moment that is shown, and the selection. All panels show this and act
 * through it. The worlds behind it are not observed field by field; `revision` tells that one of them has advanced.
 */
export class Game {
  #tree: Tree = $state.raw(new Tree(newRun('epoch', 5, 1)));
  /** Increases whenever there is more history, or another branch. */
  revision = $state(0);
  cursorMs = $state(0);
  isPlaying = $state(false);
  /** A long run is still being computed. */
  isUnfolding = $state(false);
  speed = $state(1);
  selection: Selection | null = $state.raw(null);
  /** The last message to the visitor: an error or a result. Empty if none. */
  notice = $state('');
  /** The cause of the alarm, while it is shown. */
  cause: Cause | null = $state.raw(null);
  /** What is known to go wrong in a run that was opened, and when. */
  found: { readonly words: string; readonly atMs: number } | null = $state.raw(null);

  /** The name of the file while a recording is shown, which cannot be changed. */
  recording: string | null = $state(null);

  readonly frame: Frame = $derived.by(() => {
    void this.revision;
    return frameAt(this.#tree.timeline.history, this.cursorMs);
  });

  get timeline(): Timeline {
    void this.revision;
    return this.#tree.timeline;
  }

  get history(): History {
    return this.timeline.history;
  }

  get run(): Run {
    return this.timeline.run;
  }

  get headMs(): number {
    return this.timeline.headMs;
  }

  get branches(): readonly Branch[] {
    void this.revision;
    return this.#tree.branches;
  }

  get branch(): number {
    void this.revision;
    return this.#tree.current;
  }

  get isAtHead(): boolean {
    return this.cursorMs >= this.headMs;
  }

  /** Starts again. The earlier run is gone. */
  start(run: Run, atMs = 0): void {
    void this.startWhole(run, atMs);
  }

  /** The same, and waits until the whole run is computed. False if another run replaced it meanwhile. */
  async startWhole(run: Run, atMs = 0): Promise<boolean> {
    const tree = new Tree(run);
    this.#show(tree, null, 0);
    await this.#unfold(tree, run.untilMs, atMs);
    return this.#tree === tree;
  }

  /** Computes a run: a long one piece by piece, so that the page stays responsive. */
  async #unfold(tree: Tree, untilMs: number, atMs: number): Promise<void> {
    const { timeline } = tree;
    const endOf = (): number => performance.now() + UNFOLD_MS;
    for (let endMs = endOf(); untilMs > 1; endMs = endOf()) {
      const isThere = timeline.extendTo(untilMs, () => performance.now() < endMs);
      if (isThere || timeline.isFull) break;
      this.isUnfolding = true;
      this.notice = `Computing the run: ${Math.floor((100 * timeline.headMs) / untilMs)} %`;
      await new Promise((resolve) => setTimeout(resolve));
      if (this.#tree !== tree) return;
    }
    if (this.isUnfolding) this.notice = '';
    this.isUnfolding = false;
    this.revision += 1;
    this.seek(atMs);
    if (timeline.isFull) this.notice = FULL;
  }

  /** Shows a recording. */
  showRecording(timeline: Timeline, name: string): void {
    this.pause();
    this.#show(new Tree(timeline.run, timeline), name, 0);
  }

  #show(tree: Tree, recording: string | null, atMs: number): void {
    this.#tree = tree;
    this.recording = recording;
    this.selection = null;
    this.cause = null;
    this.found = null;
    this.notice = '';
    this.isUnfolding = false;
    this.cursorMs = Math.min(atMs, tree.timeline.headMs);
    this.revision += 1;
  }

  play(): void {
    this.isPlaying = true;
  }

  pause(): void {
    this.isPlaying = false;
  }

  /** Advances by this much time of the visitor. */
  advance(passedMs: number): void {
    if (!this.isPlaying || this.isUnfolding) return;
    this.#goTo(this.cursorMs + Math.min(passedMs, 100) * this.speed);
  }

  seek(ms: number): void {
    this.cursorMs = Math.max(0, Math.min(ms, this.headMs));
  }

  /** One tick forward or back. What is not known yet is computed. */
  tick(count: number): void {
    this.pause();
    const ms = Math.max(0, this.cursorMs + count * TICK_MS);
    if (ms <= this.headMs) this.seek(ms);
    else this.#goTo(ms);
  }

  /** To the next entry of the history, or the one before. */
  step(forward: boolean): void {
    this.pause();
    const { entriesMs } = this.history;
    const at = this.history.countAt(this.cursorMs);
    if (!forward) {
      let before = at - 1;
      while (before >= 0 && entriesMs[before]! >= this.cursorMs) before -= 1;
      this.cursorMs = before < 0 ? 0 : entriesMs[before]!;
      return;
    }
    const { timeline } = this;
    const known = timeline.history.entries.length;
    while (timeline.history.entries.length === at && timeline.next());
    if (timeline.history.entries.length > known) this.revision += 1;
    this.cursorMs = entriesMs[at] ?? timeline.headMs;
  }

  /** Does something now. In the past, this begins another branch. */
  act(...actions: readonly Action[]): void {
    if (this.recording !== null) {
      this.notice = 'This is a recording: it can be watched, not changed.';
      return;
    }
    if (this.isUnfolding) return; // The notice says why.
    const branch = this.#tree.current;
    this.cursorMs = this.#tree.act(actions, this.cursorMs);
    if (this.#tree.current !== branch) {
      this.notice = `This is branch ${this.#tree.current}; the one before is kept.`;
      this.cause = null;
      this.found = null;
      // Indexes of one history are not valid in another.
      if (this.selection?.kind === 'entry' || this.selection?.kind === 'flight') this.selection = null;
    }
    this.revision += 1;
  }

  showBranch(id: number): void {
    this.pause();
    this.#tree.show(id);
    this.cause = null;
    this.found = null;
    this.selection = null;
    this.revision += 1;
    this.seek(this.cursorMs);
  }

  select(selection: Selection | null): void {
    this.selection = selection;
  }

  isSelected(id: MemberId): boolean {
    return this.selection?.kind === 'member' && this.selection.id === id;
  }

  /** The run up to its known end, and the moment that is shown. */
  get shared(): Shared {
    const { timeline } = this;
    return { run: timeline.runUpTo(timeline.headMs), atMs: this.cursorMs };
  }

  link(): Promise<string> {
    return encodeShare(this.shared);
  }

  async open(fragment: string): Promise<void> {
    const { run, atMs } = await decodeShare(fragment);
    this.pause();
    this.start(run, atMs);
  }

  #goTo(ms: number): void {
    const { timeline } = this;
    if (ms <= timeline.headMs) {
      this.cursorMs = ms;
      return;
    }
    const endMs = performance.now() + BUDGET_MS;
    timeline.extendTo(ms, () => performance.now() < endMs);
    // A world counts whole microseconds: the cursor is set to its end, or an action now would count as one in the
    // past.
    this.cursorMs = timeline.headMs;
    this.revision += 1;
    if (this.recording !== null) this.pause();
    if (!timeline.isFull) return;
    this.pause();
    this.notice = FULL;
  }
}
