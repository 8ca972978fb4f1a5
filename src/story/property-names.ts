import type { Assumption } from '../core/index.ts';
import { propertyNamed, SAFETY_NAMES } from '../properties/index.ts';

/** Other ways in which a run can fail, whatever its protocol promises. */
const OTHERS: Readonly<Record<string, string>> = {
  D1: 'a start finds the last durable record',
  H1: 'nothing leaves before its record is durable',
  H2: 'no token is used again after its lease',
  H3: 'one answer to a command',
  H4: 'a leader that gives up stops at once',
  error: 'the protocol threw',
};

/** The name of a property, or of another failure of a swarm run: for people who do not know the numbers. */
export function nameProperty(property: string): string {
  return propertyNamed(property)?.name ?? OTHERS[property] ?? 'a property';
}

/** Sorted as S1 S2 … S10 R1. */
export function inOrder<T extends { readonly property: string }>(list: readonly T[]): T[] {
  const order: readonly string[] = SAFETY_NAMES;
  return [...list].sort((a, b) => order.indexOf(a.property) - order.indexOf(b.property));
}

const FALLEN: Readonly<Record<Assumption, string>> = {
  disk: 'an empty disk',
  'one-disk': 'two members without their disks',
  'no-forgery': 'a forged message',
  clock: 'a clock beyond its drift',
  proof: 'a false proof',
  'no-copy': 'a copied disk',
};

/**
 * What happened that the promise excludes. Two lost disks, or a copied one, also break the weaker assumption `disk`.
 */
export function nameFallen(assumptions: readonly Assumption[]): string {
  const says: readonly Assumption[] = ['one-disk', 'no-copy'];
  const isSaid = assumptions.some((each) => says.includes(each));
  const fallen = assumptions.filter((each) => each !== 'disk' || !isSaid);
  return fallen.map((each) => FALLEN[each]).join(' and ');
}
