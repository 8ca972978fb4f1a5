import type { Grant } from '../lease/lease-store.ts';

export interface NatsGrant extends Grant {
  /** What tells this grant from all others. */
  readonly attempt: number;
  /** Of our newest write to the lease, as far as we know. */
  readonly revision: number;
}
