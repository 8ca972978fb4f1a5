import { type RunList, runList } from '../../../api/wire/index.ts';
import { harmless } from '../../input/refusal.ts';
import type { AskFlags } from './ask-flags.ts';
import { columnLines } from './columns.ts';
import { firstAnswer, membersToAsk } from './first-answer.ts';

/** The occasions that were recorded last, as one of the members knows them. */
export async function runsCommand(urls: readonly string[], flags: AskFlags): Promise<number> {
  const list = await firstAnswer(membersToAsk(urls, flags), (member) => member.get('/runs', runList));
  return printRuns(list, list.electionName, flags.json ?? false);
}

/** One line each: those that have ended, then those that have not. Returns the exit code. */
export function printRuns(
  { runs, open }: Pick<RunList, 'runs' | 'open'>,
  election: string,
  json: boolean,
): number {
  const running = open.map((each) => ({ ...each, outcome: 'open', ended: null, error: undefined }));
  const all = [...runs, ...running];
  if (all.length === 0) {
    process.stderr.write(`caucus: nothing is recorded in the election ${election}\n`);
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
