import { type RunList, runList } from '../../../api/wire/index.ts';
import { harmless } from '../../input/refusal.ts';
import type { AskFlags } from './ask-flags.ts';
import { columnLines } from './columns.ts';
import { firstAnswer, membersToAsk } from './first-answer.ts';

/** The occasions that were recorded last, as one of the members knows them. */
export async function runsCommand(urls: readonly string[], flags: AskFlags): Promise<number> {
  const list = await firstAnswer(membersToAsk(urls, flags), (member) => member.get('/runs', runList));
  printRuns(list, flags.json ?? false);
  return 0;
}

/** One line each: those that have ended, then those that have not. */
export function printRuns({ runs, open }: Pick<RunList, 'runs' | 'open'>, json: boolean): void {
  const running = open.map((each) => ({ ...each, outcome: 'open', ended: null, error: undefined }));
  const all = [...runs, ...running];
  const print = (text: string): void => void process.stdout.write(`${harmless(text)}\n`);
  if (json) {
    for (const each of all) print(JSON.stringify(each));
    return;
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
}
