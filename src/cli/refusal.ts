/** The user asked for something that cannot be done as asked. It is told in one line, and the exit code is 2. */
export class Refusal extends Error {
  readonly code = 'REFUSED';
}

const LONGEST_LINE = 400;

/** Whatever a name or a message holds, what is printed is one line of harmless text. */
export function oneLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what must not reach a terminal.
  const line = text.trim().replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ');
  return line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE - 1)}…` : line;
}

/** The words of a system error without its code and call: "no such file or directory". */
export function systemWords(error: unknown): string {
  const { message, code } = error as NodeJS.ErrnoException;
  if (code === 'EISDIR') return 'expected a file, found a directory';
  return /^[A-Z0-9_]+: ([^,]+)/.exec(message)?.[1] ?? code ?? message;
}

export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && typeof (error as NodeJS.ErrnoException).syscall === 'string';
}
