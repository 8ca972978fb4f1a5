import type { Clock } from '../../election/index.ts';
import type { LeaseTimes } from '../lease/settings.ts';
import type { Client } from './client.ts';
import { Session } from './session.ts';

/** The session of an engine: opened when an election first needs it, and again after it was lost. */
export class Sessions {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #times: LeaseTimes;
  #current: Session | null = null;
  #opening: Promise<Session> | null = null;

  constructor(client: Client, clock: Clock, times: LeaseTimes) {
    this.#client = client;
    this.#clock = clock;
    this.#times = times;
  }

  /** The shared session. The first caller opens it for all, within its own time limit. */
  async get(signal: AbortSignal): Promise<Session> {
    while (this.#current === null || this.#current.isLost) {
      const isOurs = this.#opening === null;
      this.#opening ??= this.#open(signal);
      try {
        await this.#opening;
      } catch (error) {
        if (isOurs) throw error;
      }
      signal.throwIfAborted();
    }
    return this.#current;
  }

  async #open(signal: AbortSignal): Promise<Session> {
    try {
      this.#current = await Session.open(this.#client, this.#clock, this.#times, signal);
      return this.#current;
    } finally {
      this.#opening = null;
    }
  }

  async close(): Promise<void> {
    await this.#current?.end();
  }
}
