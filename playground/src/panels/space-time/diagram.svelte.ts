import { untrack } from 'svelte';
import type { MemberId } from '../../../../src/core/index.ts';
import type { Game } from '../../game/game.svelte.ts';
import { LABEL_PX, laneHeight, TOP_PX, type View, yOf } from './view.ts';

const FIRST_SPAN_MS = 12_000;
const SPAN_MS: readonly [least: number, most: number] = [5, 700_000];
/** A run that is shorter than this fills the picture. */
const SHORT_MS = 1000;
const ZOOM = 1.6;
/** While it is followed, the cursor stands here, so that there is room for what comes. */
const FOLLOW_AT = 0.8;

/** The part of a run that is shown. */
export class Diagram {
  fromMs = $state(0);
  spanMs = $state(FIRST_SPAN_MS);
  widthPx = $state(0);
  heightPx = $state(0);
  scrollPx = $state(0);
  isFollowing = $state(true);
  readonly #game: Game;

  constructor(game: Game) {
    this.#game = game;
    // The cursor is always kept in view.
    $effect(() => {
      const { cursorMs } = game;
      untrack(() => this.#keepInSight(cursorMs));
    });
    // Another run, not another branch of this one.
    $effect(() => {
      void this.#branches;
      untrack(() => this.#suit());
    });
  }

  /** The same list for all branches of one run. */
  readonly #branches: Game['branches'] = $derived.by(() => this.#game.branches);

  /** The same list as long as no member joins. */
  readonly #lanes: View['lanes'] = $derived.by(() => {
    void this.#memberCount;
    return new Map(this.#timeline.history.members.map((id, lane) => [id, lane]));
  });

  readonly #timeline: Game['timeline'] = $derived.by(() => this.#game.timeline);

  readonly #memberCount: number = $derived.by(() => this.#game.history.members.length);

  readonly view: View = $derived.by(() => ({
    fromMs: this.fromMs,
    pxPerMs: Math.max(1, this.widthPx - LABEL_PX) / this.spanMs,
    widthPx: this.widthPx,
    heightPx: this.heightPx,
    scrollPx: this.scrollPx,
    lanePx: laneHeight(this.heightPx, this.#memberCount),
    lanes: this.#lanes,
  }));

  /** How tall everything is, scrolled or not. */
  get tallPx(): number {
    return TOP_PX + this.view.lanePx * this.#memberCount;
  }

  /** Are there more lanes than fit? */
  get isTall(): boolean {
    return this.tallPx > this.heightPx + 1;
  }

  /** How far to scroll so that a lane is seen; null if it is. */
  scrollTo(id: MemberId): number | null {
    const view = untrack(() => this.view);
    const lane = view.lanes.get(id);
    if (lane === undefined) return null;
    const y = yOf(view, id);
    const isSeen = y - view.lanePx / 2 >= TOP_PX && y + view.lanePx / 2 <= view.heightPx;
    return isSeen ? null : (lane + 0.5) * view.lanePx - (view.heightPx - TOP_PX) / 2;
  }

  /** Closer or farther, around a moment that stays where it is. */
  zoom(isIn: boolean, aroundMs: number = this.#game.cursorMs): void {
    const [least, most] = SPAN_MS;
    const spanMs = Math.max(least, Math.min(most, isIn ? this.spanMs / ZOOM : this.spanMs * ZOOM));
    const part = (aroundMs - this.fromMs) / this.spanMs;
    this.spanMs = spanMs;
    this.fromMs = Math.max(0, aroundMs - part * spanMs);
  }

  /** The whole run, as far as it is known. */
  fit(): void {
    this.fromMs = 0;
    this.spanMs = fitting(this.#game.headMs);
    this.isFollowing = false;
  }

  pan(byPx: number): void {
    const most = Math.max(0, this.#game.headMs - this.spanMs * 0.2);
    this.fromMs = Math.max(0, Math.min(most, this.fromMs + byPx / this.view.pxPerMs));
    this.isFollowing = false;
  }

  follow(): void {
    this.isFollowing = !this.isFollowing;
    this.#keepInSight(this.#game.cursorMs);
  }

  /** A short run that is opened fills the picture; later runs get the usual scale again. */
  #suit(): void {
    const { headMs, run } = this.#game;
    const knownMs = Math.max(headMs, run.untilMs > 1 ? run.untilMs : 0);
    this.fromMs = 0;
    if (knownMs > 0 && knownMs < SHORT_MS) this.spanMs = fitting(knownMs);
    else if (this.spanMs < SHORT_MS) this.spanMs = FIRST_SPAN_MS;
  }

  #keepInSight(ms: number): void {
    const { fromMs, spanMs } = this;
    if (this.#game.isPlaying && this.isFollowing) {
      if (ms > fromMs + spanMs * FOLLOW_AT) this.fromMs = ms - spanMs * FOLLOW_AT;
      else if (ms < fromMs) this.fromMs = ms;
      return;
    }
    if (this.#game.isPlaying) return;
    if (ms < fromMs) this.fromMs = Math.max(0, ms - spanMs * 0.1);
    else if (ms > fromMs + spanMs) this.fromMs = ms - spanMs * 0.9;
  }
}

/** All of it, and a little room. */
function fitting(ms: number): number {
  return Math.max(SPAN_MS[0], ms * 1.05);
}
