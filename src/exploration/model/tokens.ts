import type { MemberId } from '../../core/index.ts';
import { type Finding, growingTokens, type TokenUse } from '../../properties/index.ts';
import { processOf } from './history.ts';
import { Interner } from './interner.ts';

/** The newest token that was used so far, and the member that used it; null before the first. */
type Newest = { readonly term: number; readonly member: MemberId } | null;

interface Next {
  readonly newest: number;
  readonly finding: Finding | null;
}

/** The memory of S6 (`src/properties`) over whole histories: the newest token so far. */
export class Tokens {
  readonly newest: Interner<Newest> = new Interner();
  readonly #members: readonly MemberId[];
  readonly #next: Map<number, Next>[] = [];

  constructor(members: readonly MemberId[]) {
    this.#members = members;
    this.newest.id(null); // Number 0.
  }

  /** A member, by index, may act from now on with this term as its token. */
  after(newest: number, member: number, term: number): Next {
    let known = this.#next[newest];
    if (known === undefined) {
      known = new Map();
      this.#next[newest] = known;
    }
    const key = term * this.#members.length + member;
    let next = known.get(key);
    if (next === undefined) {
      next = this.#after(this.newest.value(newest), this.#members[member]!, term);
      known.set(key, next);
    }
    return next;
  }

  /** The same, or nothing if all members have left its term: no older token appears unless a member goes back. */
  since(newest: number, oldest: number): number {
    const value = this.newest.value(newest);
    return value !== null && value.term >= oldest ? newest : 0;
  }

  /** Does every later token that contradicts the second contradict the first too? */
  isAsStrict(first: number, second: number): boolean {
    if (first === second || second === 0) return true;
    if (first === 0) return false;
    return this.newest.value(first)!.term > this.newest.value(second)!.term;
  }

  #after(before: Newest, member: MemberId, term: number): Next {
    if (before === null) return { newest: this.newest.id({ term, member }), finding: null };
    const earlier: TokenUse = { who: processOf(before.member), term: before.term };
    const later: TokenUse = { who: processOf(member), term };
    const kept = growingTokens.kept(earlier, later);
    return {
      newest: this.newest.id({ term: kept.term, member: kept.who.id }),
      finding: growingTokens.judge(earlier, later),
    };
  }
}
