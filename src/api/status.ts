import type { Lack, MemberId } from '../core/index.ts';
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
    voters: votersOf(member, election),
    missing: view.lack === undefined ? null : lackWords(view.lack),
    ...(member.membership == null
      ? {}
      : {
          pending: member.membership.pendingIn(election.name),
          drained: member.membership.isDrained,
          paused: member.membership.isPaused,
          timing: member.membership.timing.words,
          configuredTiming: member.membership.timing.configured,
        }),
    cause: last?.cause ?? 'started',
    detail: last?.detail ?? 'no election has been decided yet',
    illness: member.illness,
    incarnation: member.incarnation,
    startedAtMs: member.startedAtMs,
    nowMs: Date.now(),
    ...(member.certificate == null ? {} : { certificate: member.certificate }),
    ...(member.recovery === undefined ? {} : { recovery: member.recovery }),
  };
}

/** Where voters register, only those count that this one knows now: an address may outlive its voter. */
export function votersOf(member: MemberPort, election: ElectionPort): Voter[] {
  const { members } = election.view;
  const isOpen = member.definition?.registration !== undefined && members !== undefined;
  return member.voters
    .filter(({ id }) => !isOpen || members.includes(id))
    .map(({ id, url }) => ({
      voterId: id,
      voterUrl: url,
      configured: member.isConfigured(id),
      lastHeartBeatMs: election.heardAtMs?.(id) ?? null,
    }));
}

/** What is missing before a leader can be elected, for people. */
export function lackWords(lack: Lack): string {
  switch (lack.type) {
    case 'another-voter':
      return 'another voter: none has answered yet, and a voter that looks for others leads nothing until it has met one';
    case 'voter-count':
      return 'the number of voters: with quorum, a list of them or the option voters has to say how many there are';
    case 'voters':
      return `voters: ${lack.known} of ${lack.of} are known, and the first leader needs all of them`;
    case 'same-count':
      return `one number of voters: ${lack.disputes.join(', ')} ${lack.disputes.length === 1 ? 'was' : 'were'} told another one, and all have to be told the same`;
    case 'founders':
      return `the voters ${lack.missing.join(', ')}: the first leader of these voters needs all of them`;
  }
}

export function urlOf(member: MemberPort, id: MemberId | null): string | null {
  return member.voters.find((voter) => voter.id === id)?.url ?? null;
}

export function tokenText(token: bigint | null): string | null {
  return token === null ? null : token.toString();
}
