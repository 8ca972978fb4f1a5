import type { Clock } from '../../election/index.ts';
import { watchEvent } from '../../leases/index.ts';
import type { Client } from './client.ts';

export interface Watcher {
  onNews(news: 'changed' | 'ours'): void;
}

const SHORTEST_WAIT_MS = 20;
const LONGEST_WAIT_MS = 2000;
/** The manager says every five seconds that the stream is alive. */
const SILENT_MS = 15_000;

/**
 * All elections that we watch, over one stream to the lease manager. When it breaks, or when another election is added,
 * another stream is opened, and all watchers are told to read: what changed meanwhile was not reported.
 */
export class Watches {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #session: string;
  readonly #openMs: number;
  readonly #watchers = new Map<string, Watcher>();
  #stream: AbortController | null = null;
  #stopWait: () => void = () => {};
  #stopSilence: () => void = () => {};
  #failures = 0;
  #isClosed = false;

  constructor(client: Client, clock: Clock, session: string, openMs: number) {
    this.#client = client;
    this.#clock = clock;
    this.#session = session;
    this.#openMs = openMs;
    client.onTrouble = () => {
      if (this.#watchers.size > 0) this.#restart();
    };
  }

  /** Returns a function that stops it. */
  add(election: string, watcher: Watcher): () => void {
    this.#watchers.set(election, watcher);
    this.#failures = 0;
    this.#restart();
    return () => {
      this.#watchers.delete(election);
      if (this.#watchers.size === 0) this.#end();
    };
  }

  close(): void {
    this.#isClosed = true;
    this.#watchers.clear();
    this.#end();
  }

  #end(): void {
    this.#stopWait();
    this.#stopSilence();
    const stream = this.#stream;
    this.#stream = null;
    stream?.abort();
  }

  /** Opens another stream a moment later: by then further elections may have been added, or the manager found. */
  #restart(): void {
    if (this.#isClosed || this.#watchers.size === 0) return;
    this.#end();
    const waitMs = Math.min(SHORTEST_WAIT_MS * 2 ** this.#failures, LONGEST_WAIT_MS);
    this.#stopWait = this.#clock.after(waitMs, () => void this.#open());
  }

  async #open(): Promise<void> {
    const stream = new AbortController();
    this.#stream = stream;
    this.#failures += 1;
    let isLive = false;
    this.#listenWithin(stream, this.#openMs);
    const body = { session: this.#session, elections: [...this.#watchers.keys()] };
    await this.#client.lines('/leases/watch', body, stream.signal, (line) => {
      if (this.#stream !== stream) return;
      this.#listenWithin(stream, SILENT_MS);
      if (!isLive) {
        isLive = true;
        this.#failures = 0;
        for (const watcher of [...this.#watchers.values()]) watcher.onNews('ours');
      }
      this.#onLine(line);
    });
    if (this.#stream === stream) this.#restart();
  }

  #listenWithin(stream: AbortController, withinMs: number): void {
    this.#stopSilence();
    this.#stopSilence = this.#clock.after(withinMs, () => stream.abort());
  }

  #onLine(line: string): void {
    const data = /^data: (.*)$/.exec(line)?.[1];
    if (data === undefined) return;
    try {
      const { election, news } = watchEvent.read(JSON.parse(data), 'event');
      this.#watchers.get(election)?.onNews(news);
    } catch {
      // Not from a manager that we understand: the calls report why.
    }
  }
}
