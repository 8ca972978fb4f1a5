import { BadInput, show } from '../../core/index.ts';
import type { Election } from '../../election/index.ts';
import type { MountedMember } from './attach.ts';

export interface LeaderOnlyOptions {
  /**
   * What becomes of a request where we do not lead: `redirect` tells the client where the leader is (307, the default),
   * `forward` passes the request on to the leader, `refuse` answers 503.
   */
  readonly otherwise?: 'redirect' | 'forward' | 'refuse';
  /** The member of the election: its cluster says where the service of the leader is. */
  readonly member?: MountedMember;
  /** The URL of the service of this participant, where there is no member; null if it is not known. */
  readonly urlOf?: (leader: string) => string | null | undefined;
}

/** The checked options. */
export interface Routing {
  readonly election: Election;
  readonly otherwise: 'redirect' | 'forward' | 'refuse';
  readonly urlOf: (leader: string) => string | null | undefined;
}

/** What to do with a request. */
export type Decision =
  | { readonly do: 'handle' }
  | { readonly do: 'redirect'; readonly url: URL }
  | { readonly do: 'forward'; readonly url: URL }
  | { readonly do: 'refuse'; readonly status: 503; readonly body: string };

/** Names the participant that passed a request on. Such a request is not passed on again. */
export const FORWARDED = 'caucus-forwarded-by';

export function routingOf(election: Election, options: LeaderOnlyOptions = {}): Routing {
  const { otherwise = 'redirect', member, urlOf } = options;
  if (typeof election?.leader !== 'function') throw new BadInput('election', 'an Election', show(election));
  if (!['redirect', 'forward', 'refuse'].includes(otherwise))
    throw new BadInput('otherwise', 'redirect, forward or refuse', show(otherwise));
  if (otherwise !== 'refuse' && member === undefined && urlOf === undefined)
    throw new BadInput('member', `one, or urlOf, to know where to ${otherwise} to`, 'neither');
  return { election, otherwise, urlOf: urlOf ?? ((leader) => serviceOf(member!, leader)) };
}

/** A member is mounted on the server of its service. */
function serviceOf(member: MountedMember, leader: string): string | null {
  const voter = member.voters.find(({ id }) => String(id) === leader);
  return voter === undefined ? null : new URL(voter.url).origin;
}

/** `target`: path and query of the request. */
export function decide(
  { election, otherwise, urlOf }: Routing,
  target: string,
  isForwarded: boolean,
): Decision {
  if (election.leadership !== null) return { do: 'handle' };
  const leader = election.leader();
  if (leader === null) return refuse(`${election.name} has no leader`);
  if (otherwise === 'refuse') return refuse(`${leader.name} leads ${election.name}`);
  if (isForwarded) return refuse(`the leadership of ${election.name} changes: ${leader.name} leads`);
  // We know of another participant of our name, or of our own leadership that may not act any more.
  if (leader.name === election.self) return refuse(`the leadership of ${election.name} changes`);
  const url = urlOf(leader.name);
  if (typeof url !== 'string')
    return refuse(`${leader.name} leads ${election.name}, and its URL is not known`);
  // Never another host, whatever the target says.
  const base = new URL(url);
  base.search = '';
  base.hash = '';
  const at = target.indexOf('?');
  const path = at < 0 ? target : target.slice(0, at);
  base.pathname = `${base.pathname.replace(/\/+$/, '')}/${path.replace(/^\/+/, '')}`;
  if (at >= 0) base.search = target.slice(at);
  return { do: otherwise, url: base };
}

function refuse(error: string): Decision {
  return { do: 'refuse', status: 503, body: JSON.stringify({ code: 'E_NOT_LEADER', error }) };
}
