/**
 * Bugs planted in the host, each a small patch over its source, and in the seat of a program on it. The swarm finds those that break
 * what a host promises (H1 to H4), or a promise of `quorum`. The others fall to a rule: simulated clocks never sleep, the world does not
 * look at the histories of its members, a process that crashes takes what waits in its host with it, and no programs are simulated.
 */
import { causes } from './mutants/causes.ts';
import { holds } from './mutants/holds.ts';
import { hosts } from './mutants/hosts.ts';
import type { Mutant } from './mutants/mutant.ts';
import { outbox } from './mutants/outbox.ts';
import { seats } from './mutants/seats.ts';
import { timers } from './mutants/timers.ts';

export const mutants: readonly Mutant[] = [...outbox, ...hosts, ...holds, ...timers, ...causes, ...seats];
