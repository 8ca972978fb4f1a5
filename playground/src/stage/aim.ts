import type { MemberId } from '../../../src/core/index.ts';
import { cutOrHeal, killOrRestart, splitOff } from './deeds.ts';
import type { Target } from './hit.ts';
import type { StageGame } from './stage-game.ts';
import { listIds } from './words.ts';

/**
 * A click selects what is there. A link that is already selected is cut or healed; with Alt, only the direction to
 * the near end.
 */
export function choose(game: StageGame, target: Target | null, isAlt: boolean): void {
  if (target === null) return game.select(null);
  switch (target.kind) {
    case 'member':
      return game.select({ kind: 'member', id: target.id });
    case 'flight':
      // A moving message cannot be clicked again, so the run pauses.
      game.pause();
      return game.select({ kind: 'flight', index: game.history.flights.placeOf(target.flight) });
    case 'link': {
      const { from: near, to: far } = target;
      if (isAlt) game.act(cutOrHeal(far, near, game.frame.blocked, true));
      else if (isChosen(game, near, far)) game.act(cutOrHeal(near, far, game.frame.blocked, false));
      if (!isChosen(game, near, far)) game.select({ kind: 'link', from: near, to: far });
    }
  }
}

function isChosen({ selection }: StageGame, a: MemberId, b: MemberId): boolean {
  if (selection?.kind !== 'link') return false;
  const { from, to } = selection;
  return (from === a && to === b) || (from === b && to === a);
}

/** A double click on a member kills it, or restarts it. */
export function toggle(game: StageGame, target: Target): void {
  if (target.kind !== 'member') return;
  const shot = game.frame.members.find((each) => each.id === target.id);
  if (shot !== undefined) game.act(...killOrRestart(shot).actions);
}

/** Splits these from the rest, with a notice. */
export function split(game: StageGame, chosen: readonly MemberId[]): void {
  const ids = game.frame.members.map((shot) => shot.id);
  const action = splitOff(chosen, ids);
  if (action === null) {
    game.notice =
      chosen.length === 0 ? 'There is no member to split off.' : 'There is no other member to split from.';
    return;
  }
  game.act(action);
  game.notice = `${listIds(chosen)} can no longer hear the rest.`;
}
