import type { Cause } from '../core/index.ts';
import { LeadershipLost } from './errors.ts';
import type { Standing } from './seat.ts';

/** Causes of the start of a leadership; none of them says why the last one ended. */
const BEGINNINGS: readonly Cause[] = ['won', 'learned', 'started'];

/** A seat that lost and won again at once reports only the win. */
export function lossOf(election: string, { cause, detail, leader, token, held }: Standing): LeadershipLost {
  if (held !== null)
    return new LeadershipLost(election, 'lease-expired', `it was won again with token ${held.token}`);
  if (!BEGINNINGS.includes(cause)) return new LeadershipLost(election, cause, detail);
  return new LeadershipLost(
    election,
    'deposed',
    `${leader ?? 'another participant'} leads with token ${token ?? 'unknown'}`,
  );
}
