import type { MemberId } from '../../core/index.ts';
import type { WorldEvent } from '../scenario.ts';
import { tidyMs } from '../time.ts';
import type { StormMember } from './storm.ts';

/** In timeouts: how long a member is cut off, and how long it then has to rejoin. */
const AWAY = 4;
const BACK = 4;
/** In timeouts: how long the others have to elect a leader, and how long one member then hears the leader alone. */
const CHOICE = 10;
const BESIDE = 8;
/** After the last trial all must agree once more. */
const SETTLE = 10;

/** A member is cut off from all others, and comes back. */
export interface Trial {
  readonly fromMs: number;
  readonly backMs: number;
  readonly endMs: number;
  /** This member is cut off, and it comes back to the leader alone before it hears all. */
  readonly preferred?: MemberId;
}

interface Examined {
  readonly timeoutMs: number;
  readonly members: readonly StormMember[];
}

/**
 * The first trial is for any member, the second for the leader. If one member is preferred to all others, there is a
 * third: it comes back to the leader alone, which must not transfer the leadership to a member that reaches no
 * majority.
 */
export function trialsOf(calmMs: number, { timeoutMs, members }: Examined): readonly Trial[] {
  const trial = (fromMs: number, away: number, back: number): Trial => ({
    fromMs: tidyMs(fromMs),
    backMs: tidyMs(fromMs + away * timeoutMs),
    endMs: tidyMs(fromMs + (away + back) * timeoutMs),
  });
  const first = trial(calmMs, AWAY, BACK);
  const second = trial(first.endMs, AWAY, BACK);
  const preferred = preferredOf(members);
  if (preferred === null) return [first, second];
  return [first, second, { ...trial(second.endMs, CHOICE, BESIDE), preferred }];
}

/** The member with a higher priority than every other one. */
function preferredOf(members: readonly StormMember[]): MemberId | null {
  const ranked = members.map(({ id, priority = 1 }) => ({ id, priority: Number(priority) }));
  ranked.sort((a, b) => b.priority - a.priority);
  const [first, second] = ranked;
  return first !== undefined && second !== undefined && first.priority > second.priority ? first.id : null;
}

/** When the exam is over. */
export function examEndMs(calmMs: number, examined: Examined): number {
  return tidyMs(trialsOf(calmMs, examined).at(-1)!.endMs + SETTLE * examined.timeoutMs);
}

export function examEvents(calmMs: number, examined: Examined): readonly WorldEvent[] {
  const [first, second, third] = trialsOf(calmMs, examined) as readonly [Trial, Trial, Trial?];
  const events: WorldEvent[] = [
    { atMs: first.fromMs, do: 'cut', from: 'random', to: 'all' },
    { atMs: first.backMs, do: 'heal' },
    { atMs: second.fromMs, do: 'cut', from: 'leader', to: 'all' },
    { atMs: second.backMs, do: 'heal' },
  ];
  if (third === undefined) return events;
  return [
    ...events,
    { atMs: third.fromMs, do: 'cut', from: third.preferred!, to: 'all' },
    { atMs: third.backMs, do: 'heal', from: third.preferred!, to: 'leader' },
    { atMs: third.endMs, do: 'heal' },
  ];
}
