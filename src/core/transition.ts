import type { Effect } from './effect.ts';
import type { Command, Input } from './input.ts';
import { clonePlain } from './json.ts';
import type { Message, Protocol } from './protocol.ts';

/** `step` without its side effect on `state`: clone first, then step. For tests, checks and time travel. */
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

/** Why a command would be refused in this state, or null. Has no effect: it is tried on a copy. */
export function refusalOf(protocol: Protocol, state: unknown, command: Command): string | null {
  // Hosts number their commands from 1.
  for (const effect of transition(protocol, state, { type: 'command', id: 0, command }).effects) {
    if (effect.type !== 'answer' || effect.command !== 0) continue;
    return effect.outcome.status === 'refused' ? effect.outcome.reason : null;
  }
  return null;
}
