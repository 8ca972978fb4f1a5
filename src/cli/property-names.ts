import type { Assumption, Property } from '../core/index.ts';

/** In the order in which they are told. */
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

/** What else a run of a swarm can fail by. */
const OTHERS: Readonly<Record<string, string>> = {
  L1: 'one leader for all, once the faults stop',
  L3: 'another leader soon, when one is cut off',
  L4: 'no other leader while a majority hears this one',
  L5: 'no claim to lead without a majority',
  D1: 'a start finds the last durable record',
  error: 'the protocol threw',
};

/** The properties by what they say, for people who do not know the numbers. */
export function nameProperty(property: string): string {
  return (NAMES as Readonly<Record<string, string>>)[property] ?? OTHERS[property] ?? 'a property';
}

/** The same list as S1 S2 … S10 R1. */
export function inOrder<T extends { readonly property: string }>(list: readonly T[]): T[] {
  const order = Object.keys(NAMES);
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

/** What happened that a promise had excluded. Two lost disks, or a copied one, are also one that is not as it was. */
export function nameFallen(assumptions: readonly Assumption[]): string {
  const says: readonly Assumption[] = ['one-disk', 'no-copy'];
  const isSaid = assumptions.some((each) => says.includes(each));
  const fallen = assumptions.filter((each) => each !== 'disk' || !isSaid);
  return fallen.map((each) => FALLEN[each]).join(' and ');
}
