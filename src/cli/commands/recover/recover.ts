import { userInfo } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline/promises';
import { status } from '../../../api/wire/index.ts';
import { electionName, recoveryWords, writtenId } from '../../../core/index.ts';
import { CaucusError } from '../../../election/index.ts';
import { type OpenRecovery, openRecovery, RECOVERY_STEP, type RecoveryPlan } from '../../../member/index.ts';
import { catalogue } from '../../../protocols/index.ts';
import { harmless, isSystemError, oneLine, Refusal, systemWords } from '../../input/refusal.ts';
import { wrap } from '../../terminal/wrap.ts';
import { columnLines } from '../ask/columns.ts';
import { MemberClient, NoAnswer } from '../ask/member-client.ts';
import { readTlsCa } from '../ask/tls-fetch.ts';

export interface RecoverFlags {
  readonly data: string;
  readonly id: string;
  readonly cluster: string;
  readonly tlsCa?: string;
  readonly force?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

const COLUMNS = 100;
const ANSWER_WITHIN_MS = 2000;

/** Shows what will be done, and does it if that is confirmed. */
export async function recoverCommand(flags: RecoverFlags): Promise<number> {
  const opened = await open(flags);
  if (opened === 'completed') {
    process.stdout.write('an earlier recovery of this folder was interrupted, and is complete now\n');
    return 0;
  }
  try {
    const { plan } = opened;
    await refuseIfAnswered(flags, plan);
    if (!flags.json) print(planLines(flags, plan));
    if (!(flags.yes ?? (await isConfirmed(flags)))) {
      process.stderr.write('caucus: nothing was done: it was not confirmed (--yes)\n');
      if (flags.json) print([JSON.stringify({ done: false, ...plan }, null, 2)]);
      return 1;
    }
    return carryOut(opened, flags);
  } finally {
    opened.release();
  }
}

/** A member that answers belongs to the cluster as it is, which would go on beside the new one. */
async function refuseIfAnswered(flags: RecoverFlags, { addresses }: RecoveryPlan): Promise<void> {
  if (flags.force) return;
  const ca = readTlsCa(flags.tlsCa, process.env);
  const found = await Promise.all(
    addresses.map(async ({ id, url }) =>
      (await answers(url, flags.cluster, ca)) ? [`${id} at ${url}`] : [],
    ),
  );
  const there = found.flat();
  if (there.length === 0) return;
  throw new Refusal(
    `members of the cluster still answer: ${there.join(', ')}; if this folder is a copy, or they are a majority, there would be two leaders. Stop them first, or say --force`,
  );
}

/** Also one that answers only that it needs a token, or shows a certificate of another CA. */
async function answers(url: string, cluster: string, ca: string | null): Promise<boolean> {
  try {
    const found = await new MemberClient(url, undefined, null, ca).get('/status', status, ANSWER_WITHIN_MS);
    return found.cluster === cluster;
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    return error.kind === 'refused' || error.kind === 'certificate';
  }
}

async function open(flags: RecoverFlags): Promise<OpenRecovery | 'completed'> {
  try {
    return await openRecovery({
      data: path.resolve(flags.data),
      cluster: electionName.read(flags.cluster, '--cluster'),
      id: writtenId.read(flags.id, '--id'),
      definitions: Object.values(catalogue),
      by: operator(),
      nowMs: Date.now(),
    });
  } catch (error) {
    if (error instanceof CaucusError) throw new Refusal(error.message);
    if (isSystemError(error)) throw new Refusal(`${error.path ?? flags.data}: ${systemWords(error)}`);
    throw error;
  }
}

function carryOut({ plan, carryOut: replace }: OpenRecovery, { json, id }: RecoverFlags): number {
  try {
    replace();
  } catch (error) {
    if (!(error instanceof CaucusError) && !isSystemError(error)) throw error;
    process.stderr.write(`caucus: ${oneLine(`the disk failed: ${error.message}; repeat the command`)}\n`);
    return 1;
  }
  if (json) print([JSON.stringify({ done: true, ...plan }, null, 2)]);
  else print([`recovered: start ${id}, and then add members`]);
  return 0;
}

/** Only a person at a terminal is asked; a script has to say --yes. */
async function isConfirmed({ json, id }: RecoverFlags): Promise<boolean> {
  if (json || !process.stdin.isTTY || !process.stdout.isTTY) return false;
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return (await terminal.question(`Type the id of the member (${id}) to do it: `)).trim() === id;
  } finally {
    terminal.close();
  }
}

function planLines({ id, cluster, data }: RecoverFlags, plan: RecoveryPlan): string[] {
  const { elections, highest, dropped, recovery, before, copy } = plan;
  const others = dropped.length === 0 ? 'no other member' : dropped.join(', ');
  const table = columnLines(
    ['election', 'highest token seen', 'dropped', ''],
    elections.map((each) => [
      each.name,
      String(each.term),
      each.dropped.join(', ') || '-',
      each.wasMember ? '' : `${id} is no member of it, and becomes one`,
    ]),
  );
  const will = [
    `${id} becomes the only member of a new cluster, in all these elections. The values that it knows are kept, also one that was not known to be committed.`,
    `Dropped: ${others}. A dropped member that comes back with its data folder is refused, refuses in turn, and leads nothing as long as it reaches ${id}. Empty its folder, start it again and add it.`,
    `All tokens, of these elections and of later ones, are above ${recovery.term}: the highest token seen (${highest}) and ${RECOVERY_STEP} more.`,
    `The files as they are now are kept in ${copy}. Never start a member on them.`,
    ...(before === null ? [] : [`It was done before: ${recoveryWords(before)}.`]),
  ];
  const unknown = [
    `Tokens that the lost members gave and this disk never heard of. They are smaller than the new ones, unless there were ${RECOVERY_STEP} elections since. Values that were published then are lost.`,
    `Whether the dropped members are really gone. If a majority of them runs and does not reach ${id}, they elect a leader of their own, with smaller tokens: a store that compares tokens refuses it, another one does not.`,
    'Whether another member was recovered too. Each is a cluster of its own; they refuse each other.',
    `Whether this folder is a copy. If ${id} still runs on the original, the cluster as it is goes on beside the new one, and both act: recover the folder of ${id} itself.`,
  ];
  const list = (items: readonly string[]): string[] =>
    items.flatMap((item) => wrap(`- ${oneLine(item)}`, COLUMNS, 2));
  return [
    oneLine(`member ${id} of the cluster ${cluster}, in ${data}`),
    '',
    ...table,
    '',
    'What will be done:',
    ...list(will),
    'What cannot be known here:',
    ...list(unknown),
    '',
  ];
}

function print(lines: readonly string[]): void {
  process.stdout.write(`${harmless(lines.join('\n'))}\n`);
}

/** The account of the system; some containers have none. */
function operator(): string {
  try {
    return userInfo().username;
  } catch {
    return `the user ${process.getuid?.() ?? 'of this process'}`;
  }
}
