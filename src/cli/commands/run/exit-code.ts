import { constants } from 'node:os';
import type { End } from './kept-command.ts';

/** As in a shell; a command that is not found, or cannot be run, exits with 127 or 126 by itself. */
const NOT_EXECUTABLE = 126;
const BY_SIGNAL = 128;

/** Our exit code is that of the command: its own, or 128 plus the number of the signal that killed it. */
export function exitCodeOf(end: End): number {
  switch (end.how) {
    case 'exited':
      return end.code;
    case 'killed':
      return BY_SIGNAL + constants.signals[end.signal];
    case 'not-started':
      return NOT_EXECUTABLE;
  }
}

/** How a command ended, for the log. */
export function endWords(end: End): string {
  switch (end.how) {
    case 'exited':
      return `ended with exit code ${end.code}`;
    case 'killed':
      return end.overdue
        ? `was ended by ${end.signal} before the lease could end`
        : `was ended by ${end.signal}`;
    case 'not-started':
      return `could not be started: ${end.message}`;
  }
}
