/** What a protocol calls its terms. The seed of `epoch` has its own word for them. */
export function termWord(protocol: string): string {
  return protocol === 'epoch' ? 'epoch' : 'term';
}

/** "epoch 3", or nothing where a protocol has no terms. */
export function nameTerm(term: number | null, protocol: string): string {
  return term === null ? '' : `${termWord(protocol)} ${term}`;
}

/** Words that were written for every protocol, in the words of this one. */
export function inItsWords(text: string, protocol: string): string {
  return protocol === 'epoch' ? text.replace(/\bterm(s?)\b/g, 'epoch$1') : text;
}
