import { isShort } from '../../game/words/seconds.ts';

interface Tick {
  readonly ms: number;
  readonly label: string;
}

/** Far enough apart that their labels never touch. */
const LEAST_PX = 72;

/** Round moments between two others, evenly spaced, with as many digits as needed to distinguish them. */
export function ticks(fromMs: number, toMs: number, pxPerMs: number): Tick[] {
  const stepMs = stepFor(LEAST_PX / pxPerMs);
  const digits = stepMs >= 1000 ? 0 : stepMs >= 100 ? 1 : stepMs >= 10 ? 2 : 3;
  const found: Tick[] = [];
  for (let i = Math.ceil(Math.max(0, fromMs) / stepMs); i * stepMs <= toMs; i++) {
    const ms = i * stepMs;
    found.push({ ms, label: isShort(toMs) ? `${ms} ms` : `${(ms / 1000).toFixed(digits)} s` });
  }
  return found;
}

/** The smallest of 1, 2, 5, 10, 20, … that is at least this long. */
function stepFor(leastMs: number): number {
  let power = 1;
  while (power * 10 <= leastMs) power *= 10;
  for (const times of [1, 2, 5]) if (power * times >= leastMs) return power * times;
  return power * 10;
}
