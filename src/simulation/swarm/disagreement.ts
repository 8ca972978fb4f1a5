import { type MemberId, majority } from '../../core/index.ts';
import type { World } from '../world.ts';

/**
 * Null if exactly one member leads and all who vote beside it name it; else who believes what. Who votes is said by the leader,
 * where the membership can change: who was removed, or never added, may believe what it likes, except that it leads. After a
 * disk was copied a majority is enough: the others may take the member for its copy, and believe nothing that it says.
 */
export function disagreement(world: World): string | null {
  const running = [...world.hosts.values()].filter((host) => host.alive && !host.paused);
  const leaders = running.filter((host) => host.view.role === 'leader');
  const leader = leaders[0];
  if (leaders.length === 1 && leader !== undefined) {
    const voters = leader.view.members ?? running.map((host) => host.id);
    const named = running.filter((host) => voters.includes(host.id) && host.view.leader === leader.id).length;
    const voting = running.filter((host) => voters.includes(host.id)).length;
    const needed = world.broken.has('no-copy') ? Math.min(voting, majority(voters.length)) : voting;
    if (named >= needed && voters.includes(leader.id)) return null;
  }
  const camps = new Map<MemberId | null, MemberId[]>();
  for (const { id, view } of running) camps.set(view.leader, [...(camps.get(view.leader) ?? []), id]);
  const words = [...camps].map(([named, by]) => `${by.join(', ')} → ${named ?? 'nobody'}`);
  return `whom each names: ${words.length === 0 ? 'nobody runs' : words.join('; ')}`;
}
