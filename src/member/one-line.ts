const LONGEST_LINE = 400;

/** Whatever a name or a message holds, what is printed is one line of harmless text. */
export function oneLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what must not reach a terminal.
  const line = text.trim().replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ');
  return line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE - 1)}…` : line;
}
