import type { Property } from '../core/index.ts';

const NAMES: Readonly<Record<Property, string>> = {
  S1: 'one winner per term',
  S2: 'one vote per member and term',
  S3: 'terms never go back',
  S4: 'a majority behind every win',
  S6: 'tokens only grow',
  S9: 'one name for the leader of a term',
  S10: 'one leader at a time',
  R1: 'one value per version',
};

/** The properties by what they say, for people who do not know the numbers. */
export function nameProperty(property: string): string {
  return (NAMES as Readonly<Record<string, string>>)[property] ?? 'a property';
}
