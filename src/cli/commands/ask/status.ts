import {
  electionList,
  type Status,
  type Tally,
  tallyOf,
  type VoterStatus,
  voterStatus,
} from '../../../api/wire/index.ts';
import { majority, recoveryWords } from '../../../core/index.ts';
import { isSlotElection } from '../../../election/index.ts';
import { isReserved } from '../../../leases/index.ts';
import { catalogue } from '../../../protocols/index.ts';
import { needsMajority } from '../../../story/index.ts';
import { harmless, oneLine } from '../../input/refusal.ts';
import { pageOf } from '../../terminal/page.ts';
import type { AskFlags } from './ask-flags.ts';
import { columnLines } from './columns.ts';
import { membersToAsk, seenBy } from './first-answer.ts';
import { type MemberClient, NoAnswer } from './member-client.ts';

/** One voter of many is not waited for as long as the only one that is asked: that it does not answer is told in its row. */
const ROW_WITHIN_MS = 2000;

/** What one voter says of itself, or why it did not answer. */
interface Row {
  readonly id: string;
  readonly url: string;
  readonly status: VoterStatus | null;
  readonly problem: string | null;
  readonly clock: Clock | null;
}

/** How far the wall clock of a member is ahead of ours, and by how much that may be wrong: half a round trip. */
interface Clock {
  readonly aheadMs: number;
  readonly withinMs: number;
}

/** Clocks that differ by less are as good as any time service makes them. */
const SKEW_TOLD_MS = 1000;

/** The state of the cluster, as each of its voters sees it. 0 if there is a leader. */
export async function statusCommand(urls: readonly string[], flags: AskFlags): Promise<number> {
  const { seen, trusted } = await seenBy(membersToAsk(urls, flags));
  const rows = await Promise.all(
    seen.voters.map(async ({ voterId, voterUrl }): Promise<Row> => {
      const row = { id: String(voterId), url: voterUrl };
      try {
        const askedMs = performance.now();
        const withinMs = seen.voters.length > 1 ? ROW_WITHIN_MS : undefined;
        const status = await trusted.client(voterUrl).get('/status', voterStatus, withinMs);
        return { ...answered(seen, row, status), clock: clockOf(status, performance.now() - askedMs) };
      } catch (error) {
        if (!(error instanceof NoAnswer)) throw error;
        return { ...row, status: null, clock: null, problem: error.message.replace(`${voterUrl}: `, '') };
      }
    }),
  );
  const acting = actingIn(rows);
  const all = flags.election === undefined ? await tallyAt(trusted.client(askedUrl(seen, rows))) : null;
  if (flags.json) {
    const { cluster, electionName, protocol } = seen;
    const leaders = acting.map(({ id, status }) => ({ id, token: status!.token }));
    const elections = all === null ? {} : { elections: all };
    process.stdout.write(
      `${harmless(JSON.stringify({ cluster, electionName, protocol, leaders, members: rows, ...elections }, null, 2))}\n`,
    );
  } else {
    process.stdout.write(`${[...statusLines(seen, rows), ...tallyLines(all)].join('\n')}\n`);
  }
  return acting.length > 0 ? 0 : 1;
}

/** The leader knows its own elections best; without one, the member that answered first is asked. */
function askedUrl({ voterUrl }: Status, rows: readonly Row[]): string {
  return actingIn(rows)[0]?.url ?? voterUrl;
}

/** Who leads how many elections, if there are several; null if there is one, or the member does not tell. */
async function tallyAt(client: MemberClient): Promise<Tally | null> {
  try {
    const { elections } = await client.get('/elections', electionList, ROW_WITHIN_MS);
    const tally = tallyOf(
      elections.filter(
        ({ electionName, leader }) =>
          !isReserved(electionName) && (leader !== null || !isSlotElection(electionName)),
      ),
    );
    return tally.count > 1 ? tally : null;
  } catch (error) {
    if (error instanceof NoAnswer) return null;
    throw error;
  }
}

/** So many elections without a leader are named. */
const MOST_NAMED = 10;

/** Those without a leader come first. */
function tallyLines(tally: Tally | null): string[] {
  if (tally === null) return [];
  const { paint } = pageOf(process.stdout, process.env);
  const { count, leaders, without } = tally;
  const more = without.length - MOST_NAMED;
  const names = `${without.slice(0, MOST_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  const missing = `${without.length} of ${count} elections ${without.length === 1 ? 'has' : 'have'} no leader: ${names}`;
  const table = columnLines(
    ['member', 'leads'],
    leaders.map((each) => [String(each.leader), String(each.count)]),
  );
  return [
    '',
    without.length === 0
      ? paint(`all ${count} elections have a leader`, 'green')
      : paint(oneLine(missing), 'yellow'),
    ...(leaders.length === 0 ? [] : ['', paint(table[0]!, 'dim'), ...table.slice(1)]),
    '',
    'one of them: caucus status --election NAME',
  ];
}

/** The row of a voter that answers: under the id that it says it has, which the configuration may have elsewhere. */
function answered(
  { voterId: asked, cluster }: Status,
  { id, url }: Pick<Row, 'id' | 'url'>,
  status: VoterStatus,
): Omit<Row, 'clock'> {
  if (status.cluster !== undefined && status.cluster !== cluster) {
    const problem = `it belongs to the cluster ${status.cluster}: correct its cluster, or the peers of ${asked}`;
    return { id, url, status: null, problem };
  }
  const own = String(status.voterId ?? id);
  return {
    id: own,
    url,
    status,
    problem: own === id ? null : `the peers of ${asked} call it ${id}: correct them`,
  };
}

/** Each once, although two URLs may lead to one member. */
function actingIn(rows: readonly Row[]): readonly Row[] {
  const acting = rows.filter(({ status }) => status?.acting);
  return acting.filter(({ id }, i) => acting.findIndex((row) => row.id === id) === i);
}

/** Why there is no leader, as far as the members that answer know. */
function whyNone({ protocol, knownVoters }: Status, rows: readonly Row[]): string {
  const all = rows.flatMap(({ id, status }) => (status === null ? [] : [{ ...status, id }]));
  // A process that the others refuse knows nothing of them.
  const accepted = all.filter(({ cause }) => cause !== 'refused');
  const answers = accepted.length === 0 ? all : accepted;
  // Founding a cluster, or repairing one that has lost disks, takes more than a majority, and the members say so.
  const isPaused = answers.some(({ paused }) => paused);
  const waiting = answers.find(({ role, cause }) => role === 'none' && cause === 'started');
  if (!isPaused && waiting?.detail !== undefined) return `: ${waiting.detail}`;
  const members = knownVoters.map(String);
  const count = answers.filter(({ id }) => members.includes(id)).length;
  const needed = majority(members.length);
  if (Object.hasOwn(catalogue, protocol) && needsMajority(catalogue[protocol]!) && count < needed)
    return `: ${count} of ${members.length} members ${count === 1 ? 'answers' : 'answer'}, ${needed} are needed`;
  if (isPaused) return ': takeovers are paused, until caucus resume';
  const drained = answers.filter((each) => each.drained).map(({ id }) => id);
  if (drained.length > 0 && drained.length === answers.length)
    return `: all members that answer are drained, until caucus drain ${drained[0]} --undo`;
  const told = answers.find(({ leader }) => leader === null) ?? answers[0];
  return told?.detail === undefined ? '' : `: ${told.detail}`;
}

function clockOf({ nowMs }: VoterStatus, tookMs: number): Clock | null {
  if (nowMs === undefined) return null;
  return { aheadMs: Math.round(nowMs - (Date.now() - tookMs / 2)), withinMs: Math.ceil(tookMs / 2) };
}

/**
 * Members do without a common time, but people compare the times in their histories and logs, and the first tokens of
 * a cluster without data folders come from their clocks.
 */
function skewWords(rows: readonly Row[]): string | null {
  const clocks = rows.flatMap(({ id, clock }) => (clock === null ? [] : [{ id, ...clock }]));
  clocks.sort((one, other) => one.aheadMs - other.aheadMs);
  const [first, last] = [clocks[0], clocks.at(-1)];
  if (first === undefined || last === undefined) return null;
  const differMs = last.aheadMs - first.aheadMs;
  if (differMs - first.withinMs - last.withinMs < SKEW_TOLD_MS) return null;
  return `the clocks differ: that of ${last.id} is ${(differMs / 1000).toFixed(1)} s ahead of that of ${first.id}`;
}

/** What is wrong with a member, as far as the command knows. */
function remark(
  { knownVoters }: Status,
  { id, status, problem }: Pick<Row, 'id' | 'status' | 'problem'>,
): string {
  const isOutside = !knownVoters.map(String).includes(id);
  const found = [
    isOutside ? 'not a member: its vote does not count' : null,
    problem ?? status?.illness ?? (status?.role === 'none' && !isOutside ? (status.detail ?? null) : null),
    status?.drained ? `drained: it leads nothing until caucus drain ${id} --undo or a restart` : null,
    status?.certificate?.warning ?? null,
  ];
  return found.filter((words) => words !== null).join('; ');
}

/** What is still to be done, as the leader says, which does it; else as any other member sees it. */
function pendingLines(rows: readonly Row[]): string[] {
  const said = [...actingIn(rows), ...rows].find(({ status }) => (status?.pending ?? []).length > 0);
  const isPaused = rows.some(({ status }) => status?.paused);
  const pending = [
    ...(isPaused ? ['paused: leaders go on, and no member takes over until caucus resume'] : []),
    ...(said?.status?.pending ?? []).map((each) => `pending: ${each}`),
  ];
  return pending.length === 0 ? [] : ['', ...pending.map(oneLine)];
}

/** The times that hold, by member where they differ, and the configurations that do not say the same. */
function timingLines(rows: readonly Row[]): string[] {
  const told = rows.flatMap(({ id, status }) => (status?.timing === undefined ? [] : [{ id, ...status }]));
  const each = [...new Set(told.map(({ timing }) => timing))];
  const idsOf = (timing: string | undefined): string =>
    told
      .filter((row) => row.timing === timing)
      .map(({ id }) => id)
      .join(', ');
  const lines = each.map((timing) => `timing: ${timing}${each.length === 1 ? '' : ` (${idsOf(timing)})`}`);
  const otherwise = told.filter(({ timing, configuredTiming = timing }) => configuredTiming !== timing);
  const differ = otherwise.map(({ id, configuredTiming }) => `${id} is configured with ${configuredTiming}`);
  if (differ.length > 0)
    lines.push(`set by caucus reconfigure; ${differ.join(', ')}: change the configuration files as well`);
  return lines.length === 0 ? [] : ['', ...lines.map(oneLine)];
}

/** One for each recovery that the members come from: with more than one, they are several clusters. */
function recoveryLines(rows: readonly Row[]): string[] {
  const found = rows.flatMap(({ status }) => status?.recovery ?? []);
  const each = found.filter(({ id }, i) => found.findIndex((other) => other.id === id) === i);
  return each.map((recovery) => {
    const ids = rows.filter(({ status }) => status?.recovery?.id === recovery.id).map(({ id }) => id);
    return `${recoveryWords(recovery)} (caucus recover): its cluster is that of ${ids.join(', ')}, and all its tokens are above ${recovery.term}`;
  });
}

function statusLines(seen: Status, rows: readonly Row[]): string[] {
  const { paint } = pageOf(process.stdout, process.env);
  const acting = actingIn(rows);
  const does = isReserved(seen.electionName) ? 'manages the leases of participants' : 'leads';
  const who =
    acting.length === 0
      ? paint(oneLine(`no leader${whyNone(seen, rows)}`), 'yellow')
      : acting
          .map(({ id, status }) => paint(oneLine(`${id} ${does}, token ${status!.token ?? 'none'}`), 'green'))
          .join(' and ');
  const table = columnLines(
    ['member', 'role', 'follows', 'token', 'url', ''],
    rows.map(({ id, url, status, problem }) => [
      id,
      status === null ? '-' : status.acting ? 'leader' : status.role === 'leader' ? 'waiting' : status.role,
      String(status?.leader ?? '-'),
      status?.token ?? '-',
      url,
      remark(seen, { id, status, problem }),
    ]),
  );
  const skew = skewWords(rows);
  const recoveries = recoveryLines(rows);
  return [
    `${paint(oneLine(seen.electionName), 'bold')} of ${oneLine(seen.cluster)} (${oneLine(seen.protocol)}): ${who}`,
    '',
    paint(table[0]!, 'dim'),
    ...table.slice(1),
    ...timingLines(rows),
    ...pendingLines(rows).map((line) => paint(line, 'yellow')),
    ...(recoveries.length === 0 ? [] : ['', ...recoveries.map((line) => paint(oneLine(line), 'yellow'))]),
    ...(skew === null ? [] : ['', paint(oneLine(skew), 'yellow')]),
  ];
}
