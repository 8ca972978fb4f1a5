/** Which members vote, and whether that is what the configurations say. */
import type { MemberId } from '../../../core/index.ts';
import { type Finding, problem, warning } from './finding.ts';
import { listed } from './gathered.ts';
import type { ElectionPicture, Picture } from './picture.ts';

export function membershipFindings({ elections, told }: Picture): readonly Finding[] {
  return [
    ...elections.flatMap((election) => [...removed(election), ...misconfigured(election)]),
    ...peersDiffer(told),
    ...elections.flatMap(size).filter((each, i, all) => all.findIndex((one) => one.what === each.what) === i),
  ];
}

function removed({ name, said, voters }: ElectionPicture): readonly Finding[] {
  return said
    .filter(({ id, of }) => of.voted !== null && !voters.includes(id))
    .map(({ id }) =>
      problem(
        'removed',
        `member ${id}`,
        `runs, but is no member of the election ${name} (${listed(voters)}): it was removed, or never added; it counts for no majority`,
        `stop it, and take it out of the peers of the others; or make it a member: caucus member add ${id} URL`,
      ),
    );
}

function misconfigured({ name, said, voters }: ElectionPicture): readonly Finding[] {
  const differing = said.filter(({ id, of }) => {
    return of.voted !== null && voters.includes(id) && !isSame(of.configured, voters);
  });
  const groups = [...new Set(differing.map(({ of }) => JSON.stringify(of.configured)))];
  return groups.map((group) => {
    const members = differing.filter(({ of }) => JSON.stringify(of.configured) === group);
    const configured = members[0]!.of.configured;
    const outside = configured.filter((id) => !voters.includes(id));
    const missing = voters.filter((id) => !configured.includes(id));
    const ids = listed(members.map(({ id }) => id));
    const next = [
      ...(outside.length === 0
        ? []
        : [
            `take ${listed(outside)} out of the peers of ${ids}, or make ${outside.length === 1 ? 'it a member' : 'them members'}: caucus member add ID URL`,
          ]),
      ...(missing.length === 0 ? [] : [`add ${listed(missing)} to the peers of ${ids}`]),
    ];
    const isOne = members.length === 1;
    return warning(
      'membership',
      `${isOne ? 'member' : 'members'} ${ids}`,
      `${isOne ? 'is' : 'are'} configured with ${listed(configured)}, but the members of the election ${name} are ${listed(voters)}`,
      `${next.join('; ')}; then restart ${ids}`,
    );
  });
}

/** Each list of peers is some member's truth, and only one of them can be. */
function peersDiffer(told: Picture['told']): readonly Finding[] {
  const lists = told.map(({ status, diagnosis }) => ({
    id: status.voterId,
    peers: JSON.stringify(diagnosis.elections[0]?.configured ?? []),
  }));
  const different = [...new Set(lists.map(({ peers }) => peers))];
  if (different.length < 2) return [];
  const words = different.map((peers) => {
    const ids = lists.filter((each) => each.peers === peers).map(({ id }) => id);
    return `${listed(ids)} ${ids.length === 1 ? 'has' : 'have'} ${listed(JSON.parse(peers))}`;
  });
  return [
    warning(
      'peers-differ',
      'the cluster',
      `its members are configured with different members: ${words.join('; ')}`,
      'give all members the same list of peers, with all members in it, and restart those that were changed',
    ),
  ];
}

function size({ voters, needsMajority }: ElectionPicture): readonly Finding[] {
  if (!needsMajority || (voters.length > 2 && voters.length % 2 === 1)) return [];
  const what =
    voters.length === 1
      ? 'has only one member: no other can take over'
      : voters.length === 2
        ? 'has only two members: when either is gone, there is no leader'
        : `has ${voters.length} members, an even number: it survives no more failures than ${voters.length - 1} would`;
  const next =
    voters.length < 3
      ? 'run three members: caucus member add ID URL'
      : `run ${voters.length - 1} or ${voters.length + 1} members: caucus member add ID URL, or caucus member remove ID`;
  return [warning('member-count', 'the cluster', what, next)];
}

function isSame(some: readonly MemberId[], others: readonly MemberId[]): boolean {
  return some.length === others.length && some.every((id) => others.includes(id));
}
