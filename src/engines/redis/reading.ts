import { majority } from '../../core/index.ts';
import type { Reading } from '../lease/lease-store.ts';
import type { Known } from './known.ts';
import type { Lease, View } from './view.ts';

/** The leader, according to these masters: the participant that holds a majority of all. */
export function leaseOf(views: readonly View[], total: number): Lease | null {
  const counts = new Map<string, number>();
  for (const { lease } of views) {
    if (lease === null || lease.token === null) continue;
    const count = (counts.get(lease.claim) ?? 0) + 1;
    if (count >= majority(total)) return lease;
    counts.set(lease.claim, count);
  }
  return null;
}

/** Whether masters that have not answered yet could show a leader that these do not. */
export function isUndecided(views: readonly View[], pending: number, total: number): boolean {
  return leaseOf(views, total) === null && mostOfOne(views) + pending >= majority(total);
}

/** How many of these masters one claim holds at most, whether or not it leads already. */
export function mostOfOne(views: readonly View[]): number {
  const claims = views.flatMap(({ lease }) => lease?.claim ?? []);
  return Math.max(0, ...claims.map((one) => claims.filter((each) => each === one).length));
}

/** When a majority will be free, if nothing is done. Masters that did not answer count as taken. */
function freeInMs(views: readonly View[], total: number): number {
  const waits = views.map(({ lease }) => lease?.freeInMs ?? 0).sort((a, b) => a - b);
  return waits[majority(total) - 1] ?? Number.POSITIVE_INFINITY;
}

export function readingOf(views: readonly View[], total: number, known: Known): Reading {
  const { value, version } = known.published ?? { value: null, version: 0 };
  const lease = leaseOf(views, total);
  const isHeld = mostOfOne(views) >= majority(total);
  const waitMs = isHeld ? freeInMs(views, total) : Number.POSITIVE_INFINITY;
  const { leader, token } = lease ?? { leader: null, token: null };
  return { leader, token, freeInMs: Number.isFinite(waitMs) ? waitMs : null, value, version };
}
