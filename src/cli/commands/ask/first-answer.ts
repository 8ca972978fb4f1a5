import { MemberClient, NoAnswer } from './member-client.ts';

const DEFAULT_URL = 'http://127.0.0.1:7101';

/**
 * The members to ask: the given ones, or CAUCUS_URL (several with commas), or the first member of `caucus up --port
 * 7101`.
 */
export function membersToAsk(urls: readonly string[], election: string | undefined): MemberClient[] {
  const usual = (process.env.CAUCUS_URL || DEFAULT_URL).split(',');
  return (urls.length > 0 ? urls : usual).map((url) => new MemberClient(url.trim(), election));
}

/** Asks one after the other until one answers. If none does, throws the last error. */
export async function firstAnswer<T>(
  members: readonly MemberClient[],
  ask: (member: MemberClient) => Promise<T>,
): Promise<T> {
  let last: NoAnswer | undefined;
  for (const member of members) {
    try {
      return await ask(member);
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      // A refusal is an answer; if a member cannot be reached, the next one is asked.
      if (error.status !== null && error.status !== 503) throw error;
      last = error;
    }
  }
  throw last!;
}
