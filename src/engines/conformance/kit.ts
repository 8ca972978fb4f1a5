import type { Engine } from '../../election/index.ts';
import type { LeaseEngineOptions } from '../lease/lease-engine.ts';

/** An engine that is one participant, as a process of its own would be. */
export interface Participant extends Engine {
  /** What the others call it. */
  readonly name: string;
  close(): Promise<void>;
}

/** What the suite has to be told about an engine. */
export interface EngineKit {
  /** The shortest lease that the engine takes and the machine can keep. */
  readonly leaseMs: number;
  /** Another participant. The suite closes it. */
  open(options: LeaseEngineOptions): Promise<Participant> | Participant;
  /** Makes it vanish as by `kill -9`: nothing is released, and nothing more is renewed. Left out where `cannot` says why. */
  crash?(participant: Participant): Promise<void> | void;
  /**
   * What the engine cannot do, and why: the cases about it are skipped with this reason. `publish` a value; be made to `crash` by the
   * kit; `expire`, so that a leader which cannot renew loses it; `wake` those who wait; `ask` a leader to resign.
   */
  readonly cannot?: Partial<Record<'publish' | 'crash' | 'expire' | 'wake' | 'ask', string>>;
}

/** One thing that every engine does. Any test runner can run it. */
export interface Case {
  readonly name: string;
  /** Why it does not apply, or null. */
  readonly skip: string | null;
  /** Rejects with what was expected and what was found. */
  run(): Promise<void>;
}
