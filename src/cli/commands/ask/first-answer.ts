import { MemberClient, NoAnswer } from './member-client.ts';

const DEFAULT_URL = 'http://127.0.0.1:7101';

/** The members to ask: those given, or CAUCUS_URL (several with commas), or where `caucus up --port 7101` puts the first. */
export function membersToAsk(urls: readonly string[], election: string | undefined): MemberClient[] {
  const usual = (process.env.CAUCUS_URL || DEFAULT_URL).split(',');
  return (urls.length > 0 ? urls : usual).map((url) => new MemberClient(url.trim(), election));
}

/** Asks one after the other until one answers. If none does, what the last one said is thrown. */
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
      // A member that says no is an answer; one that is not there may be replaced by the next.
      if (error.status !== null && error.status !== 503) throw error;
      last = error;
    }
  }
  throw last!;
}
