import type { Engine } from '../../election/index.ts';
import type { LeaseEngineOptions } from '../lease/lease-engine.ts';

/** An engine that acts as one participant, as a separate process would. */
export interface Participant extends Engine {
  /** Its name, as other participants see it. */
  readonly name: string;
  close(): Promise<void>;
}

/** What the suite needs to know about an engine. */
export interface EngineKit {
  /** The shortest lease that the engine accepts and this machine can hold. */
  readonly leaseMs: number;
  /** Another participant, with the lease that is given: `leaseMs`, or a minute. The suite closes it. */
  open(options: LeaseEngineOptions): Promise<Participant> | Participant;
  /** Makes it vanish as by `kill -9`: nothing is released or renewed any more. Omitted where `cannot` says why. */
  crash?(participant: Participant): Promise<void> | void;
  /**
   * What the engine cannot do, and why: cases that need it are skipped with this reason. `publish` a value; be made
   * to `crash` by the kit; `expire`, so that a leader which cannot renew loses its leadership; `wake` the candidates
   * that wait; `ask` a leader to resign.
   */
  readonly cannot?: Partial<Record<'publish' | 'crash' | 'expire' | 'wake' | 'ask', string>>;
}

/** One behaviour that every engine must have. Any test runner can run it. */
export interface Case {
  readonly name: string;
  /** Why the case does not apply, or null. */
  readonly skip: string | null;
  /** Rejects with what was expected and what was found. */
  run(): Promise<void>;
}
