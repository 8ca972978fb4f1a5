import type { ClusterRecovery } from '../core/index.ts';
import { tenthsSince2025 } from './clock.ts';

/**
 * Terms up to this one may have been used in an election of which this member knows none. The members that a recovered
 * cluster has lost may have led it, with terms that its disk never heard of.
 */
export function spentTerms(isKnown: boolean, wallMs: number, recovery: ClusterRecovery | undefined): number {
  return Math.max(isKnown ? 0 : tenthsSince2025(wallMs), recovery?.term ?? 0);
}
