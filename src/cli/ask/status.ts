import { pageOf } from '../page.ts';
import { harmless, oneLine } from '../refusal.ts';
import type { StatusAnswer } from './answers.ts';
import { columnLines } from './columns.ts';
import { firstAnswer, membersToAsk } from './first-answer.ts';
import { MemberClient, NoAnswer } from './member-client.ts';

export interface AskFlags {
  readonly election?: string;
  readonly json?: boolean;
}

/** What one voter says of itself, or why it says nothing. */
interface Row {
  readonly id: string;
  readonly url: string;
  readonly status: StatusAnswer | null;
  readonly problem: string | null;
}

/** How the cluster stands, as each of its voters sees it. 0 if somebody leads. */
export async function statusCommand(urls: readonly string[], flags: AskFlags): Promise<number> {
  const ask = (member: MemberClient): Promise<StatusAnswer> => member.get('/status') as Promise<StatusAnswer>;
  const seen = await firstAnswer(membersToAsk(urls, flags.election), ask);
  const rows = await Promise.all(
    seen.voters.map(async ({ voterId, voterUrl }): Promise<Row> => {
      const row = { id: String(voterId), url: voterUrl };
      try {
        return { ...row, status: await ask(new MemberClient(voterUrl, flags.election)), problem: null };
      } catch (error) {
        if (!(error instanceof NoAnswer)) throw error;
        return { ...row, status: null, problem: error.message.replace(`${voterUrl}: `, '') };
      }
    }),
  );
  const acting = rows.filter(({ status }) => status?.acting);
  if (flags.json) {
    const { cluster, electionName, protocol } = seen;
    const leaders = acting.map(({ id, status }) => ({ id, token: status!.token }));
    process.stdout.write(
      `${harmless(JSON.stringify({ cluster, electionName, protocol, leaders, members: rows }, null, 2))}\n`,
    );
  } else {
    process.stdout.write(`${statusLines(seen, rows).join('\n')}\n`);
  }
  return acting.length > 0 ? 0 : 1;
}

function statusLines(seen: StatusAnswer, rows: readonly Row[]): string[] {
  const { paint } = pageOf(process.stdout, process.env);
  const acting = rows.filter(({ status }) => status?.acting);
  const who =
    acting.length === 0
      ? paint('nobody leads', 'yellow')
      : acting
          .map(({ id, status }) => paint(oneLine(`${id} leads, token ${status!.token ?? 'none'}`), 'green'))
          .join(' and ');
  const table = columnLines(
    ['member', 'role', 'follows', 'token', 'url', ''],
    rows.map(({ id, url, status, problem }) => [
      id,
      status === null ? '-' : status.acting ? 'leader' : status.role === 'leader' ? 'waiting' : status.role,
      String(status?.leader ?? '-'),
      status?.token ?? '-',
      url,
      problem ?? status?.illness ?? '',
    ]),
  );
  return [
    `${paint(oneLine(seen.electionName), 'bold')} of ${oneLine(seen.cluster)} (${oneLine(seen.protocol)}): ${who}`,
    '',
    paint(table[0]!, 'dim'),
    ...table.slice(1),
  ];
}
