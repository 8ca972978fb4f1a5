/**
 * The clock a host needs: monotonic, and it counts the times the machine slept. A member reads the system's clock, a
 * simulated process the virtual one.
 */
export interface HostClock {
  /** Milliseconds. It never goes back. */
  now(): number;
  /** Milliseconds since 1970. Only histories use it; no decision depends on it. */
  wallNow(): number;
  /** How many times the machine was found to have slept. */
  readonly sleeps: number;
  /** How long the last sleep took. */
  readonly sleptMs: number;
  /**
   * The moment this far ahead. Always later than now: a delay of 0 would let a protocol that sets the same timer
   * again loop without time passing. `nowMs`: what `now` has just returned, so that the clock need not be read again.
   */
  after(delayMs: number, nowMs?: number): number;
  /** Calls once, never before that moment. Returns how to cancel. */
  set(atMs: number, run: () => void): () => void;
}
