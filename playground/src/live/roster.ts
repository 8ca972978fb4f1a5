/** Everybody that the page shows, and how each of them is. */
import type { ClusterMember, FleetMember } from './answers.ts';
import { inOrder, processOf, type View } from './view.ts';
import { type Look, lookOf } from './words.ts';

export interface Entry {
  readonly member: ClusterMember;
  readonly process: FleetMember | undefined;
  readonly look: Look;
  /** Does its link carry nothing: because of itself, or because the one is gone who told of it? */
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

/** Its connections may be open still, but nothing comes out of it. */
function isStill(look: Look): boolean {
  return look === 'down' || look === 'paused';
}

/** Was the last question answered by nobody? */
function isUnheard({ silence, fleet }: View): boolean {
  return silence?.why === 'no answer' || (silence?.why === 'refused' && fleet !== null);
}

/** Where no member has said a word, the processes are known all the same. */
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
