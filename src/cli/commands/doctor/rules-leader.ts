/** Elections without a leader, with two, or with a new one again and again. */
import type { ElectionDiagnosis } from '../../../api/wire/index.ts';
import { majority } from '../../../core/index.ts';
import { isSlotElection } from '../../../election/index.ts';
import { type Finding, problem, warning } from './finding.ts';
import { listed } from './gathered.ts';
import type { ElectionPicture, Picture } from './picture.ts';

/** In 15 minutes. A rolling restart of five members makes at most five. */
const MOST_CHANGES = 5;

export function leaderFindings(picture: Picture): readonly Finding[] {
  return [
    ...picture.elections.flatMap((election) => [
      ...(leads(election) || isSlotElection(election.name) ? [] : lacksLeader(election, picture)),
      ...rivals(election),
      ...disagreement(election),
      ...restless(election),
    ]),
    ...paused(picture),
  ];
}

/** It is led for a moment at each occasion, and by no member in between: that is how `once` and `schedule` work. */
function recordsOccasions({ said }: ElectionPicture): boolean {
  return said.some(({ of }) => of.recordsOccasions === true);
}

/** Between two occasions no member stands, which is in order as long as one may. */
function lacksLeader(election: ElectionPicture, picture: Picture): readonly Finding[] {
  const finding = noLeader(election, picture);
  const isAtRest = finding.kind === 'no-candidate' || finding.kind === 'no-leader';
  const mayOne = picture.home.some(({ status }) => status.drained !== true);
  return isAtRest && mayOne && recordsOccasions(election) ? [] : [finding];
}

const RESUME = 'when the work on the cluster is done: caucus resume';

function isPaused({ home }: Picture): boolean {
  return home.some(({ status }) => status.paused);
}

/** While all elections have leaders, that is what the operator wanted. */
function paused(picture: Picture): readonly Finding[] {
  if (!isPaused(picture) || !picture.elections.every((each) => leads(each) || isSlotElection(each.name)))
    return [];
  const what = 'takeovers are paused: when a leader ends, no other member leads in its place';
  return [warning('paused', 'the cluster', what, RESUME)];
}

/** A leader that does not answer here may still lead, if those that answer follow it. */
function leads({ said }: ElectionPicture): boolean {
  if (said.some(({ of }) => of.acting)) return true;
  const answered = said.map(({ id }) => id);
  return said.some(({ of }) => of.leader !== null && !answered.includes(of.leader));
}

function noLeader(election: ElectionPicture, picture: Picture): Finding {
  const { home, told } = picture;
  const { name, said, voters } = election;
  const subject = `election ${name}`;
  const present = voters.filter((id) => home.some(({ status }) => status.voterId === id));
  const needed = majority(voters.length);
  if (election.needsMajority && present.length < needed) {
    const absent = voters.filter((id) => !present.includes(id));
    return problem(
      'no-majority',
      subject,
      `has no leader: ${present.length} of ${voters.length} members ${present.length === 1 ? 'answers' : 'answer'}, ${needed} are needed; ${listed(absent)} ${absent.length === 1 ? 'does' : 'do'} not answer`,
      `start ${needed - present.length === 1 ? 'one' : needed - present.length} of them with its own data folder`,
    );
  }
  if (isPaused(picture))
    return problem(
      'paused',
      subject,
      'has no leader, and takeovers are paused: no member takes over until that ends',
      RESUME,
    );
  const drained = home.filter(({ status }) => status.drained).map(({ status }) => status.voterId);
  if (said.length >= voters.length && said.every(({ of }) => !of.isCandidate) && drained.length > 0)
    return problem(
      'no-candidate',
      subject,
      `has no leader, because no member may lead: ${listed(drained)} ${drained.length === 1 ? 'is' : 'are'} drained, and no other wants to`,
      `let one lead again: caucus drain ${drained[0]} --undo`,
    );
  if (said.length >= voters.length && said.every(({ of }) => !of.isCandidate))
    return problem(
      'no-candidate',
      subject,
      `has no leader, because no member wants to lead: all have priority 0, or only watch`,
      `start a member that leads: caucus run -- COMMAND, caucus node without --priority 0, or election.lead() in a program`,
    );
  // What the members say of it; the main election is the one of their status.
  const statuses = told.filter(({ status }) => status.electionName === name).map(({ status }) => status);
  const why = statuses.map(({ missing }) => missing).find((each) => each != null);
  const detail = statuses.find(({ leader }) => leader === null)?.detail;
  const reason = why != null ? `it waits for ${why}` : detail;
  return problem(
    'no-leader',
    subject,
    `has no leader, although enough members answer${reason === undefined ? '' : `: ${reason}`}`,
    `mend what else is said here first; then caucus history shows what the members tried`,
  );
}

function rivals({ name, said, needsMajority }: ElectionPicture): readonly Finding[] {
  const acting = said.filter(({ of }) => of.acting).map(({ id }) => id);
  if (acting.length < 2) return [];
  const what = `has ${acting.length} leaders at once: ${listed(acting)}`;
  const next = needsMajority
    ? 'run this command again: the members were asked one after the other. If it stays so, stop all but one of them, and compare their settings and data folders'
    : 'this protocol does not promise one leader at a time; mend the network, or use quorum';
  return [problem('two-leaders', `election ${name}`, what, next)];
}

function disagreement({ name, said }: ElectionPicture): readonly Finding[] {
  const followed = said.filter(({ of }) => of.leader !== null);
  const leaders = [...new Set(followed.map(({ of }) => String(of.leader)))];
  if (leaders.length < 2 || said.filter(({ of }) => of.acting).length > 1) return [];
  const words = leaders.map((leader) => {
    const by = followed.filter(({ of }) => String(of.leader) === leader).map(({ id }) => id);
    return `${listed(by)} ${by.length === 1 ? 'follows' : 'follow'} ${leader}`;
  });
  return [
    warning(
      'disagreement',
      `election ${name}`,
      `its members follow different leaders: ${words.join('; ')}`,
      'run this command again: a change of leader takes a moment. If it stays so, the members that follow the older one are cut off',
    ),
  ];
}

function restless(election: ElectionPicture): readonly Finding[] {
  const { name, said } = election;
  const most = said.reduce((best, each) => (each.of.leaderships > best.of.leaderships ? each : best));
  const inOrder = recordsOccasions(election) ? endedAs('resigned', most.of.ends) : 0;
  if (most.of.leaderships - inOrder <= MOST_CHANGES) return [];
  const ends = most.of.ends.map(({ cause, count }) => `${cause} ${count}`).join(', ');
  return [
    problem(
      'restless',
      `election ${name}`,
      `changed its leader ${most.of.leaderships - 1} times in the last 15 minutes${ends === '' ? '' : `, and says why: ${ends}`}`,
      'caucus history tells each change. lease-expired or lost-quorum: slow disks, blocked event loops or a bad network; resigned and transferred: a program or an operator; a longer lease (preset) rides out short ones',
    ),
  ];
}

function endedAs(cause: string, ends: ElectionDiagnosis['ends']): number {
  return ends.find((each) => each.cause === cause)?.count ?? 0;
}
