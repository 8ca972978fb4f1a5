import type { MemberId } from '../core/index.ts';
import type { ElectionPort, MemberPort } from './port.ts';
import type { Status, Voter } from './wire/documents.ts';

/** The state of an election, as this member knows it. */
export function statusOf(member: MemberPort, election: ElectionPort): Status {
  const { view } = election;
  const last = election.history.at(-1);
  return {
    voterId: member.id,
    voterUrl: member.url,
    cluster: member.cluster,
    electionName: election.name,
    protocol: election.protocol,
    role: view.role,
    acting: election.acting,
    leader: view.leader,
    leaderUrl: urlOf(member, view.leader),
    term: view.term,
    token: tokenText(election.token),
    expiresInMs: election.expiresInMs,
    version: view.version,
    knownVoters: view.members ?? member.voters.map(({ id }) => id),
    voters: votersOf(member),
    cause: last?.cause ?? 'started',
    detail: last?.detail ?? 'no election has been decided yet',
    illness: member.illness,
    incarnation: member.incarnation,
    startedAtMs: member.startedAtMs,
  };
}

export function votersOf(member: MemberPort): Voter[] {
  return member.voters.map(({ id, url }) => ({ voterId: id, voterUrl: url }));
}

export function urlOf(member: MemberPort, id: MemberId | null): string | null {
  return member.voters.find((voter) => voter.id === id)?.url ?? null;
}

export function tokenText(token: bigint | null): string | null {
  return token === null ? null : token.toString();
}
