import { explained } from '../../../../src/protocols/explained.ts';

/** What a protocol calls the number of an election round. */
export function termWord(protocol: string): 'term' | 'epoch' {
  return explained[protocol]?.term ?? 'term';
}

/** The title of a column of them: "Epoch". */
export function termHeading(protocol: string): string {
  const word = termWord(protocol);
  return `${word[0]!.toUpperCase()}${word.slice(1)}`;
}

/** "epoch 3", or nothing where a protocol has no terms. */
export function nameTerm(term: number | null, protocol: string): string {
  return term === null ? '' : `${termWord(protocol)} ${term}`;
}

/** Words for all protocols, with this protocol's name for a term. */
export function inItsWords(text: string, protocol: string): string {
  const word = termWord(protocol);
  return word === 'term' ? text : text.replace(/\bterm(s?)\b/g, `${word}$1`);
}
