import type { Message } from '../../../src/core/index.ts';
import { catalogue } from '../../../src/protocols/index.ts';
import { type Kind, kindOf, LOOKS } from '../draw/kinds.ts';

/** The kinds of messages that a protocol has, in the order in which kinds are told. */
export function kindsOf(protocol: string): Kind[] {
  const found = new Set<Kind>();
  for (const type of Object.keys(catalogue[protocol]?.messages ?? {})) {
    found.add(kindOf({ type }, protocol));
    // The only answers that can be no.
    if (type === 'pre-vote/answer') found.add(kindOf({ type, granted: false } as Message, protocol));
  }
  return (Object.keys(LOOKS) as Kind[]).filter((kind) => found.has(kind));
}
