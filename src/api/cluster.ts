import { type Call, knownElection, usualElection } from './call.ts';
import type { Change, ElectionPort, LinkStatus, MemberPort, Peer } from './port.ts';
import { sendJson, sendTagged } from './reply.ts';
import { tokenText } from './status.ts';
import type { Cluster, ClusterMember, ElectionList } from './wire/documents.ts';
import type { ChangeList, History, HistoryEntry } from './wire/history.ts';

/**
 * All members as this one sees them. The fields with an underscore, `scope`, `name` and `state` are those of Patroni.
 */
export function getCluster(call: Call): void {
  const { member, response } = call;
  const election = knownElection(call);
  const { leader, term } = election.view;
  const token = tokenText(election.token);
  const members = member.voters.map((voter) => memberEntry(member, election, voter));
  const { cluster } = member;
  const document: Cluster = {
    scope: cluster,
    electionName: election.name,
    leader,
    term,
    token,
    members,
  };
  sendJson(response, 200, document);
}

function memberEntry(member: MemberPort, election: ElectionPort, { id, url }: Peer): ClusterMember {
  const link = member.links.find((each) => each.id === id);
  const { leader, term, members } = election.view;
  const isVoter = members === undefined || members.includes(id);
  return {
    name: String(id),
    role: id === leader ? 'leader' : isVoter ? 'replica' : 'none',
    state: stateOf(member, id === member.id, link),
    api_url: url,
    ...hostOf(url),
    ...(id === leader && term !== null ? { timeline: term } : {}),
    via: id === member.id ? 'self' : (link?.via ?? 'none'),
    roundTripMs: link?.roundTripMs ?? null,
    queued: link?.queued ?? 0,
  };
}

/** An unreachable member is `unknown`: a closed connection does not tell whether its process runs. */
function stateOf(member: MemberPort, isSelf: boolean, link: LinkStatus | undefined): ClusterMember['state'] {
  if (isSelf) return member.illness === null ? 'running' : 'ill';
  return link === undefined || link.via === 'none' ? 'unknown' : 'running';
}

function hostOf(url: string): Pick<ClusterMember, 'host' | 'port'> {
  try {
    const { hostname, port, protocol } = new URL(url);
    return { host: hostname, port: Number(port) || (protocol === 'https:' ? 443 : 80) };
  } catch {
    return {};
  }
}

/** The newest changes are kept, those of earlier processes among them. */
const LONGEST_HISTORY = 1000;

/** The changes of leader that this member saw, oldest first, each with its cause. */
export function getHistory(call: Call): void {
  const election = knownElection(call);
  const changes = [...(election.earlier ?? []), ...election.history].slice(-LONGEST_HISTORY);
  const history = changes.map(entryOf);
  const acts = call.acts.of(election.name);
  sendJson(call.response, 200, { electionName: election.name, history, acts } satisfies History);
}

function entryOf({ atMs, leader, token, cause, detail, about }: Change): HistoryEntry {
  return {
    at: new Date(atMs).toISOString(),
    atMs,
    leader,
    token: tokenText(token),
    cause,
    detail,
    ...(about === undefined ? {} : { about }),
  };
}

/** The last changes in all elections, oldest first. */
export function getChanges({ response, changes }: Call): void {
  const list = changes.recent.map(({ election, change }) => ({ electionName: election, ...entryOf(change) }));
  sendTagged(response, { changes: list } satisfies ChangeList);
}

/** Since when this process has known the leader, or that there is none; null if it has seen no change yet. */
function sinceMs({ history, view: { leader }, token }: ElectionPort): number | null {
  const before = history.findLastIndex((change) => change.leader !== leader || change.token !== token);
  return history[before + 1]?.atMs ?? history.at(-1)?.atMs ?? null;
}

export function getElections({ member, response }: Call): void {
  const elections = member.elections.map((election) => ({
    electionName: election.name,
    protocol: election.protocol,
    leader: election.view.leader,
    term: election.view.term,
    token: tokenText(election.token),
    acting: election.acting,
    sinceMs: sinceMs(election),
  }));
  sendTagged(response, { mainElection: usualElection(member), elections } satisfies ElectionList);
}
