/** Time as a leadership sees it: monotonic milliseconds, and being woken. A test hands over a virtual one. */
export interface Clock {
  now(): number;
  /** Calls back once, not before this many milliseconds have passed. Returns how to call it off. */
  after(delayMs: number, wake: () => void): () => void;
}

/** Node.js fires longer ones at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const processClock: Clock = {
  now: () => performance.now(),
  after(delayMs, wake) {
    // Whoever waits looks at the clock again, so a timer that is cut short does no harm.
    const timer = setTimeout(wake, Math.min(Math.ceil(delayMs), LONGEST_TIMER_MS));
    return () => clearTimeout(timer);
  },
};

/** Whether it settled within this time. It never rejects, and a promise that settles later is left alone. */
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
