import { explained } from '../../../src/protocols/explained.ts';
import { type Kind, LOOKS } from '../draw/kinds.ts';

/** The kinds of messages that a protocol has, in the order in which kinds are told. */
export function kindsOf(protocol: string): Kind[] {
  const { kinds = {}, deniable = [] } = explained[protocol] ?? {};
  const found = new Set<Kind>(Object.values(kinds));
  if (deniable.length > 0) found.add('denial');
  return (Object.keys(LOOKS) as Kind[]).filter((kind) => found.has(kind));
}
