/**
 * Bugs planted in `quorum`, each a small patch over its source. A suite that does not catch them is not worth its time: every one
 * falls to the explorer or within 1,000 seeds of the swarm.
 *
 * Two that are known from other elections cannot be planted. A lease on the wall clock cannot be written, since a protocol has no
 * clock to read. And a refusal that is counted as a vote cannot happen, since who refuses a vote keeps silent.
 *
 * Two that look like bugs change nothing that is promised. Consent that releases promises of any term: it travels in a vote for the
 * term after its own. A newer promise is one to the winner of that very term, which nobody else can win; an older one is to a leader whose
 * lease was over when the one who consents won. And a resignation that breaks whatever promise there is: a follower of the one who
 * resigns has promised it no later round, and any other promise is older than its leadership.
 */
import { disks } from './mutants/disks.ts';
import { handovers } from './mutants/handovers.ts';
import { leases } from './mutants/leases.ts';
import { liveness } from './mutants/liveness.ts';
import { memberships } from './mutants/memberships.ts';
import type { Mutant } from './mutants/mutant.ts';
import { registers } from './mutants/registers.ts';
import { votes } from './mutants/votes.ts';

export const mutants: readonly Mutant[] = [
  ...votes,
  ...leases,
  ...handovers,
  ...liveness,
  ...registers,
  ...memberships,
  ...disks,
];
