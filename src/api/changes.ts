import type { Cause } from '../election/index.ts';
import type { Change, ElectionPort, MemberPort } from './port.ts';

/** One change in one of the elections. */
export interface ElectionChange {
  readonly election: string;
  readonly change: Change;
}

/** So many of the last changes of all elections together are kept: as many as of one. */
const MOST_RECENT = 1000;

/**
 * What changes in all elections of a member: how often, by cause, and the last changes. The history of an election is
 * bounded and a counter must never fall, so the changes are counted as they come.
 */
export class Changes {
  readonly #member: MemberPort;
  readonly #elections = new Map<string, Seen>();
  readonly #stopMember: () => void;
  #recent: ElectionChange[] = [];

  constructor(member: MemberPort) {
    this.#member = member;
    this.#stopMember = member.subscribe(() => this.#follow());
    this.#follow();
  }

  of(election: ElectionPort): ReadonlyMap<Cause, number> {
    this.#follow();
    const seen = this.#elections.get(election.name);
    if (seen === undefined) return new Map();
    this.#count(seen);
    return new Map(Object.entries(seen.counts) as [Cause, number][]);
  }

  /** The last changes of all elections since this process started, oldest first. */
  get recent(): readonly ElectionChange[] {
    this.#follow();
    for (const seen of this.#elections.values()) this.#count(seen);
    return this.#recent.sort((a, b) => a.change.atMs - b.change.atMs).slice(-MOST_RECENT);
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
      const seen: Seen = { election, last: null, counts: {}, stop: () => {} };
      seen.stop = election.subscribe(() => this.#count(seen));
      this.#elections.set(election.name, seen);
      this.#count(seen);
    }
  }

  #count(seen: Seen): void {
    const { history, name } = seen.election;
    const from = history.lastIndexOf(seen.last!) + 1;
    for (const change of history.slice(from)) {
      seen.counts[change.cause] = (seen.counts[change.cause] ?? 0) + 1;
      this.#recent.push({ election: name, change });
    }
    seen.last = history.at(-1) ?? null;
    // Not at every change, since it copies all of them.
    if (this.#recent.length > 2 * MOST_RECENT) this.#recent = this.#recent.slice(-MOST_RECENT);
  }
}

interface Seen {
  readonly election: ElectionPort;
  last: Change | null;
  /** An object, which takes a quarter of the memory of a map. */
  readonly counts: Partial<Record<Cause, number>>;
  stop: () => void;
}
