import { type Definition, type Pledge, readSettings } from '../core/index.ts';
import { inOrder } from './property-names.ts';

/** What it promises as long as nothing else is set. */
export function pledgesOf(definition: Definition, given: object = {}): readonly Pledge[] {
  const timing = readSettings(definition.timing, undefined, 'timing');
  const options = readSettings(definition.options, given, 'options');
  return inOrder(definition.create({ timing, options }).pledges);
}

/** Does nothing become leader without a majority behind it? */
export function needsMajority(definition: Definition, given: object = {}): boolean {
  return pledgesOf(definition, given).some(({ property }) => property === 'S4');
}

/** What it promises with one of its switches turned on, by the name of the option, where that makes a difference. */
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
