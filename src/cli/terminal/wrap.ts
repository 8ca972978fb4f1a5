/**
 * Breaks a text at spaces, but keeps both ends of an arrow together if they fit. Lines after the first are indented
 * by `indent`. No line is longer than `columns`: a word that does not fit is cut.
 */
export function wrap(text: string, columns: number, indent: number): string[] {
  const lines: string[] = [];
  const margin = ' '.repeat(indent);
  let line = '';
  const put = (word: string): void => {
    const start = lines.length === 0 ? '' : margin;
    if (line !== '' && line.length + 1 + word.length <= columns) line = `${line} ${word}`;
    else if (line === '' && start.length + word.length <= columns) line = `${start}${word}`;
    else if (line !== '') {
      lines.push(line);
      line = '';
      put(word);
    } else if (word.includes(' ')) {
      for (const part of word.split(' ')) put(part);
    } else {
      const cut = cutAt(word, columns - start.length);
      lines.push(`${start}${word.slice(0, cut)}`);
      put(word.slice(cut));
    }
  };
  for (const word of text.split(/(?<!→) (?!→)/)) put(word);
  return line === '' && lines.length > 0 ? lines : [...lines, line];
}

/** After a punctuation sign, if there is one. */
function cutAt(word: string, most: number): number {
  const sign = /^.*[/(,:]/.exec(word.slice(0, most));
  return sign === null || sign[0].length < most / 3 ? most : sign[0].length;
}

/** Puts as many items in a line as fit. Each is given as it is measured and as it is written. */
export function packed(
  items: readonly (readonly [plain: string, written: string])[],
  columns: number,
): string[] {
  const lines: string[] = [];
  let used = 0;
  for (const [plain, written] of items) {
    if (used > 0 && used + 3 + plain.length <= columns) {
      lines.push(`${lines.pop()}   ${written}`);
      used += 3 + plain.length;
    } else {
      lines.push(written);
      used = plain.length;
    }
  }
  return lines;
}
