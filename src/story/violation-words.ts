import type { Violation } from '../simulation/index.ts';
import { nameProperty } from './property-names.ts';

/**
 * Violations of one property at one moment, in the timeline of a run. What exactly happened (`detail`) is worded by the property itself, in
 * `src/properties`, and why it may not have been promised, in `property-names.ts`. The page calls a violation an alarm and words it in
 * `playground/src/game/words/alarm-words.ts`; the summary of `caucus simulate` is in `src/cli/commands/simulate/promises.ts`.
 */
export function violationWords(violations: readonly Violation[]): string {
  const { property, claimed } = violations[0]!;
  const details = violations.map(({ detail }) => detail).join('; ');
  return `! ${property}, ${nameProperty(property)}: ${details}${claimed ? ' (BROKEN PROMISE)' : ''}`;
}
