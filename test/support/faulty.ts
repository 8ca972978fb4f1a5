import type { Definition, Effect, Input } from '../../src/core/index.ts';

/** Spoils a step before it is taken: changes the state, adds effects, throws, or returns false to swallow the input. */
type Spoil = (state: unknown, input: Input, out: Effect[]) => unknown;

/** A protocol with a planted bug. */
export function faulty(definition: Definition, spoil: Spoil): Definition {
  return {
    ...definition,
    create(config) {
      const honest = definition.create(config);
      return {
        ...honest,
        step(state, input, out) {
          if (spoil(state, input, out) !== false) honest.step(state, input, out);
        },
      };
    },
  };
}
