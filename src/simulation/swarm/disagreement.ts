import { type MemberId, majority } from '../../core/index.ts';
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
  if (found !== null || running.some((host) => host.acting) || !canAct(world)) return found;
  return 'all name one leader, and it may not act';
}

/**
 * Are the members that take part enough for a lease? Example: 1 is removed from {1, 2, 3}, then 3, and then 1 is added
 * again. The disk of 1 knows too few of {1, 2}, so it refuses them until an operator has emptied it.
 */
function canAct(world: World): boolean {
  const voters = world.hosts.get(world.leaders[0] ?? '')?.view.members ?? [];
  return voters.filter((id) => takesPart(world, id)).length >= majority(voters.length);
}

/** A removed member may have known too few of the present ones: then it takes no part until its disk is empty. */
export function takesPart(world: World, id: MemberId): boolean {
  return !world.returned.has(id) || world.hosts.get(id)?.view.role !== 'none';
}
