import { type Status, value } from '../../../api/wire/index.ts';
import type { Json } from '../../../core/index.ts';
import { parseJson } from '../../input/parse-json.ts';
import { harmless, oneLine, Refusal } from '../../input/refusal.ts';
import type { AskFlags } from './ask-flags.ts';
import { firstAnswer, isOutside, membersToAsk, seenBy } from './first-answer.ts';
import { type MemberClient, NoAnswer, Referral } from './member-client.ts';
import type { ResignFlags } from './on-engine.ts';

/** How often a command follows a change of leader. */
const MOST_REFERRALS = 2;

const print = (text: string): void => void process.stdout.write(`${harmless(text)}\n`);

/** Prints the leader. Exit code 1 if there is none. */
export async function leaderCommand(urls: readonly string[], flags: AskFlags): Promise<number> {
  const { seen } = await seenBy(membersToAsk(urls, flags));
  const { leader, leaderUrl, token, detail } = seen;
  if (flags.json) print(JSON.stringify({ name: leader, url: leaderUrl, token }));
  else if (leader !== null) print(String(leader));
  else process.stderr.write(`caucus: ${oneLine(`no leader${detail === '' ? '' : `: ${detail}`}`)}\n`);
  return leader === null ? 1 : 0;
}

/** Tells the leader to resign, whichever member is asked. */
export async function resignCommand(
  urls: readonly string[],
  { reason, wait: waitS, ...flags }: AskFlags & ResignFlags,
): Promise<number> {
  if (reason !== undefined) throw new Refusal('--reason: expected --engine beside it');
  if (waitS !== undefined) throw new Refusal('--wait: expected --engine beside it');
  return order(urls, flags, 'has resigned', (leader) => leader.post('/resign', {}));
}

export async function transferCommand(
  urls: readonly string[],
  flags: AskFlags & { readonly to: string },
): Promise<number> {
  return order(urls, flags, `transferred the leadership to ${flags.to}`, (leader) =>
    leader.post('/transfer', { to: flags.to }),
  );
}

/** Only for voters that register themselves: other members refuse it, and name the command for them. */
export async function removeCommand(
  urls: readonly string[],
  { member, ...flags }: AskFlags & { readonly member: string },
): Promise<number> {
  return order(urls, flags, `has removed ${member}`, (leader) => leader.post('/remove', { voterId: member }));
}

export async function valueCommand(
  urls: readonly string[],
  flags: AskFlags & { readonly set?: string },
): Promise<number> {
  if (flags.set !== undefined) {
    const body = { value: readValue(flags.set) };
    return order(urls, flags, 'has published it', (leader) => leader.put('/value', body));
  }
  const members = membersToAsk(urls, flags);
  const published = await firstAnswer(members, (member) => member.get('/value', value));
  const { version } = published;
  print(JSON.stringify(flags.json ? { version, value: published.value } : published.value));
  return 0;
}

function readValue(text: string): Json {
  try {
    return parseJson(text) as Json;
  } catch (error) {
    throw new Refusal(`--set: ${(error as Error).message}`);
  }
}

function noLeader({ voterId, knownVoters, detail }: Status): string {
  return isOutside(voterId, knownVoters) ? detail : 'there is no leader; caucus status says why';
}

/** Finds the leader, gives it the command, and prints the result. */
async function order(
  urls: readonly string[],
  flags: AskFlags,
  done: string,
  ask: (leader: MemberClient) => Promise<unknown>,
): Promise<number> {
  const { seen, trusted } = await seenBy(membersToAsk(urls, flags));
  let { leader, leaderUrl } = seen;
  if (leader === null || leaderUrl === null) throw new NoAnswer(noLeader(seen), 503);
  for (let referrals = 0; ; referrals++) {
    try {
      const answer = await ask(trusted.commanded(leader, leaderUrl));
      print(flags.json ? JSON.stringify(answer) : `${leader} ${done}`);
      return 0;
    } catch (error) {
      // The leader has changed meanwhile; the member that refused names the new one.
      if (!(error instanceof Referral) || referrals === MOST_REFERRALS) throw error;
      ({ leader, leaderUrl } = error);
    }
  }
}
