import type { MemberId } from '../core/index.ts';

/**
 * Compares the members that an election has with the voters that are configured here. What is configured changes no membership, so
 * people who believe that it does have to be told.
 */
export class MembershipCheck {
  readonly #election: string;
  #told = '';

  constructor(election: string) {
    this.#election = election;
  }

  /** What is to be said now and was not yet, or null. */
  news(members: readonly MemberId[] | undefined, configured: readonly MemberId[]): string | null {
    if (members === undefined) return null;
    const outside = configured.filter((id) => !members.includes(id));
    const unknown = members.filter((id) => !configured.includes(id));
    const news = [
      ...(outside.length === 0
        ? []
        : [
            `${outside.join(', ')} configured as peers, but not members: they take no part, and count for no majority`,
          ]),
      ...(unknown.length === 0
        ? []
        : [`${unknown.join(', ')} members, but not configured as peers: this member cannot reach them`]),
    ].join('; ');
    if (news === this.#told) return null;
    this.#told = news;
    return news === '' ? null : `${this.#election}: its members are ${members.join(', ')}; ${news}`;
  }
}
