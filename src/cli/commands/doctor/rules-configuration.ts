/** Members whose configurations do not fit each other, and memberships that are not what is configured. */
import { type ClusterRecovery, type Json, type MemberId, recoveryWords } from '../../../core/index.ts';
import { type Finding, problem, warning } from './finding.ts';
import { answering, listed } from './gathered.ts';
import { mostCommon, type Picture } from './picture.ts';

/** Refusals between members of different recoveries. */
const REFUSALS: readonly string[] = ['before-recovery', 'other-recovery'];

export function configurationFindings(picture: Picture): readonly Finding[] {
  return [
    ...otherCluster(picture),
    ...sameId(picture),
    ...recoveries(picture),
    ...otherSettings(picture),
    ...otherSecrets(picture),
    ...forgetful(picture),
    ...versions(picture),
  ];
}

/** Findings about the membership, whose usual advice (take them out of the peers, …) is wrong right after a recovery. */
const OF_MEMBERSHIP: readonly string[] = ['removed', 'membership', 'peers-differ', 'member-count'];

/** The findings of one area, without those for which the findings about a recovery have another advice already. */
export function withoutContradictions(
  found: readonly Finding[],
  before: readonly Finding[],
): readonly Finding[] {
  const isRecovered = before.some(({ kind }) => kind === 'recovered');
  const outdated = before.filter(({ kind }) => kind === 'before-recovery').map(({ subject }) => subject);
  return found.filter(
    ({ kind, subject }) => !OF_MEMBERSHIP.includes(kind) || !(isRecovered || outdated.includes(subject)),
  );
}

function otherCluster({ gathered, cluster }: Picture): readonly Finding[] {
  return answering(gathered)
    .filter(({ status }) => status.cluster !== cluster)
    .map(({ status, url }) =>
      problem(
        'other-cluster',
        `member ${status.voterId}`,
        `at ${url} belongs to the cluster "${status.cluster}", the others to "${cluster}": they refuse it`,
        `start it with --cluster ${cluster}, or take its URL out of the peers of the others`,
      ),
    );
}

/** The same process under two URLs is one. */
function sameId({ home }: Picture): readonly Finding[] {
  const ids = [...new Set(home.map(({ status }) => status.voterId))];
  return ids.flatMap((id) => {
    const places = home.filter(({ status }) => status.voterId === id);
    const processes = new Set(
      places.map(({ status: { incarnation, startedAtMs } }) => `${incarnation} ${startedAtMs}`),
    );
    if (processes.size < 2) return [];
    const at = places.map(({ url, diagnosis }) =>
      diagnosis === null ? url : `${url} (pid ${diagnosis.pid})`,
    );
    return [
      problem(
        'same-id',
        `member ${id}`,
        `runs ${processes.size} times: ${listed(at)}`,
        `stop one of them, or give it an id and a data folder of its own, and add it to the peers of all`,
      ),
    ];
  });
}

/**
 * Members that refuse each other since one was recovered without the other. One that has not met the others yet belongs
 * to no recovery, and is not refused.
 */
function recoveries(picture: Picture): readonly Finding[] {
  const { told, elections } = picture;
  const found = told.flatMap(({ status: { voterId }, diagnosis: { recovery, peers } }) => {
    const isRefused = peers.some(({ problem: told }) => REFUSALS.includes(told?.kind ?? ''));
    return recovery === undefined && !isRefused ? [] : [{ id: voterId, recovery, isRefused }];
  });
  const all = found.flatMap(({ recovery }) => recovery ?? []);
  const newest = all.filter(
    ({ id }, i) =>
      all.findIndex((other) => other.id === id) === i && !all.some(({ earlier }) => earlier.includes(id)),
  );
  const [one, ...others] = newest;
  if (one === undefined) return [];
  if (others.length > 0)
    return [
      problem(
        'other-recovery',
        'the cluster',
        `was recovered more than once, and is ${newest.length} clusters that refuse each other: ${newest.map(recoveryWords).join('; ')}`,
        'keep the one whose value and history you need. Stop the members of the others, empty their data folders, start them again and add them',
      ),
    ];
  const outdated = found.filter(({ recovery, isRefused }) => recovery?.id !== one.id && isRefused);
  const few = elections.filter(({ voters }) => voters.length < 3);
  return [
    ...outdated.map(({ id }) =>
      problem(
        'before-recovery',
        `member ${id}`,
        `belongs to the cluster as it was before ${recoveryWords(one)}: it is refused, and leads nothing`,
        `stop it, empty its data folder, start it again and add it`,
      ),
    ),
    ...(few.length === 0
      ? []
      : [
          warning(
            'recovered',
            'the cluster',
            `${recoveryWords(one)}, and too few members were added since: ${few.map(({ name, voters }) => `${name} has ${listed(voters)}`).join('; ')}. It survives no failure`,
            nextSteps(picture, one),
          ),
        ]),
  ];
}

/** Members that run with empty folders and have met the recovered cluster only have to be added. */
function nextSteps({ told, elections }: Picture, { id }: ClusterRecovery): string {
  const ready = told.filter(
    ({ status: { voterId }, diagnosis }) =>
      diagnosis.recovery?.id === id && !elections.some(({ voters }) => voters.includes(voterId)),
  );
  const commands = ready.map(({ status }) => `caucus member add ${status.voterId} ${status.voterUrl}`);
  return commands.length === 0
    ? 'start members with empty data folders and add them (caucus member add ID URL), until there are three'
    : `${commands.join('; ')}. Until there are three, start more with empty data folders and add them too`;
}

function otherSettings({ told }: Picture): readonly Finding[] {
  const settings = told.map(({ status, diagnosis: { protocol, timing, options } }) => ({
    id: status.voterId,
    of: { protocol, ...timing, ...options } as Readonly<Record<string, Json>>,
  }));
  const usual = mostCommon(settings.map(({ of }) => JSON.stringify(of)));
  if (usual === null) return [];
  const model = settings.find(({ of }) => JSON.stringify(of) === usual)!;
  return settings
    .filter(({ of }) => JSON.stringify(of) !== usual)
    .map(({ id, of }) => {
      const names = [...new Set([...Object.keys(model.of), ...Object.keys(of)])];
      const differences = names
        .filter((name) => JSON.stringify(of[name]) !== JSON.stringify(model.of[name]))
        .map((name) => `${name} ${shown(of[name])}, not ${shown(model.of[name])} as ${model.id}`);
      return problem(
        'other-settings',
        `member ${id}`,
        `uses other settings than the others: ${differences.join('; ')}`,
        `give all members the same protocol, timing and options (caucus node --print-config shows them), and restart ${id}`,
      );
    });
}

function shown(value: Json | undefined): string {
  return value === undefined ? 'unset' : JSON.stringify(value);
}

function otherSecrets({ told }: Picture): readonly Finding[] {
  const members = told.flatMap(({ status, diagnosis: { authentication } }) =>
    authentication === undefined ? [] : [{ id: status.voterId, ...authentication }],
  );
  const by = mostCommon(members.map((each) => each.by));
  const print = mostCommon(members.flatMap(({ secrets }) => secrets.slice(0, 1)));
  return members.flatMap(({ id, by: own, secrets }) => {
    const subject = `member ${id}`;
    if (own !== by)
      return [
        problem(
          'other-authentication',
          subject,
          `authenticates by ${own}, the others by ${by}: they refuse each other`,
          `give all members the same: --secret-file, or --tls-cert, --tls-key and --tls-ca`,
        ),
      ];
    if (print === null || secrets.length === 0 || secrets.includes(print)) return [];
    return [
      problem(
        'other-secret',
        subject,
        `has another secret (fingerprint ${listed(secrets)}) than the others (${print}): they refuse each other`,
        `put the secret of the others into its secret file; it is read again by itself`,
      ),
    ];
  });
}

function forgetful({ told }: Picture): readonly Finding[] {
  const without = told.filter(({ diagnosis }) => diagnosis.hasDataFolder === false);
  if (without.length === 0 || !told.some(({ diagnosis }) => diagnosis.hasDataFolder === true)) return [];
  return without.map(({ status }) =>
    warning(
      'no-data-folder',
      `member ${status.voterId}`,
      'keeps nothing across restarts, while others do: each of its starts is that of a new disk, and needs the votes of others',
      `start it with --data FOLDER`,
    ),
  );
}

function versions({ told, home }: Picture): readonly Finding[] {
  const rows = told.map(({ status, diagnosis: { release, node } }) => ({
    id: status.voterId,
    release,
    major: /^v?(\d+)/.exec(node)?.[1] ?? node,
  }));
  const earlier = home.filter(({ isEarlier }) => isEarlier).map(({ status }) => status.voterId);
  const isRetimed = told.some(({ diagnosis }) => diagnosis.isRetimed === true);
  return [
    ...differing(
      rows.map(({ id, release }) => [release, id] as const),
      (words) =>
        warning(
          'versions',
          'the cluster',
          `runs more than one release of caucus: ${words}`,
          'finish the upgrade: install the same release everywhere, and restart one member after the other',
        ),
    ),
    ...differing(
      rows.map(({ id, major }) => [`Node.js ${major}`, id] as const),
      (words) =>
        warning(
          'node-versions',
          'the cluster',
          `runs on more than one major version of Node.js: ${words}`,
          'install the same version of Node.js everywhere',
        ),
    ),
    ...(earlier.length === 0
      ? []
      : isRetimed
        ? [
            problem(
              'earlier-release',
              `member ${listed(earlier)}`,
              'is of a release that does not understand the times that an operator set while the cluster ran (caucus reconfigure): it takes no part',
              'install the release of the other members there, and restart it',
            ),
          ]
        : [
            warning(
              'earlier-release',
              `member ${listed(earlier)}`,
              'is of a release that cannot tell what this command asks for: settings, links, disk and event loop were not checked there',
              'install the same release everywhere, and restart one member after the other',
            ),
          ]),
  ];
}

function differing(
  pairs: readonly (readonly [value: string, id: MemberId])[],
  tell: (words: string) => Finding,
): readonly Finding[] {
  const values = [...new Set(pairs.map(([value]) => value))];
  if (values.length < 2) return [];
  const idsOf = (value: string): MemberId[] => pairs.filter(([each]) => each === value).map(([, id]) => id);
  return [tell(values.map((value) => `${value} at ${listed(idsOf(value))}`).join('; '))];
}
