/** Members that answer this command and not each other, and connections that were refused. */
import type { Diagnosis, PeerDiagnosis } from '../../../api/wire/index.ts';
import type { MemberId } from '../../../core/index.ts';
import { type Finding, problem, warning } from './finding.ts';
import type { Picture } from './picture.ts';

/** A refusal that was not repeated for so long is over: members try again every few seconds. */
const RECENT_MS = 60_000;

/** Refusals, and the findings that explain them already. */
const EXPLAINED: Readonly<Record<string, readonly string[]>> = {
  'same-id': ['same-id', 'wrong-url'],
  'other-rules': ['other-settings'],
  'before-recovery': ['before-recovery', 'other-recovery'],
  'other-recovery': ['before-recovery', 'other-recovery'],
  'other-cluster': ['other-cluster'],
  'wrong-secret': ['other-secret', 'other-authentication'],
  unauthenticated: ['other-secret', 'other-authentication', 'certificate'],
  removed: ['removed'],
  'unknown-member': ['wrong-url', 'removed', 'membership', 'peers-differ'],
};

const NEXT: Readonly<Record<string, string>> = {
  'same-id': 'stop one of the two processes, or give it an id and a data folder of its own',
  'other-rules':
    'give all members the same protocol, timing and options, and restart those that were changed',
  'other-version':
    'install the release of the others at the member that the reason names, or the newer one at all; releases go up one member after the other',
  'before-recovery':
    'the reason names the member before the recovery: stop it, empty its data folder, start it again and add it',
  'other-recovery':
    'keep one of the two clusters: stop the members of the other, empty their data folders, start them again and add them',
  'other-cluster': 'give all members the same --cluster, or take the foreign URL out of the peers',
  'wrong-secret':
    'give all members the same secret (--secret-file); its fingerprint is in caucus node --print-config',
  unauthenticated:
    'give each member the certificate of its own id and cluster (caucus cert show FILE), or all of them the same secret',
  'unknown-member': 'give all members the same list of peers, with the right URL for each id',
};

/** Does another finding explain a refusal at these members? */
type IsExplained = (refusal: string, ...ids: readonly MemberId[]) => boolean;

/** `others`: what the other rules have found. */
export function linkFindings(picture: Picture, others: readonly Finding[]): readonly Finding[] {
  const isExplained: IsExplained = (refusal, ...ids) => {
    const subjects = ids.map((id) => `member ${id}`);
    return others.some(
      ({ kind, subject }) =>
        (EXPLAINED[refusal] ?? []).includes(kind) && (kind !== 'wrong-url' || subjects.includes(subject)),
    );
  };
  return [...apart(picture, isExplained), ...refusals(picture, isExplained)];
}

/** A connection serves both directions, so a pair without one is told once. */
function apart({ told }: Picture, isExplained: IsExplained): readonly Finding[] {
  return told.flatMap((one, i) =>
    told.slice(i + 1).flatMap((other) => {
      const [there, back] = [peerOf(one.diagnosis, other.diagnosis), peerOf(other.diagnosis, one.diagnosis)];
      if (there?.via !== 'none' && back?.via !== 'none') return [];
      const refusal = there?.problem?.kind ?? back?.problem?.kind ?? null;
      const [a, b] = [one.status.voterId, other.status.voterId];
      if (refusal !== null && isExplained(refusal, a, b)) return [];
      const said = [saidBy(a, b, there), saidBy(b, a, back)].filter((words) => words !== null);
      const next =
        refusal !== null
          ? (NEXT[refusal] ?? 'the logs of both say more')
          : `on the machine of ${a}: curl ${there?.voterUrl ?? other.url}/health, and on that of ${b}: curl ${back?.voterUrl ?? one.url}/health. A firewall, a route or a wrong URL of a peer is in between`;
      return [
        problem(
          refusal === null ? 'link' : 'refused',
          `members ${a} and ${b}`,
          `both answer here, but are not connected to each other${said.length === 0 ? '' : `: ${said.join('; ')}`}`,
          next,
        ),
      ];
    }),
  );
}

function peerOf(by: Diagnosis, peer: Diagnosis): PeerDiagnosis | undefined {
  return by.peers.find(({ voterId }) => voterId === peer.voterId);
}

function saidBy(by: string | number, peer: string | number, link: PeerDiagnosis | undefined): string | null {
  if (link === undefined) return `${by} does not have ${peer} among its peers`;
  if (link.problem === null) return null;
  const { is, reason } = link.problem;
  return is === 'refused'
    ? `at ${by}: ${reason}`
    : `${by} cannot reach ${peer} at ${link.voterUrl}: ${reason}`;
}

/** What members refuse now, and no other finding explains. */
function refusals({ told }: Picture, isExplained: IsExplained): readonly Finding[] {
  return told.flatMap(({ status, diagnosis: { nowMs, recentRefusals } }) =>
    recentRefusals
      .filter(({ kind, lastAtMs }) => {
        return (
          Object.hasOwn(NEXT, kind) && nowMs - lastAtMs < RECENT_MS && !isExplained(kind, status.voterId)
        );
      })
      .map(({ kind, reason, count }) => {
        const times = count === 1 ? '' : ` (${count} times)`;
        const tell = kind === 'same-id' ? problem : warning;
        return tell(
          kind === 'same-id' ? 'same-id' : 'refusals',
          `member ${status.voterId}`,
          `has refused a connection, or was refused, within the last minute: ${reason}${times}`,
          NEXT[kind]!,
        );
      }),
  );
}
