import type { MemberId } from './ids.ts';
import type { Json } from './json.ts';

/** `none`: takes no part yet (still looking for the others, or not a voter). */
export type Role = 'leader' | 'follower' | 'candidate' | 'none';

/** What one member believes. It may be wrong; the header of a protocol says what it promises. */
export interface View {
  readonly role: Role;
  readonly leader: MemberId | null;
  /** Null where a protocol has no terms. */
  readonly term: number | null;
  /**
   * The timer that bounds this leadership: the leader may act only while that timer is set and has not come due, even
   * if the process was too busy to notice. Null for a leadership without a lease. A lease is a timer, so no protocol
   * ever reads a clock.
   */
  readonly lease: string | null;
  /** The newest committed value and its version, if the protocol publishes; else 0 and null. */
  readonly version: number;
  readonly value: Json;
  /** The voters, as this member knows them, if the membership can change. */
  readonly members?: readonly MemberId[];
  /** The voters whose majority a leader needs, if those are not `members`; null while this member does not know them. */
  readonly electors?: readonly MemberId[] | null;
  /** What this member lacks before a leader can be elected. Omitted if it lacks nothing. */
  readonly lack?: Lack;
}

export type Lack =
  /** It has met no other voter yet. */
  | { readonly type: 'another-voter' }
  /** It was not told how many voters there are, so no majority can be counted. */
  | { readonly type: 'voter-count' }
  /** The first leader needs that many voters; these are known so far. */
  | { readonly type: 'voters'; readonly known: number; readonly of: number }
  /** These voters were told another number of voters. */
  | { readonly type: 'same-count'; readonly disputes: readonly MemberId[] }
  /** Voters whose certificates are missing before the first leader, or the first one after a change of the number. */
  | { readonly type: 'founders'; readonly missing: readonly MemberId[] };
