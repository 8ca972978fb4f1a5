/** What is wrong with a run: a broken promise, no leader that all agree on, or a protocol that threw. */
export interface Failure {
  /** The name of the property, `L1` (all agree on a leader once the faults have stopped), or `error`. */
  readonly property: string;
  readonly atMs: number;
  readonly detail: string;
}
