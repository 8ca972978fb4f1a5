import type { Clock } from '../../election/index.ts';
import type { Client } from './client.ts';
import { decode, encode, revisionOf, type WatchAnswer } from './wire.ts';

export interface WatchEvent {
  readonly key: string;
  /** Empty for a deletion. */
  readonly value: string;
  readonly isDelete: boolean;
  readonly revision: bigint;
}

export interface Watcher {
  onEvent(event: WatchEvent): void;
  /** From now on every change is reported. Earlier changes may have been missed. */
  onLive(): void;
}

interface Watch {
  readonly id: string;
  readonly prefix: string;
  readonly prefixEnd: string;
  readonly watcher: Watcher;
  /** The next revision to read; null: start with the current one. */
  fromRevision: bigint | null;
  isLive: boolean;
}

const SHORTEST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 2000;

/**
 * All our watches, over one stream. When it breaks, or when another watch is added, a new stream continues from the
 * revision where it ended. If etcd has compacted that away, it starts from now, and the watcher is told to read the
 * state.
 */
export class Watches {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #openMs: number;
  readonly #watches = new Map<string, Watch>();
  #stream: AbortController | null = null;
  #stopWait: () => void = () => {};
  #failures = 0;
  #lastId = 0;
  #isClosed = false;

  constructor(client: Client, clock: Clock, openMs: number) {
    this.#client = client;
    this.#clock = clock;
    this.#openMs = openMs;
    client.transport.onTrouble = () => this.#restart();
  }

  add(prefix: string, prefixEnd: string, watcher: Watcher): { readonly isLive: boolean; stop(): void } {
    this.#lastId += 1;
    const id = `${this.#lastId}`;
    const watch: Watch = { id, prefix, prefixEnd, watcher, fromRevision: null, isLive: false };
    this.#watches.set(id, watch);
    this.#restart(0);
    return {
      get isLive() {
        return watch.isLive;
      },
      stop: () => {
        this.#watches.delete(id);
        if (this.#watches.size === 0) this.#end();
      },
    };
  }

  /** A change was found that the stream did not report: the stream may be dead although nothing closed it. */
  distrust(): void {
    if (this.#stream !== null) this.#restart();
  }

  close(): void {
    this.#isClosed = true;
    this.#watches.clear();
    this.#end();
  }

  #end(): void {
    this.#stopWait();
    const stream = this.#stream;
    this.#stream = null;
    stream?.abort();
    for (const watch of this.#watches.values()) watch.isLive = false;
  }

  /** Opens another stream a moment later: by then further watches may have been added. */
  #restart(waitMs: number = this.#waitMs()): void {
    if (this.#isClosed) return;
    this.#end();
    if (this.#watches.size === 0) return;
    this.#stopWait = this.#clock.after(waitMs, () => void this.#open());
  }

  #waitMs(): number {
    return Math.min(SHORTEST_WAIT_MS * 2 ** this.#failures, LONGEST_WAIT_MS);
  }

  async #open(): Promise<void> {
    const stream = new AbortController();
    this.#stream = stream;
    const requests = [...this.#watches.values()].map((watch) => ({
      create_request: {
        key: encode(watch.prefix),
        range_end: encode(watch.prefixEnd),
        watch_id: watch.id,
        ...(watch.fromRevision === null ? {} : { start_revision: `${watch.fromRevision}` }),
      },
    }));
    const body = requests.map((request) => JSON.stringify(request)).join('\n');
    this.#failures += 1;
    const stopLate = this.#clock.after(this.#openMs, () => stream.abort());
    await this.#client
      .lines('/v3/watch', body, stream.signal, (line) => {
        stopLate();
        if (this.#stream === stream) this.#onLine(line);
      })
      .catch(() => {}); // The stream could not be opened; the calls report why.
    stopLate();
    if (this.#stream === stream) this.#restart();
  }

  #onLine(line: string): void {
    let answer: WatchAnswer | undefined;
    try {
      answer = (JSON.parse(line) as { result?: WatchAnswer }).result;
    } catch {
      // Half a line, at the end of a broken stream.
    }
    if (answer === undefined) {
      this.#client.forgetToken(); // The token may be the reason.
      return this.#restart();
    }
    const watch = this.#watches.get(answer.watch_id ?? '');
    if (watch === undefined) return;
    const nextRevision = revisionOf(answer.header) + 1n;
    if (answer.canceled) {
      if (answer.compact_revision === undefined) this.#client.forgetToken();
      watch.fromRevision = null;
      return this.#restart();
    }
    if (answer.created) {
      this.#failures = 0;
      watch.isLive = true;
      if (watch.fromRevision !== null) return;
      watch.fromRevision = nextRevision;
      return watch.watcher.onLive();
    }
    watch.fromRevision = nextRevision;
    for (const { type, kv } of answer.events ?? []) {
      const event = {
        key: decode(kv.key),
        value: decode(kv.value ?? ''),
        isDelete: type === 'DELETE',
        revision: BigInt(kv.mod_revision ?? 0),
      };
      watch.watcher.onEvent(event);
    }
  }
}
