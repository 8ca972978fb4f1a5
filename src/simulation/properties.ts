import { addId, type Json, type MemberId, majority, type Property } from '../core/index.ts';
import { nameOfTwin } from './twins.ts';

/** A property that did not hold: who, when, in words. */
export interface Finding {
  readonly property: Property;
  readonly members: readonly MemberId[];
  readonly detail: string;
  /** Findings with the same key are one: it is reported when it first shows. */
  readonly key: string;
}

type Tell = (finding: Finding) => void;

/**
 * Watches the safety properties from outside, over the whole history: it sees what members claim and which
 * votes travel, never their state. S5, S7 and S8 are about certificates, fenced stores and reconfiguration.
 * The second process of a member is watched under its own name, as if it were another member; but the votes of both are the
 * votes of one voter.
 */
export class Properties {
  readonly #tell: Tell;
  readonly #winner = new Map<number, { readonly member: MemberId; readonly life: string }>();
  readonly #leaderOf = new Map<number, { leader: MemberId; by: MemberId }>();
  readonly #values = new Map<number, { text: string; by: MemberId }>();
  readonly #votes = new Map<string, MemberId>();
  readonly #counted = new Map<string, MemberId[]>();
  readonly #termOf = new Map<MemberId, number>();
  #newest: { readonly term: number; readonly member: MemberId; readonly life: string } | null = null;

  constructor(tell: Tell) {
    this.#tell = tell;
  }

  /** A member says what it believes. */
  believed(member: MemberId, leader: MemberId | null, term: number): void {
    const before = this.#termOf.get(member);
    if (before !== undefined && term < before) {
      const detail = `${member} went back from term ${before} to ${term}`;
      this.#tell({ property: 'S3', members: [member], detail, key: `S3 ${member} ${before} ${term}` });
    }
    this.#termOf.set(member, term);
    if (leader === null) return;
    const first = this.#leaderOf.get(term);
    if (first === undefined) {
      this.#leaderOf.set(term, { leader, by: member });
    } else if (first.leader !== leader) {
      const detail = `in term ${term}, ${first.by} names ${first.leader} and ${member} names ${leader}`;
      this.#tell({
        property: 'S9',
        members: [first.by, member],
        detail,
        key: `S9 ${term} ${first.leader} ${leader}`,
      });
    }
  }

  /** A member shows a published value. */
  showed(member: MemberId, version: number, value: Json): void {
    const text = JSON.stringify(value);
    const first = this.#values.get(version);
    if (first === undefined) {
      this.#values.set(version, { text, by: member });
    } else if (first.text !== text) {
      const detail = `${first.by} shows ${first.text} as version ${version}, ${member} shows ${text}`;
      this.#tell({ property: 'R1', members: [first.by, member], detail, key: `R1 ${version} ${text}` });
    }
  }

  /** A vote leaves its voter. */
  voted(voter: MemberId, candidate: MemberId, term: number): void {
    const key = `${voter} ${term}`;
    const first = this.#votes.get(key);
    if (first === undefined) {
      this.#votes.set(key, candidate);
    } else if (first !== candidate) {
      const detail = `${voter} voted for ${first} and for ${candidate} in term ${term}`;
      this.#tell({ property: 'S2', members: [voter], detail, key: `S2 ${key} ${candidate}` });
    }
  }

  /** A vote reaches its candidate; each voter counts once. */
  counted(voter: MemberId, candidate: MemberId, term: number): void {
    const key = `${candidate} ${term}`;
    const votes = this.#counted.get(key);
    if (votes === undefined) this.#counted.set(key, [voter]);
    else addId(votes, voter);
  }

  /**
   * A member claims the leadership of a term. With `voters` (those of the membership in force, for a protocol that
   * has votes), a majority of them must have voted for it; its own vote is that of the member with this `id`. A member that
   * has started again since (another `life`) is another winner: its earlier process may still be about to act.
   */
  won(
    member: MemberId,
    term: number,
    voters: readonly MemberId[] | null,
    id: MemberId = member,
    life = '',
  ): void {
    const winner = this.#winner.get(term);
    if (winner === undefined) {
      this.#winner.set(term, { member, life });
    } else if (winner.member !== member) {
      const detail = `${nameBoth(winner.member, member)} both won term ${term}`;
      this.#tell({ property: 'S1', members: [winner.member, member], detail, key: `S1 ${term} ${member}` });
    } else if (winner.life !== life) {
      const detail = `${member} won term ${term}, started again, and won it once more`;
      this.#tell({ property: 'S1', members: [member], detail, key: `S1 ${term} ${member}` });
    }
    if (voters === null) return;
    this.voted(id, id, term);
    this.counted(id, member, term);
    const votes = this.#counted.get(`${member} ${term}`) ?? [];
    const count = voters.filter((id) => votes.includes(id)).length;
    const needed = majority(voters.length);
    if (count < needed) {
      const detail = `${member} won term ${term} with ${count} of ${voters.length} voters, ${needed} needed`;
      this.#tell({ property: 'S4', members: [member], detail, key: `S4 ${member} ${term}` });
    }
  }

  /** A member may act, with its term as the token, beside `others` that may act too. With each life it needs a new token. */
  acts(member: MemberId, term: number | null, others: readonly MemberId[], life = ''): void {
    for (const other of others) {
      const pair = [other, member];
      const detail = `${nameBoth(other, member)} could both act${term === null ? '' : ` (${member} in term ${term})`}`;
      this.#tell({
        property: 'S10',
        members: pair,
        detail,
        key: `S10 ${pair.map(String).sort().join(' ')} ${term}`,
      });
    }
    if (term === null) return;
    const newest = this.#newest;
    const isSame = newest !== null && member === newest.member && life === newest.life;
    if (newest !== null && (term < newest.term || (term === newest.term && !isSame))) {
      const before = member === newest.member ? 'its earlier life' : newest.member;
      const detail = `${member} acts with token ${term} after ${before} acted with ${newest.term}`;
      this.#tell({ property: 'S6', members: [newest.member, member], detail, key: `S6 ${member} ${term}` });
    }
    if (newest === null || term > newest.term) this.#newest = { term, member, life };
  }
}

/** Two members, or the two processes of one. */
function nameBoth(a: MemberId, b: MemberId): string {
  if (nameOfTwin(a) === b) return `two processes of ${a}`;
  return nameOfTwin(b) === a ? `two processes of ${b}` : `${a} and ${b}`;
}
