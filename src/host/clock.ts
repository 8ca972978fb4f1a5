/** Time, as a host needs it: monotonic, and honest about sleep. A member takes it from the system, a simulated process from its world. */
export interface HostClock {
  /** Milliseconds. It never goes back. */
  now(): number;
  /** Milliseconds since 1970, for histories: no decision rests on it. */
  wallNow(): number;
  /** How many times the machine was found to have slept. */
  readonly sleeps: number;
  /** How long the last sleep took. */
  readonly sleptMs: number;
  /** The moment that lies so far ahead. It is always later than now, so that no protocol stands still for ever. */
  after(delayMs: number): number;
  /** Calls once, never before that moment. Returns how to cancel. */
  set(atMs: number, run: () => void): () => void;
}
