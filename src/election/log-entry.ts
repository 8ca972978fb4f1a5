/** One line of the log of a member or an engine. */
export interface LogEntry {
  readonly level: 'info' | 'warning' | 'error';
  readonly message: string;
}
