import { type RunList, runList, value } from '../../../api/wire/index.ts';
import type { Json } from '../../../core/index.ts';
import { recordElections } from '../../../election/index.ts';
import { harmless, Refusal } from '../../input/refusal.ts';
import type { AskFlags } from './ask-flags.ts';
import { columnLines } from './columns.ts';
import { firstAnswer, membersToAsk } from './first-answer.ts';
import { NoAnswer } from './member-client.ts';

/** What is recorded in an election, and what was published in another one. */
export interface RunsSource {
  readonly list: () => Promise<RunList>;
  readonly published: (election: string) => Promise<Json>;
}

/** The occasions that were recorded last, as one of the members knows them. */
export function runsCommand(urls: readonly string[], flags: AskFlags): Promise<number> {
  const list = (): Promise<RunList> =>
    firstAnswer(membersToAsk(urls, flags), (member) => member.get('/runs', runList));
  const published = async (election: string): Promise<Json> => {
    const members = membersToAsk(urls, { ...flags, election });
    return (await firstAnswer(members, (member) => member.get('/value', value))).value;
  };
  return printRuns({ list, published }, flags);
}

/** Prints one line for each: those that have ended, then those that have not. Returns the exit code. */
export async function printRuns(source: RunsSource, { election, json = false }: AskFlags): Promise<number> {
  let list: RunList;
  try {
    list = await source.list();
  } catch (error) {
    // There is no such election, or it records nothing: that may be the name of a partition.
    const isAnswer = error instanceof NoAnswer && (error.status === 404 || error.status === 409);
    if (!isAnswer || election === undefined || (await electionsOfShards(source, election)).length === 0)
      throw error;
    list = { electionName: election, runs: [], open: [] };
  }
  const running = list.open.map((each) => ({ ...each, outcome: 'open', ended: null, error: undefined }));
  const all = [...list.runs, ...running];
  if (all.length === 0) {
    const advice = adviceFor(await electionsOfShards(source, list.electionName));
    process.stderr.write(`caucus: nothing is recorded in the election ${list.electionName}${advice}\n`);
    return 1;
  }
  const print = (text: string): void => void process.stdout.write(`${harmless(text)}\n`);
  if (json) {
    for (const each of all) print(JSON.stringify(each));
    return 0;
  }
  const rows = all.map(({ occasion, series, outcome, member, token, attempt, began, ended, error }) => [
    String(occasion),
    series,
    outcome,
    member,
    token,
    String(attempt),
    began ?? '-',
    ended ?? '-',
    error ?? '',
  ]);
  const head = ['occasion', 'series', 'outcome', 'member', 'token', 'attempt', 'began', 'ended', ''];
  print(columnLines(head, rows).join('\n'));
  return 0;
}

/** The elections to ask for what was run for the shards of a partition; empty if there is no partition of this name. */
async function electionsOfShards({ published }: RunsSource, election: string): Promise<readonly string[]> {
  const partition = election.replace(/\.shards$/, '');
  try {
    return recordElections(partition, await published(`${partition}.shards`));
  } catch (error) {
    // No such election, or a name that is too long for one.
    if (error instanceof NoAnswer || error instanceof Refusal) return [];
    throw error;
  }
}

function adviceFor(elections: readonly string[]): string {
  const [first, last] = [elections[0], elections.at(-1)];
  if (first === undefined) return '';
  const all = first === last ? first : `${first} ${elections.length === 2 ? 'and' : 'to'} ${last}`;
  return `; what was run for its shards is in ${all}: caucus runs --election ${first}`;
}
