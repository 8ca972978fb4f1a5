/** All members that the page shows, and the state of each. */
import type { ClusterMember, FleetMember } from './answers.ts';
import { inOrder, processOf, type View } from './view.ts';
import { type Look, lookOf } from './words.ts';

export interface Entry {
  readonly member: ClusterMember;
  readonly process: FleetMember | undefined;
  readonly look: Look;
  /** Is its link unusable: because of itself, or because the member that reported it is gone? */
  readonly isCut: boolean;
}

export function roster(view: View): readonly Entry[] {
  const leader = view.status?.leader ?? null;
  const entries = inOrder(everybody(view)).map((member) => {
    const process = processOf(view.fleet, member.name);
    const isSilent = member.via === 'self' && isUnheard(view);
    return {
      member,
      process,
      look: lookOf(isSilent ? { ...member, state: 'unknown' } : member, process, leader),
    };
  });
  const isTellerGone = entries.some(
    ({ member, look }) => member.via === 'self' && (isStill(look) || look === 'unknown'),
  );
  return entries.map((entry) => ({
    ...entry,
    isCut: isTellerGone || isStill(entry.look) || entry.member.via === 'none',
  }));
}

/** Its connections may still be open, but it sends nothing. */
function isStill(look: Look): boolean {
  return look === 'down' || look === 'paused';
}

/** Did no member answer the last question? */
function isUnheard({ silence, fleet }: View): boolean {
  return silence?.why === 'no answer' || (silence?.why === 'refused' && fleet !== null);
}

/** If no member has answered, the processes are known anyway. */
function everybody({ members, fleet }: View): readonly ClusterMember[] {
  if (members.length > 0 || fleet === null) return members;
  return fleet.map(({ id, url }) => ({
    name: String(id),
    role: 'replica',
    state: 'unknown',
    api_url: url,
    via: 'none',
    roundTripMs: null,
    queued: 0,
  }));
}
