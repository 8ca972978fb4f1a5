import type { LeaseEngineOptions, OpenEngine } from '../lease/lease-engine.ts';

/** An engine that is one participant, as a process of its own would be. */
export type Participant = OpenEngine;

/** What the suite has to be told about an engine. */
export interface EngineKit {
  /** The shortest lease that the engine takes and the machine can keep. */
  readonly leaseMs: number;
  /** Another participant. The suite closes it. */
  open(options: LeaseEngineOptions): Promise<Participant> | Participant;
  /** Makes it vanish as by `kill -9`: nothing is released, and nothing more is renewed. */
  crash(participant: Participant): Promise<void> | void;
  /** What the engine cannot do, and why: the cases about it are skipped with this reason. */
  readonly cannot?: Partial<Record<'publish' | 'crash' | 'expire' | 'wake', string>>;
}

/** One thing that every engine does. Any test runner can run it. */
export interface Case {
  readonly name: string;
  /** Why it does not apply, or null. */
  readonly skip: string | null;
  /** Rejects with what was expected and what was found. */
  run(): Promise<void>;
}
