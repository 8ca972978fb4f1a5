import type { MemberId } from './ids.ts';
import {
  described,
  listOf,
  matching,
  memberId,
  named,
  natural,
  openRecord,
  type Shape,
  text,
} from './shape.ts';

/**
 * After a majority of the members was lost for good, an operator made one of the others a cluster of its own (`caucus
 * recover`). All members that are added to that cluster take its recovery over.
 */
export interface ClusterRecovery {
  /** Random, so that two recoveries of one cluster differ. */
  readonly id: string;
  /** The member that was recovered, and when, by its wall clock. */
  readonly member: MemberId;
  readonly at: string;
  /** No token up to this one is given again in any election. */
  readonly term: number;
  /** The recoveries before it, the newest last. */
  readonly earlier: readonly string[];
}

/** So many earlier recoveries are remembered: members of the cluster before that are refused in less precise words. */
export const MOST_EARLIER = 10;

const moment = matching(
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
  'a time such as 2026-11-17T14:00:00.000Z',
);
const identity = text(64);

export const clusterRecovery: Shape<ClusterRecovery> = named(
  'Recovery',
  openRecord<ClusterRecovery>({
    id: described(identity, 'Members with another one refuse each other.'),
    member: described(memberId, 'The member that was recovered.'),
    at: described(moment, 'When, by the wall clock of that member.'),
    term: described(natural, 'All tokens since are larger.'),
    earlier: described(listOf(identity, MOST_EARLIER), 'The recoveries before it, the newest last.'),
  }),
);

/** "member a was recovered at 2026-11-17T14:00:00.000Z", for logs and people. */
export function recoveryWords({ member, at }: ClusterRecovery): string {
  return `member ${member} was recovered at ${at}`;
}
