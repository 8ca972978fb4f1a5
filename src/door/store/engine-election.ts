import type { Change, ElectionPort } from '../../api/index.ts';
import type { Command, Outcome, View } from '../../core/index.ts';
import { CaucusError, type Election, type Observation } from '../../election/index.ts';

/** Older changes are dropped. */
const LONGEST_HISTORY = 1000;

/** An election on a store, as the HTTP API sees it: the same questions get the same answers as from a member. */
export class EngineElection implements ElectionPort {
  readonly name: string;
  /** The store. */
  readonly protocol: string;
  readonly history: Change[] = [];
  readonly #election: Election;
  readonly #listeners = new Set<() => void>();
  #seen: Observation | null = null;

  constructor(election: Election, protocol: string) {
    this.name = election.name;
    this.protocol = protocol;
    this.#election = election;
  }

  /** Follows the election until it is closed. */
  async follow(): Promise<void> {
    for await (const observation of this.#election.observe()) {
      this.#seen = observation;
      const { leader, token, cause, detail } = observation;
      this.history.push({ atMs: Date.now(), leader, token, cause, detail });
      if (this.history.length > LONGEST_HISTORY) this.history.shift();
      for (const listener of [...this.#listeners]) listener();
    }
  }

  get view(): View {
    const leader = this.#election.leader();
    const role = leader === null ? 'none' : this.acting ? 'leader' : 'follower';
    return {
      role,
      leader: leader?.name ?? null,
      term: leader?.token === null || leader === null ? null : Number(leader.token),
      lease: null,
      version: this.#election.version,
      value: this.#election.value,
    };
  }

  get acting(): boolean {
    return this.#election.leadership !== null;
  }

  get token(): bigint | null {
    return this.#election.leader()?.token ?? null;
  }

  get expiresInMs(): number | null {
    const leftMs = this.#election.leadership?.expiresInMs ?? Number.POSITIVE_INFINITY;
    return Number.isFinite(leftMs) ? leftMs : null;
  }

  /** Why the store is unavailable now, or null. */
  get illness(): string | null {
    return this.#seen?.cause === 'store-unreachable' ? this.#seen.detail : null;
  }

  async command(command: Command): Promise<Outcome> {
    try {
      if (command.type === 'publish') {
        await this.#election.publish(command.value);
        return { status: 'done' };
      }
      if (command.type !== 'resign')
        return { status: 'refused', reason: `${this.protocol} has no ${command.type}` };
      if (!this.acting) return { status: 'refused', reason: 'this participant does not lead' };
      await this.#election.resign();
      return { status: 'done' };
    } catch (error) {
      if (!(error instanceof CaucusError)) throw error;
      return { status: 'failed', reason: error.message, effect: error.outcome };
    }
  }

  /** Participants talk only to the store, not to each other. */
  receive(): readonly never[] {
    return [];
  }

  ask(): readonly never[] {
    return [];
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
