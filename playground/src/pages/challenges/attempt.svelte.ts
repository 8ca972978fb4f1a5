import type { Game } from '../../game/game.svelte.ts';
import type { Run } from '../../game/run/run.ts';
import { type Challenge, type Standing, standingOf } from './challenge.ts';
import { LADDER } from './ladder.ts';
import { keep, type Progress, recall, withSolved } from './progress.ts';

/**
 * The challenge that is shown, the one that is being tried, and those that were solved. It outlives the panel that
 * shows it.
 */
class Attempt {
  current = $state(0);
  hints = $state(0);
  progress: Progress = $state.raw(recall());
  /** Only a run that was started here is judged. */
  #begun: { readonly id: string; readonly seed: number } | null = $state.raw(null);
  #stop: (() => void) | null = null;

  get challenge(): Challenge {
    return LADDER[this.current]!;
  }

  choose(index: number): void {
    this.current = index;
    this.hints = 0;
  }

  start(game: Game, run: Run = this.challenge.run): void {
    const { challenge } = this;
    game.start(run);
    game.notice = `Challenge ${this.current + 1}: ${challenge.goal}`;
    this.#begun = { id: challenge.id, seed: run.seed };
    this.#watch(game, challenge);
    game.play();
  }

  /** The state of the challenge that is shown; null if it is not the one being tried. */
  standing(game: Game): Standing | null {
    const { challenge } = this;
    return this.#begun?.id === challenge.id && this.#isOn(game) ? judge(game, challenge) : null;
  }

  #isOn(game: Game): boolean {
    return game.run.seed === this.#begun?.seed;
  }

  /** Reports the solution at once, whatever the visitor looks at. */
  #watch(game: Game, challenge: Challenge): void {
    this.#stop?.();
    let wasSolved = false;
    this.#stop = $effect.root(() => {
      $effect(() => {
        if (challenge.par === null || !this.#isOn(game)) return;
        const { solved, actionsUsed } = judge(game, challenge);
        if (solved && !wasSolved) this.#solved(game, challenge, actionsUsed);
        wasSolved = solved;
      });
    });
  }

  #solved(game: Game, challenge: Challenge, actionsUsed: number): void {
    this.progress = withSolved(this.progress, challenge.id, actionsUsed);
    keep(this.progress);
    game.notice = `“${challenge.title}” is solved, with ${actions(actionsUsed)}${isStar(challenge, actionsUsed) ? ' ★' : '.'}`;
  }
}

function judge(game: Game, challenge: Challenge): Standing {
  const { history, events, headMs } = game.timeline;
  return standingOf(challenge, { history, events, headMs });
}

export function isStar({ par }: Challenge, actionsUsed: number): boolean {
  return par !== null && actionsUsed <= par;
}

export function actions(count: number): string {
  return count === 1 ? '1 action' : `${count} actions`;
}

export const attempt: Attempt = new Attempt();
