import { anyText, BadInput, type MemberId, natural, type Shape, show } from '../../core/index.ts';

/**
 * A voter or a leader. In an election on a store that is the name of a participant, which may be any text: other
 * programs take part there too.
 */
export const name: Shape<MemberId> = {
  expected: 'a name: a whole number or text',
  schema: {
    title: 'Name',
    description:
      'The name of a voter: a whole number or a word. On a store, that of a participant: any text.',
    anyOf: [natural.schema!, anyText.schema!],
  },
  read(found, path) {
    if (typeof found === 'string' || (Number.isSafeInteger(found) && (found as number) >= 0))
      return found as MemberId;
    throw new BadInput(path, this.expected, show(found));
  },
};
