/** Time as a leadership needs it: monotonic milliseconds, and a wake-up call. Tests pass a virtual clock. */
export interface Clock {
  now(): number;
  /** Calls back once, not before this many milliseconds have passed. Returns a function that cancels it. */
  after(delayMs: number, wake: () => void): () => void;
  /** The wall clock, in milliseconds since 1970 (default: that of the process). */
  wall?(): number;
}

export function wallOf(clock: Clock): number {
  return clock.wall?.() ?? Date.now();
}

/** Node.js fires timers with longer delays at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const processClock: Clock = {
  now: () => performance.now(),
  after(delayMs, wake) {
    // Callers check the clock again after waking, so waking early does no harm.
    const timer = setTimeout(wake, Math.min(Math.ceil(delayMs), LONGEST_TIMER_MS));
    return () => clearTimeout(timer);
  },
};

/** Whether the promise settled within this time. Never rejects, and ignores a promise that settles later. */
export async function settlesWithin(
  clock: Clock,
  promise: Promise<unknown>,
  delayMs: number,
): Promise<boolean> {
  let stop = (): void => {};
  const late = new Promise<boolean>((resolve) => {
    stop = clock.after(delayMs, () => resolve(false));
  });
  const settled = promise.then(
    () => true,
    () => true,
  );
  try {
    return await Promise.race([settled, late]);
  } finally {
    stop();
  }
}
