import { type Definition, type Pledge, readSettings } from '../core/index.ts';
import { inOrder } from './property-names.ts';

/** What it promises with the default settings. */
export function pledgesOf(definition: Definition, given: object = {}): readonly Pledge[] {
  const timing = readSettings(definition.timing, undefined, 'timing');
  const options = readSettings(definition.options, given, 'options');
  return inOrder(definition.create({ timing, options }).pledges);
}

/** Does every leader need a majority? */
export function needsMajority(definition: Definition, given: object = {}): boolean {
  return pledgesOf(definition, given).some(({ property }) => property === 'S4');
}

/** What it promises with one of its options turned on, by the name of the option, if that makes a difference. */
export function pledgesWith(definition: Definition): Map<string, readonly Pledge[]> {
  const usual = JSON.stringify(pledgesOf(definition));
  const switches = Object.keys(definition.options).filter(
    (name) => definition.options[name]!.default === false,
  );
  const found = switches.map((name): [string, readonly Pledge[]] => [
    name,
    pledgesOf(definition, { [name]: true }),
  ]);
  return new Map(found.filter(([, pledges]) => JSON.stringify(pledges) !== usual));
}
