import type { MemberId } from '../../../src/core/index.ts';
import type { Action, WorldEvent } from '../../../src/simulation/index.ts';
import type { Frame } from '../game/history/frame.ts';
import type { History } from '../game/history/history.ts';
import type { Selection } from '../game/selection.ts';

/** What the stage's logic needs of a game. The page's own `Game` has it all. */
export interface StageGame {
  readonly frame: Frame;
  readonly history: History;
  readonly timeline: { readonly events: readonly WorldEvent[] };
  readonly cursorMs: number;
  readonly headMs: number;
  readonly isPlaying: boolean;
  readonly selection: Selection | null;
  speed: number;
  notice: string;
  play(): void;
  pause(): void;
  seek(ms: number): void;
  tick(count: number): void;
  step(forward: boolean): void;
  act(...actions: readonly Action[]): void;
  select(selection: Selection | null): void;
}

/** The leader, as far as one can say: of several that claim it, the one with the newest term. */
export function leaderOf({ claiming }: Frame): MemberId | null {
  let leader: (typeof claiming)[number] | null = null;
  for (const each of claiming) if (leader === null || (each.term ?? 0) >= (leader.term ?? 0)) leader = each;
  return leader?.member ?? null;
}
