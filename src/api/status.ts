import type { MemberId } from '../core/index.ts';
import type { Cause } from '../election/index.ts';
import type { ElectionPort, MemberPort } from './port.ts';

/** A voter as the API writes it. */
export interface VoterEntry {
  readonly voterId: MemberId;
  readonly voterUrl: string;
}

/** How an election stands, as this member knows it: the answer of `/status`, and each event of `/watch`. */
export interface StatusBody {
  readonly voterId: MemberId;
  readonly voterUrl: string;
  readonly cluster: string;
  readonly electionName: string;
  readonly protocol: string;
  readonly role: string;
  /** May this member act now? */
  readonly acting: boolean;
  readonly leader: MemberId | null;
  readonly leaderUrl: string | null;
  readonly term: number | null;
  /** In decimal, as text: a JSON number would be rounded by many readers. */
  readonly token: string | null;
  readonly expiresInMs: number | null;
  readonly version: number;
  readonly knownVoters: readonly MemberId[];
  readonly voters: readonly VoterEntry[];
  readonly cause: Cause;
  readonly detail: string;
  readonly illness: string | null;
  readonly incarnation: number;
  readonly startedAtMs: number;
}

export function statusOf(member: MemberPort, election: ElectionPort): StatusBody {
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

export function votersOf(member: MemberPort): VoterEntry[] {
  return member.voters.map(({ id, url }) => ({ voterId: id, voterUrl: url }));
}

export function urlOf(member: MemberPort, id: MemberId | null): string | null {
  return member.voters.find((voter) => voter.id === id)?.url ?? null;
}

export function tokenText(token: bigint | null): string | null {
  return token === null ? null : token.toString();
}
