/** Breaks a text at spaces, but keeps both ends of an arrow together. Lines after the first stand further in by `indent`. */
export function wrap(text: string, columns: number, indent: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/(?<!→) (?!→)/)) {
    if (line.trim() !== '' && line.length + 1 + word.length > columns) {
      lines.push(line);
      line = `${' '.repeat(indent)}${word}`;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}
