/** Invalid input of a person or another program: the field, and what was expected. */
export class BadInput extends Error {
  readonly code = 'BAD_INPUT';
  readonly path: string;
  readonly expected: string;
  readonly found: string;

  constructor(path: string, expected: string, found: string) {
    super(`${path === '' ? 'the document' : path}: expected ${expected}, found ${found}`);
    this.name = 'BadInput';
    this.path = path;
    this.expected = expected;
    this.found = found;
  }
}

/** A short rendering of a value, for the end of an error line. */
export function show(value: unknown): string {
  if (value === undefined) return 'nothing';
  // JSON writes NaN and Infinity as null.
  const isFigure = typeof value === 'bigint' || typeof value === 'number';
  const text = isFigure ? `${value}` : (write(value) ?? typeof value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}

/** A text nested too deeply to be written again may still be parsed. */
function write(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return 'something that cannot be shown';
  }
}
