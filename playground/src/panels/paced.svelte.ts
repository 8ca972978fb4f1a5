import type { Game } from '../game/game.svelte.ts';
import type { History } from '../game/history/history.ts';
import type { Timeline } from '../game/run/timeline.ts';

/**
 * The cursor at the pace of a reader: while time moves, words need not change with every frame. It always ends on the
 * exact moment that is shown, and then stops. It must be created while a component is, and ends with it.
 */
export class Paced {
  ms = $state(0);
  /** Increases when the history at that moment may have changed. */
  revision = $state(0);
  #seenMs = Number.NEGATIVE_INFINITY;
  #timer: ReturnType<typeof setTimeout> | undefined;

  readonly #game: Game;

  constructor(game: Game, everyMs: number) {
    this.#game = game;
    this.ms = game.cursorMs;
    $effect(() => {
      const { cursorMs, revision } = game;
      const show = (): void => {
        clearTimeout(this.#timer);
        this.#timer = undefined;
        this.#seenMs = performance.now();
        this.ms = game.cursorMs;
        this.revision = game.revision;
      };
      void cursorMs;
      void revision;
      const waitMs = this.#seenMs + everyMs - performance.now();
      if (waitMs <= 0) show();
      else this.#timer ??= setTimeout(show, waitMs);
    });
    $effect(() => () => clearTimeout(this.#timer));
  }

  /** Changes only for another timeline: growth is reported by `revision`. */
  readonly timeline: Timeline = $derived.by(() => this.#game.timeline);

  get history(): History {
    void this.revision;
    return this.timeline.history;
  }

  get protocol(): string {
    return this.timeline.run.protocol;
  }
}
