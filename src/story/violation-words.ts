import type { Violation } from '../simulation/index.ts';
import { nameProperty } from './property-names.ts';

/**
 * Violations of one property at one moment, in the timeline of a run. What exactly happened (`detail`) is worded by the property itself, in
 * `src/properties`; the page calls a violation an alarm and words it in `playground/src/game/words/alarm-words.ts`.
 */
export function violationWords(violations: readonly Violation[]): string {
  const { property, claimed } = violations[0]!;
  const details = violations.map(({ detail }) => detail).join('; ');
  return `! ${property}, ${nameProperty(property)}: ${details}${claimed ? ' (BROKEN PROMISE)' : ''}`;
}
