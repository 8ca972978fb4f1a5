export { harmless, oneLine } from '../../core/index.ts';

/** The user's input cannot be used. The error is one line, and the exit code is 2. */
export class Refusal extends Error {
  readonly code = 'REFUSED';
}

/** The message of a system error without its code and call: "no such file or directory". */
export function systemWords(error: unknown): string {
  const { message, code } = error as NodeJS.ErrnoException;
  if (code === 'EISDIR') return 'expected a file, found a directory';
  return /^[A-Z0-9_]+: ([^,]+)/.exec(message)?.[1] ?? code ?? message;
}

export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && typeof (error as NodeJS.ErrnoException).syscall === 'string';
}
