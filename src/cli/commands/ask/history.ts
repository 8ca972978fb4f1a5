import { actWords } from '../../../api/index.ts';
import { type History, history } from '../../../api/wire/index.ts';
import { harmless, oneLine, Refusal } from '../../input/refusal.ts';
import type { AskFlags } from './ask-flags.ts';
import { columnLines } from './columns.ts';
import { membersToAsk, seenBy } from './first-answer.ts';
import { NoAnswer } from './member-client.ts';
import { type Account, mergeHistories } from './merge-histories.ts';

/** One member of many is not waited for as long as the only one that is asked. */
const ANSWER_WITHIN_MS = 2000;

/** The changes of leader and the acts of operators, in the order in which they happened, as all members saw them. */
export async function historyCommand(
  urls: readonly string[],
  { member, ...flags }: AskFlags & { readonly member?: string },
): Promise<number> {
  const { seen, trusted } = await seenBy(membersToAsk(urls, flags));
  const voters = seen.voters.filter(({ voterId }) => member === undefined || String(voterId) === member);
  if (voters.length === 0)
    throw new Refusal(`--member: expected one of ${seen.voters.map(({ voterId }) => voterId).join(', ')}`);
  const accounts: Account[] = [];
  let failure: NoAnswer | null = null;
  await Promise.all(
    voters.map(async ({ voterId, voterUrl }) => {
      try {
        const answer: History = await trusted.client(voterUrl).get('/history', history, ANSWER_WITHIN_MS);
        accounts.push({ member: String(voterId), changes: answer.history, acts: answer.acts ?? [] });
      } catch (error) {
        if (!(error instanceof NoAnswer)) throw error;
        failure = error;
        process.stderr.write(`caucus: ${oneLine(`without the history of ${voterId}: ${error.message}`)}\n`);
      }
    }),
  );
  if (accounts.length === 0) throw failure!;
  const entries = mergeHistories(accounts);
  if (flags.json) {
    for (const entry of entries) print(JSON.stringify(entry));
    return 0;
  }
  const rows = entries.map((entry) => {
    const seenByWords = entry.seenBy.join(' ');
    if ('what' in entry) return [entry.at, '-', '-', 'command', seenByWords, actWords(entry)];
    return [
      entry.at,
      String(entry.leader ?? '-'),
      entry.token ?? '-',
      entry.cause,
      seenByWords,
      entry.detail,
    ];
  });
  print(columnLines(['at', 'leader', 'token', 'cause', 'seen by', ''], rows).join('\n'));
  return 0;
}

function print(text: string): void {
  process.stdout.write(`${harmless(text)}\n`);
}
