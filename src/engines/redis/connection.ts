import type { Clock } from '../../election/index.ts';
import type { Client, Link } from './link.ts';

/** Sends commands to one master, over a connection that is opened when needed. */
export class Connection {
  readonly #open: (onEnd: () => void) => Link;
  readonly #clock: Clock;
  readonly #withinMs: number;
  readonly #onLate: () => void;
  readonly #underWay = new Set<Promise<unknown>>();
  #link: Link | null = null;
  #isClosed = false;

  /**
   * Calls `onLate` when an answer did not come in time: then no other connection to this master can be trusted
   * either.
   */
  constructor(open: (onEnd: () => void) => Link, clock: Clock, withinMs: number, onLate: () => void) {
    this.#open = open;
    this.#clock = clock;
    this.#withinMs = withinMs;
    this.#onLate = onLate;
  }

  /**
   * Rejects at once when the signal is aborted, or when the answer is late. The connection is closed then: a late
   * answer could be taken for that of another command, and whatever delays it delays later commands too.
   */
  send<T>(command: (client: Client) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const sent = this.#send(command, signal);
    this.#underWay.add(sent);
    const done = (): void => void this.#underWay.delete(sent);
    sent.then(done, done);
    return sent;
  }

  /** Waits for commands in flight, which takes at most their time limit. */
  async close(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.allSettled(this.#underWay);
    this.#isClosed = true;
    this.#link?.end();
  }

  async #send<T>(command: (client: Client) => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    if (this.#isClosed) throw new Error('the engine was closed');
    const link = this.#current();
    let forget = (): void => {};
    const late = new Promise<never>((_, reject) => {
      const giveUp = (reason: unknown): void => {
        reject(reason);
        link.end();
        this.#onLate();
      };
      const onAbort = (): void => giveUp(signal?.reason);
      let turn: NodeJS.Immediate | undefined;
      const stop = this.#clock.after(this.#withinMs, () => {
        // If this process was late itself, the answer is already in the socket, and is read before this runs.
        turn = setImmediate(() => giveUp(link.late(this.#withinMs)));
      });
      signal?.addEventListener('abort', onAbort, { once: true });
      forget = () => {
        stop();
        clearImmediate(turn);
        signal?.removeEventListener('abort', onAbort);
      };
    });
    try {
      return await Promise.race([link.ready.then(command), late]);
    } finally {
      forget();
    }
  }

  #current(): Link {
    if (this.#link !== null) return this.#link;
    const link = this.#open(() => {
      if (this.#link === link) this.#link = null;
    });
    this.#link = link;
    return link;
  }
}
