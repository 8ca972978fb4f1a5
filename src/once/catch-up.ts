/** What to do about fire times that have passed: run them all, the last one, or none that is older than `lateMs`. */
export type CatchUp = 'all' | 'last' | 'none';

/** The fire times of a schedule, in milliseconds since 1970. */
export interface FireTimes {
  /** The first one after this moment; null if there is none. */
  after(ms: number): number | null;
  /** The last one before this moment; null if there is none after `downTo`. */
  before(ms: number, downTo: number): number | null;
}

export interface Due {
  /** The fire time to run now; null if there is none. */
  readonly dueMs: number | null;
  /** When to look again if there is none; null if the schedule has no further fire time. */
  readonly nextMs: number | null;
}

/**
 * What is due now. `sinceMs`: the last fire time that was dealt with, or when the schedule began. A clock that was set
 * back is before `sinceMs`: then nothing is due until it has caught up, so that no fire time comes twice.
 */
export function due(
  fires: FireTimes,
  {
    sinceMs,
    openMs,
    nowMs,
    catchUp,
    lateMs,
  }: {
    readonly sinceMs: number;
    /** An occasion that has begun and not ended. */
    readonly openMs: number | null;
    readonly nowMs: number;
    readonly catchUp: CatchUp;
    readonly lateMs: number;
  },
): Due {
  const isResumed = catchUp !== 'none' || (openMs !== null && nowMs - openMs <= lateMs);
  if (openMs !== null && openMs > sinceMs && openMs <= nowMs && isResumed)
    return { dueMs: openMs, nextMs: null };
  const first = fires.after(sinceMs);
  if (first === null || first > nowMs) return { dueMs: null, nextMs: first };
  if (catchUp === 'all') return { dueMs: first, nextMs: null };
  const newest = fires.before(nowMs + 1, first - 1) ?? first;
  if (catchUp === 'last' || nowMs - newest <= lateMs) return { dueMs: newest, nextMs: null };
  return { dueMs: null, nextMs: fires.after(nowMs) };
}
