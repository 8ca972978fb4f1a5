import type { Clock } from '../../election/index.ts';
import type { LeaseTimes } from '../lease/settings.ts';
import type { Client } from './client.ts';
import { Session, type SessionUser } from './session.ts';

/**
 * etcd takes longer to put a key the more keys its lease has (etcd issue 15993), and ends a lease with all its keys in
 * one act, during which it does nothing else.
 */
const MOST_USERS = 1000;

/**
 * The sessions of an engine: one, unless it has very many elections. Opened when an election first needs it, and again
 * after it was lost.
 */
export class Sessions {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #times: LeaseTimes;
  #all: readonly Session[] = [];
  #opening: Promise<void> | null = null;

  constructor(client: Client, clock: Clock, times: LeaseTimes) {
    this.#client = client;
    this.#clock = clock;
    this.#times = times;
  }

  /**
   * Joins a session that has room, or the one that is named. The first caller opens one for all, within its own time
   * limit.
   */
  async join(user: SessionUser, named: Session | null, signal: AbortSignal): Promise<Session> {
    for (;;) {
      this.#all = this.#all.filter(({ isLost }) => !isLost);
      const known = this.#all.find((each) => each === named || each.has(user));
      const session = known ?? this.#all.find(({ size }) => size < MOST_USERS);
      if (session !== undefined) {
        session.join(user);
        return session;
      }
      const isOurs = this.#opening === null;
      this.#opening ??= this.#open(signal);
      try {
        await this.#opening;
      } catch (error) {
        if (isOurs) throw error;
      }
      signal.throwIfAborted();
    }
  }

  async #open(signal: AbortSignal): Promise<void> {
    try {
      this.#all = [...this.#all, await Session.open(this.#client, this.#clock, this.#times, signal)];
    } finally {
      this.#opening = null;
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#all.map((session) => session.end()));
  }
}
