import type { Cause } from '../election/index.ts';
import type { Change, ElectionPort, MemberPort } from './port.ts';

/**
 * How often the leader changed, by cause. The history is bounded and a counter must never fall, so the changes are
 * counted as they come.
 */
export class ChangeCounts {
  readonly #member: MemberPort;
  readonly #elections = new Map<string, Seen>();
  readonly #stopMember: () => void;

  constructor(member: MemberPort) {
    this.#member = member;
    this.#stopMember = member.subscribe(() => this.#follow());
    this.#follow();
  }

  of(election: ElectionPort): ReadonlyMap<Cause, number> {
    this.#follow();
    const seen = this.#elections.get(election.name);
    if (seen === undefined) return new Map();
    count(seen);
    return seen.counts;
  }

  close(): void {
    this.#stopMember();
    for (const seen of this.#elections.values()) seen.stop();
    this.#elections.clear();
  }

  /** Elections are only ever added, so their number tells whether there are new ones. */
  #follow(): void {
    const { elections } = this.#member;
    if (elections.length === this.#elections.size) return;
    for (const election of elections) {
      if (this.#elections.has(election.name)) continue;
      const seen: Seen = { election, last: null, counts: new Map(), stop: () => {} };
      seen.stop = election.subscribe(() => count(seen));
      this.#elections.set(election.name, seen);
      count(seen);
    }
  }
}

interface Seen {
  readonly election: ElectionPort;
  last: Change | null;
  readonly counts: Map<Cause, number>;
  stop: () => void;
}

function count(seen: Seen): void {
  const { history } = seen.election;
  for (let i = history.length - 1; i >= 0 && history[i] !== seen.last; i--) {
    const { cause } = history[i]!;
    seen.counts.set(cause, (seen.counts.get(cause) ?? 0) + 1);
  }
  seen.last = history.at(-1) ?? null;
}
