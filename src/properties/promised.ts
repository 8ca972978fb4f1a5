import type { Assumption, Pledge, Property, Protocol } from '../core/index.ts';
import { LIVENESS } from './liveness.ts';
import type { Described, SafetyProperty } from './property.ts';
import { SAFETY } from './safety.ts';

/** Is this promise still in force after what happened so far? */
export function isInForce({ assuming }: Pledge, broken: ReadonlySet<Assumption>): boolean {
  return assuming.every((assumption) => !broken.has(assumption));
}

/** Did the protocol promise this property under what happened so far? */
export function isPromised(
  { pledges }: Pick<Protocol, 'pledges'>,
  property: Property,
  broken: ReadonlySet<Assumption>,
): boolean {
  const pledge = pledges.find((each) => each.property === property);
  return pledge !== undefined && isInForce(pledge, broken);
}

/**
 * Can observations of this protocol break the property at all? The protocol tells whether it has votes; terms and
 * values show only in its reports.
 */
export function appliesTo({ needs }: SafetyProperty, protocol: Pick<Protocol, 'vote'>): boolean {
  return needs !== 'votes' || protocol.vote !== undefined;
}

/** A property by its number, safety or liveness. */
export function propertyNamed(property: string): Described | undefined {
  return [...SAFETY, ...LIVENESS].find((each) => each.property === property);
}
