import { idSet, type MemberId } from '../core/index.ts';
import { isRecord } from '../once/index.ts';
import type { Call } from './call.ts';
import type { Change, ElectionPort, MemberPort } from './port.ts';
import { release } from './release.ts';
import { sendJson } from './reply.ts';
import type { Diagnosis, ElectionDiagnosis } from './wire/diagnosis.ts';

const CHANGES_WITHIN_MS = 15 * 60_000;

/** What this process knows of itself and of its peers, for `caucus doctor`. */
export function getDiagnosis({ member, response }: Call): void {
  sendJson(response, 200, diagnosisOf(member, Date.now()));
}

function diagnosisOf(member: MemberPort, nowMs: number): Diagnosis {
  const { problems = new Map(), recentRefusals = [], ...self } = member.diagnose?.() ?? {};
  const configured =
    member.membership?.configured ??
    idSet(member.voters.map(({ id }) => id).filter((id) => member.isConfigured(id)));
  return {
    voterId: member.id,
    voterUrl: member.url,
    cluster: member.cluster,
    release: release(),
    node: process.version,
    pid: process.pid,
    startedAtMs: member.startedAtMs,
    nowMs,
    protocol: member.definition?.name ?? null,
    ...self,
    ...(member.certificate == null ? {} : { certificate: member.certificate }),
    ...(member.recovery === undefined ? {} : { recovery: member.recovery }),
    illness: member.illness,
    peers: member.links.map(({ id, url, via, roundTripMs }) => ({
      voterId: id,
      voterUrl: url,
      via,
      roundTripMs,
      problem: via === 'none' ? (problems.get(id) ?? null) : null,
    })),
    refusals: Object.fromEntries(Object.entries(member.refusals).filter(([, count]) => count > 0)),
    recentRefusals,
    elections: member.elections.map((election) => electionOf(election, configured, nowMs)),
  };
}

function electionOf(
  election: ElectionPort,
  configured: readonly MemberId[],
  nowMs: number,
): ElectionDiagnosis {
  const { name, protocol, view, acting, isCandidate = true } = election;
  const changes = [...(election.earlier ?? []), ...election.history].filter(
    ({ atMs, about }) => atMs > nowMs - CHANGES_WITHIN_MS && about !== 'member',
  );
  return {
    electionName: name,
    protocol,
    leader: view.leader,
    acting,
    isCandidate,
    recordsOccasions: isRecord(view.value),
    voted: view.members ?? null,
    configured,
    leaderships: leaderships(changes),
    ends: endsOf(changes),
  };
}

/** A member that restarts hears of the leader again, under the same token. */
function leaderships(changes: readonly Change[]): number {
  const led = changes.filter(({ leader }) => leader !== null);
  return new Set(led.map(({ leader, token, atMs }) => (token === null ? `${leader} ${atMs}` : `${token}`)))
    .size;
}

function endsOf(changes: readonly Change[]): ElectionDiagnosis['ends'] {
  const counts = new Map<string, number>();
  for (const { leader, cause } of changes)
    if (leader === null && cause !== 'started') counts.set(cause, (counts.get(cause) ?? 0) + 1);
  return [...counts].map(([cause, count]) => ({ cause, count }));
}
