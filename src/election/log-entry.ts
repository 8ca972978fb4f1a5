/** One line of the log of a member or an engine. */
export interface LogEntry {
  readonly level: 'info' | 'warning' | 'error';
  readonly message: string;
}

/** Where no log was given, warnings are those of the process. */
export function warnOfProcess({ message }: LogEntry): void {
  process.emitWarning(message, { type: 'CaucusWarning', code: 'CAUCUS_ELECTION' });
}
