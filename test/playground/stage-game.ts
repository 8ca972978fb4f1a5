import { type Frame, frameAt } from '../../playground/src/game/history/frame.ts';
import type { History } from '../../playground/src/game/history/history.ts';
import { newRun } from '../../playground/src/game/run/presets.ts';
import type { Timeline } from '../../playground/src/game/run/timeline.ts';
import { Tree } from '../../playground/src/game/run/tree.ts';
import type { Selection } from '../../playground/src/game/selection.ts';
import type { StageGame } from '../../playground/src/stage/stage-game.ts';
import type { Action } from '../../src/simulation/index.ts';

/** A game over real timelines and branches, without a page around it. */
export class PlainGame implements StageGame {
  readonly tree: Tree;
  cursorMs = 0;
  isPlaying = false;
  speed = 1;
  notice = '';
  selection: Selection | null = null;

  constructor(protocol: string, members: number, atMs: number) {
    this.tree = new Tree(newRun(protocol, members, 7));
    this.goTo(atMs);
  }

  get timeline(): Timeline {
    return this.tree.timeline;
  }

  get history(): History {
    return this.timeline.history;
  }

  get headMs(): number {
    return this.timeline.headMs;
  }

  get frame(): Frame {
    return frameAt(this.history, this.cursorMs);
  }

  goTo(ms: number): void {
    if (ms > this.headMs) this.timeline.extendTo(ms);
    this.cursorMs = ms;
  }

  play(): void {
    this.isPlaying = true;
  }

  pause(): void {
    this.isPlaying = false;
  }

  seek(ms: number): void {
    this.cursorMs = Math.max(0, Math.min(ms, this.headMs));
  }

  tick(count: number): void {
    this.goTo(Math.max(0, this.cursorMs + count * 100));
  }

  step(forward: boolean): void {
    const { entriesMs } = this.history;
    const beyond = forward
      ? entriesMs.find((ms) => ms > this.cursorMs)
      : entriesMs.findLast((ms) => ms < this.cursorMs);
    this.cursorMs = beyond ?? this.cursorMs;
  }

  act(...actions: readonly Action[]): void {
    this.cursorMs = this.tree.act(actions, this.cursorMs);
  }

  select(selection: Selection | null): void {
    this.selection = selection;
  }
}
