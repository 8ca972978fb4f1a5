import {
  asObject,
  BadInput,
  durationMs,
  type Random,
  rangeMs,
  record,
  type Shape,
  show,
  timeMs,
} from '../core/index.ts';

/**
 * The latency of a message: constant, uniform in a range, or with a tail (at least `minMs`, and `meanMs` on average,
 * exponentially distributed).
 */
export type Latency =
  | readonly [minMs: number, maxMs: number]
  | { readonly minMs: number; readonly meanMs: number };

const tail = record<{ minMs: number; meanMs: number }>({ minMs: timeMs, meanMs: durationMs });

export const latencyMs: Shape<Latency> = {
  expected: 'milliseconds, [least, most], or { "minMs", "meanMs" }',
  read(value, path) {
    if (value === 0) return [0, 0];
    if (typeof value === 'number' || Array.isArray(value)) {
      if (Array.isArray(value) && value[0] === 0 && value[1] === 0 && value.length === 2) return [0, 0];
      return rangeMs.read(value, path);
    }
    if (typeof value !== 'object') throw new BadInput(path, this.expected, show(value));
    const found = tail.read(asObject(value, path), path);
    if (found.meanMs <= found.minMs)
      throw new BadInput(`${path}.meanMs`, 'more than minMs', show(found.meanMs));
    return found;
  },
};

export function drawLatencyMs(latency: Latency, random: Random): number {
  if (!isRange(latency)) return latency.minMs + (latency.meanMs - latency.minMs) * exponential(random);
  const min = latency[0];
  const max = latency[1];
  return min === max ? min : min + (max - min) * random.fraction();
}

function isRange(latency: Latency): latency is readonly [number, number] {
  return Array.isArray(latency);
}

/**
 * An exponential variate of mean 1 by von Neumann's comparison method. It needs no logarithm, whose last digit
 * engines may round differently, so runs are equal everywhere.
 */
function exponential(random: Random): number {
  for (let whole = 0; ; whole++) {
    const first = random.fraction();
    let previous = first;
    let falls = 1;
    for (;;) {
      const next = random.fraction();
      if (next >= previous) break;
      previous = next;
      falls++;
    }
    if (falls % 2 === 1) return whole + first;
  }
}
