import { type Belief, eventualAgreement } from '../../properties/index.ts';
import type { World } from '../world.ts';

/**
 * L1, for the first process of each running member: null if all agree on a leader that may act, else what each believes. A leader that
 * never gets its lease back satisfies all members that name it, but no program that waits to lead.
 */
export function disagreement(world: World): string | null {
  const running = [...world.hosts.values()].filter((host) => host.alive && !host.paused);
  const beliefs = running.map(
    ({ id, view: { leader, role, members } }): Belief => ({
      id,
      leader,
      claims: role === 'leader',
      members: members ?? null,
    }),
  );
  const isMajorityEnough = world.broken.has('no-copy');
  const found = eventualAgreement.judge({ beliefs, isMajorityEnough })?.detail ?? null;
  if (found !== null || running.some((host) => host.acting)) return found;
  return 'all name one leader, and it may not act';
}
