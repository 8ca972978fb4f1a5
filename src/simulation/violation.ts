import type { MemberId } from '../core/index.ts';

/** A broken property, and whether the protocol had promised it under what happened so far. */
export interface Violation {
  readonly property: string;
  readonly claimed: boolean;
  readonly atMs: number;
  readonly members: readonly MemberId[];
  readonly detail: string;
}
