/**
 * Bugs planted in `quorum`, each a small patch over its source. A suite that does not catch them is not worth its time: every
 * one falls to the swarm, to a directed run, to the explorer, or to a rule of one member.
 *
 * Two that are known from other elections cannot be planted. A lease on the wall clock cannot be written, since a protocol has no
 * clock to read. And a refusal that is counted as a vote cannot happen, since a member that refuses a vote keeps silent.
 *
 * Three that look like bugs change nothing that is promised. Consent that releases promises of any term: it travels in a vote for
 * a later term than its own. A newer promise is one to the winner of that very term, which no other can win; an older one is to a
 * leader whose lease was over when the leader that consents won. A resignation that breaks whatever promise there is: a follower
 * of the leader that resigns has promised it no later round, and any other promise is older than its leadership. And a candidate
 * that votes for another in the term that it asks for: from then on it follows, and no vote for itself in that term counts.
 *
 * Some rules hold twice, so that no run shows when one of them is broken. In one term, for example, no two processes of a name can
 * lead, since votes are given to processes; so an answer to an earlier process never comes in the term of a later one. Such rules
 * are looked at in one member (rules.ts).
 */
import { deputies } from './mutants/deputies.ts';
import { disks } from './mutants/disks.ts';
import { handovers } from './mutants/handovers.ts';
import { leases } from './mutants/leases.ts';
import { liveness } from './mutants/liveness.ts';
import { memberships } from './mutants/memberships.ts';
import type { Mutant } from './mutants/mutant.ts';
import { registers } from './mutants/registers.ts';
import { timings } from './mutants/timings.ts';
import { votes } from './mutants/votes.ts';

export const mutants: readonly Mutant[] = [
  ...votes,
  ...leases,
  ...handovers,
  ...liveness,
  ...registers,
  ...memberships,
  ...disks,
  ...timings,
  ...deputies,
];
