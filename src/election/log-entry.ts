/** One line of what a member or an engine has to tell people. */
export interface LogEntry {
  readonly level: 'info' | 'warning' | 'error';
  readonly message: string;
}
