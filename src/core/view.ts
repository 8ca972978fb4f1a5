import type { MemberId } from './ids.ts';
import type { Json } from './json.ts';

/** `none`: takes no part yet (still looking for the others, or not a voter). */
export type Role = 'leader' | 'follower' | 'candidate' | 'none';

/** What one member believes. It may be wrong; what a protocol promises about it stands in its header. */
export interface View {
  readonly role: Role;
  readonly leader: MemberId | null;
  /** Null where a protocol has no terms. */
  readonly term: number | null;
  /**
   * The timer that bounds this leadership: it may act only while that timer is set and has not come due, even
   * if the process was too busy to hear of it. Null for a leadership without a lease. A lease is a timer, so
   * no protocol ever reads a clock.
   */
  readonly lease: string | null;
  /** The newest committed value and its version, where a protocol publishes; else 0 and null. */
  readonly version: number;
  readonly value: Json;
  /** Who votes, as this member knows it, where the membership can change. */
  readonly members?: readonly MemberId[];
}
