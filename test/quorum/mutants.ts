/**
 * Bugs planted in `quorum`, each a small patch over its source. A suite that does not catch them is not worth its time: every one
 * falls to the explorer or within 1,000 seeds of the swarm.
 *
 * Two that are known from other elections cannot be planted. A lease on the wall clock cannot be written, since a protocol has no
 * clock to read. And a refusal that is counted as a vote cannot happen, since who refuses a vote keeps silent.
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
