import type { MemberId } from '../core/index.ts';

/**
 * Compares the members of an election with the configured voters. Configuration does not change the membership, so an
 * operator who expects that must be told.
 */
export class MembershipCheck {
  readonly #election: string;
  readonly #self: MemberId;
  #told = '';

  constructor(election: string, self: MemberId) {
    this.#election = election;
    this.#self = self;
  }

  /** A message that was not logged yet, or null. */
  news(members: readonly MemberId[] | undefined, configured: readonly MemberId[]): string | null {
    if (members === undefined) return null;
    const outside = configured.filter((id) => !members.includes(id));
    const unknown = members.filter((id) => !configured.includes(id));
    const news = [
      ...outside.map((id) =>
        id === this.#self
          ? `this member, ${id}, is not one of them: it was removed, or never added; it takes no part and counts for no majority; stop it, and take it out of the peers of the others`
          : `${id} is configured as a peer, but is not a member: it takes no part and counts for no majority`,
      ),
      ...unknown.map(
        (id) => `${id} is a member, but is not configured as a peer: add it to the peers of this member`,
      ),
    ].join('; ');
    if (news === this.#told) return null;
    this.#told = news;
    return news === '' ? null : `${this.#election}: its members are ${members.join(', ')}; ${news}`;
  }
}
