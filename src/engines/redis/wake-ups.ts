import type { Clock } from '../../election/index.ts';
import type { Client, Link } from './link.ts';

/** Called with messages of a channel; null: some may have been missed. */
export type Heard = (message: string | null) => void;

const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 2000;

/**
 * The subscriptions at one master, on a separate connection. They only wake candidates, which then read the state: a
 * lost message costs only time. It reconnects while there are listeners.
 */
export class WakeUps {
  readonly #open: (onEnd: () => void) => Link;
  readonly #clock: Clock;
  readonly #connectMs: number;
  readonly #channels = new Map<string, Set<Heard>>();
  #link: Link | null = null;
  /** Set once everything is subscribed. */
  #client: Client | null = null;
  #waitMs = FIRST_WAIT_MS;
  #stopWaiting: () => void = () => {};

  constructor(open: (onEnd: () => void) => Link, clock: Clock, connectMs: number) {
    this.#open = open;
    this.#clock = clock;
    this.#connectMs = connectMs;
  }

  listen(channel: string, heard: Heard): () => void {
    const listeners = this.#channels.get(channel);
    if (listeners !== undefined) {
      listeners.add(heard);
    } else {
      this.#channels.set(channel, new Set([heard]));
      if (this.#link === null) this.#connect();
      else if (this.#client !== null) void this.#subscribe(this.#link, this.#client, channel);
    }
    return () => this.#forget(channel, heard);
  }

  /** The connection may be dead without knowing it: opens a new one. */
  renew(): void {
    this.#link?.end();
  }

  close(): void {
    this.#channels.clear();
    this.#stopWaiting();
    this.#link?.end();
  }

  #forget(channel: string, heard: Heard): void {
    const listeners = this.#channels.get(channel);
    if (listeners === undefined || !listeners.delete(heard) || listeners.size > 0) return;
    this.#channels.delete(channel);
    this.#client?.unsubscribe(channel).catch(() => {});
  }

  #connect(): void {
    this.#stopWaiting();
    if (this.#channels.size === 0 || this.#link !== null) return;
    const link = this.#open(() => this.#onEnd(link));
    this.#link = link;
    const stop = this.#clock.after(this.#connectMs, () => link.end());
    link.ready
      .then(async (client) => {
        // Channels that are added meanwhile are in the map, and the loop reaches them.
        for (const channel of this.#channels.keys()) await this.#subscribe(link, client, channel);
        if (link.isOver) return;
        this.#client = client;
        this.#waitMs = FIRST_WAIT_MS;
      })
      .catch(() => link.end())
      .finally(stop);
  }

  async #subscribe(link: Link, client: Client, channel: string): Promise<void> {
    try {
      await client.subscribe(channel, (message) => this.#tell(channel, message));
      this.#tell(channel, null); // Earlier messages may have been missed.
    } catch {
      link.end();
    }
  }

  #tell(channel: string, message: string | null): void {
    for (const heard of [...(this.#channels.get(channel) ?? [])]) heard(message);
  }

  #onEnd(link: Link): void {
    if (this.#link !== link) return;
    this.#link = null;
    this.#client = null;
    if (this.#channels.size === 0) return;
    this.#stopWaiting = this.#clock.after(this.#waitMs, () => this.#connect());
    this.#waitMs = Math.min(2 * this.#waitMs, LONGEST_WAIT_MS);
  }
}
