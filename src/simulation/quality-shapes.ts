import { number, optional, type Shape } from '../core/index.ts';
import { latencyMs } from './latency.ts';
import type { LinkQuality } from './network.ts';

const chance = number(0, 1);

/** The fields of a link's quality. */
export const quality: { readonly [K in keyof LinkQuality]: Shape<LinkQuality[K]> } = {
  latencyMs,
  loss: chance,
  duplicate: chance,
  reorder: chance,
};

/** The same fields, all optional. */
export function allOptional<T>(shapes: { readonly [K in keyof T]: Shape<T[K]> }): {
  readonly [K in keyof T]: Shape<T[K] | undefined>;
} {
  const entries = Object.entries<Shape<unknown>>(shapes).map(([name, shape]) => [name, optional(shape)]);
  return Object.fromEntries(entries);
}
