import { untrack } from 'svelte';
import type { MemberId } from '../../../../src/core/index.ts';
import type { Game } from '../../game/game.svelte.ts';
import type { Entry, History } from '../../game/history/history.ts';
import { Teller } from '../../game/words/entry-words.ts';
import { Paced } from '../paced.svelte.ts';
import { type Filter, Filtered } from './filter.ts';

const BUDGET_MS = 8;

/** The lines of the log up to the cursor, and which of them are visible. */
export class LogLines {
  what: Filter['what'] = $state('all');
  member: MemberId | null = $state(null);
  text = $state('');
  /** There was not enough time yet to look at all entries. */
  isLooking = $state(false);
  readonly #game: Game;
  readonly #paced: Paced;
  #progress = $state(0);

  constructor(game: Game) {
    this.#game = game;
    this.#paced = new Paced(game, 100);
    $effect(() => {
      const { filtered } = this;
      void this.#paced.revision;
      let next = 0;
      const look = (): void => {
        const endMs = performance.now() + BUDGET_MS;
        this.isLooking = !filtered.extend(() => performance.now() < endMs);
        this.#progress += 1;
        if (this.isLooking) next = requestAnimationFrame(look);
      };
      untrack(look);
      return () => cancelAnimationFrame(next);
    });
  }

  readonly #history: History = $derived.by(() => this.#paced.timeline.history);

  readonly teller: Teller = $derived.by(() => new Teller(this.#history, this.#paced.protocol));

  get members(): readonly MemberId[] {
    return this.#paced.history.members;
  }

  readonly filtered: Filtered = $derived.by(() => {
    const { what, member, text } = this;
    const cause = what === 'cause' ? (this.#game.cause?.entries ?? null) : null;
    return new Filtered(this.#history, this.teller, { what, member, text, cause });
  });

  readonly count: number = $derived.by(() => {
    void this.#progress;
    return this.filtered.countAt(this.#paced.ms);
  });

  entryAt(line: number): Entry | undefined {
    return this.#history.entries[this.filtered.found[line] ?? -1];
  }
}
