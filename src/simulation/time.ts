import type { Delay } from '../core/index.ts';

/**
 * Virtual time is kept in whole microseconds, so that sums are exact and the same everywhere; people and protocols
 * use milliseconds.
 */
export function toUs(ms: number): number {
  return Math.round(ms * 1000);
}

export function toMs(us: number): number {
  return us / 1000;
}

/** Rounds to a microsecond, the resolution of the world. */
export function tidyMs(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}

export function shortestMs(delay: Delay): number {
  return typeof delay === 'number' ? delay : delay[0];
}

export function longestMs(delay: Delay): number {
  return typeof delay === 'number' ? delay : delay[1];
}
