import type { Effect } from './effect.ts';
import type { Input } from './input.ts';
import { clonePlain } from './json.ts';
import type { Message, Protocol } from './protocol.ts';

/** `step` without its side effect on `state`: clone first, then step. For tests, checking and time travel. */
export function transition<S, M extends Message, T extends string>(
  protocol: Protocol<S, M, T>,
  state: S,
  input: Input<M, T>,
): { state: S; effects: Effect<M, T>[] } {
  const next = clonePlain(state);
  const effects: Effect<M, T>[] = [];
  protocol.step(next, input, effects);
  return { state: next, effects };
}
