import { type Belief, eventualAgreement } from '../../properties/index.ts';
import type { World } from '../world.ts';

/** L1, for the first process of each running member: null if all agree on a leader, else what each believes. */
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
  return eventualAgreement.judge({ beliefs, isMajorityEnough })?.detail ?? null;
}
