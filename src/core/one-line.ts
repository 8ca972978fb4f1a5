const LONGEST_LINE = 400;

/** Makes any name or message one line without control characters. */
export function oneLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what must not reach a terminal.
  const line = text.trim().replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ');
  return line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE - 1)}…` : line;
}

/** The same for text of several lines, or JSON: control characters are escaped. */
export function harmless(text: string): string {
  return text.replace(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the same as above, but for line feeds.
    /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
