/** When a seat makes its next call, where nothing wakes it before. */
import type { SeatAround } from './seat-around.ts';

/** Candidates that wait for a lease to expire call within this time of each other. */
const SPREAD_MS = 20;

type Pace = Pick<SeatAround, 'times' | 'clock' | 'random'>;

export function nextPollMs({ times, clock, random }: Pace): number {
  return clock.now() + times.retryMs * (1 + random() / 5);
}

/**
 * How long after its request a new lease is first renewed. Where each election renews with a request of its own, those
 * that were won at the same moment must not be renewed at the same moment for ever.
 */
export function firstRenewalMs({ times, random, spreadsRenewals }: SeatAround): number {
  return times.renewMs * (spreadsRenewals ? 1 - random() / 2 : 1);
}

/** After a reading of a lease that expires at `freeAtMs`. `asideUntilMs`: until then a candidate takes nothing. */
export function nextLookMs(pace: Pace, freeAtMs: number, asideUntilMs: number): number {
  const pollMs = nextPollMs(pace);
  const expiryMs = freeAtMs + SPREAD_MS * pace.random();
  const asideMs = asideUntilMs > pace.clock.now() ? asideUntilMs : Number.POSITIVE_INFINITY;
  return Math.min(pollMs, expiryMs, asideMs);
}

/** For a poll's interval, but no longer than a lease: one that is woken by hints alone may poll once an hour. */
export function asideUntilMs({ times, clock, random }: Pace): number {
  return clock.now() + Math.min(times.retryMs, times.leaseMs) * (1 + random());
}
