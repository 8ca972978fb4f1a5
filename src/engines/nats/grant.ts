import type { Grant } from '../lease/lease-store.ts';

export interface NatsGrant extends Grant {
  /** Distinguishes this grant from all others. */
  readonly attempt: number;
  /** The revision of our newest write to the lease, as far as we know. */
  readonly revision: number;
}
