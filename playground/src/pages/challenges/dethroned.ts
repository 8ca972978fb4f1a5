import type { MemberId } from '../../../../src/core/index.ts';
import type { Stretch } from '../../../../src/simulation/index.ts';
import { countUpTo } from '../../game/history/track.ts';
import type { Played } from './challenge.ts';
import { talksToMajority } from './leading.ts';

/** How long a member must have led before it counts as a healthy leader. */
const SETTLED_MS = 1000;

/**
 * A leader that stopped leading although it ran all the time and heard a majority, or why the last one does not
 * count.
 */
export function dethroned(played: Played): { found: Stretch | null; why: string | null } {
  let why: string | null = null;
  for (const stretch of played.history.claims) {
    if (stretch.toUs === null || stretch.toUs - stretch.fromUs < SETTLED_MS * 1000) continue;
    const toMs = stretch.toUs / 1000;
    if (toMs > played.headMs) continue;
    if (!wasWell(played, stretch.member, stretch.fromUs / 1000, toMs)) {
      why = `${stretch.member} stopped leading, but something was done to it.`;
    } else if (!heardMajority(played, stretch.member, stretch.fromUs / 1000, toMs)) {
      why = `${stretch.member} stopped leading, but it was cut off from a majority.`;
    } else {
      return { found: stretch, why: null };
    }
  }
  return { found: null, why };
}

function wasWell({ history }: Played, id: MemberId, fromMs: number, toMs: number): boolean {
  const { timesMs, values } = history.shots.get(id)!;
  const shots = values.slice(countUpTo(timesMs, fromMs) - 1, countUpTo(timesMs, toMs));
  return shots.every(
    ({ alive, paused, clockRate, disk }) => alive && !paused && clockRate === 1 && disk === 'none',
  );
}

function heardMajority({ history }: Played, id: MemberId, fromMs: number, toMs: number): boolean {
  const { timesMs, values } = history.blocked;
  const sets = values.slice(Math.max(0, countUpTo(timesMs, fromMs) - 1), countUpTo(timesMs, toMs));
  return sets.every((blocked) => talksToMajority(id, history.members, blocked));
}
