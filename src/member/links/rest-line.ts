import type { MemberId } from '../../core/index.ts';
import type { Hub } from './hub.ts';
import type { Posted } from './post.ts';
import type { Outgoing, Queue } from './queue.ts';
import type { Traffic } from './traffic.ts';

/** Empties the queue of a peer that speaks only REST, a few requests at a time. */
export class RestLine {
  /** True while the peer answers over REST. */
  isOpen = false;
  roundTripMs: number | null = null;

  readonly #id: MemberId;
  readonly #hub: Hub;
  readonly #queue: Queue;
  readonly #traffic: Traffic;
  readonly #onUnreachable: () => void;
  #inFlight = 0;

  constructor(id: MemberId, hub: Hub, queue: Queue, traffic: Traffic, onUnreachable: () => void) {
    this.#id = id;
    this.#hub = hub;
    this.#queue = queue;
    this.#traffic = traffic;
    this.#onUnreachable = onUnreachable;
  }

  flush(url: string): void {
    while (this.isOpen && this.#inFlight < this.#hub.options.postsInFlight) {
      const item = this.#queue.shift();
      if (item === undefined) return;
      this.#inFlight++;
      const startMs = performance.now();
      // The whole message, which an earlier release refuses: no greeting has compared the times, so the other side must not
      // take its own for what is asked.
      const { election, message } = item;
      this.#hub.poster.post(url, this.#id, { election, message }, (result) => {
        this.#inFlight--;
        if (this.#hub.closed) return;
        this.#onPosted(url, item, result, performance.now() - startMs);
        this.flush(url);
      });
    }
  }

  #onPosted(url: string, item: Outgoing, result: Posted, tookMs: number): void {
    if (result.type === 'failed') {
      this.#traffic.dropped++;
      const { refused } = result;
      if (refused !== undefined)
        this.#hub.events.onRefused(refused.reason, `${this.#id} (${url})`, refused.kind, 'refused', true);
      if (!result.reachable && this.isOpen) this.#onUnreachable();
      return;
    }
    this.#traffic.countSent(item.bytes);
    this.roundTripMs = tookMs;
    const { events } = this.#hub;
    const { answer, messages, bytes } = result;
    if (answer === null && messages.length === 0) return;
    this.#traffic.countReceived(bytes);
    if (answer !== null) {
      if (events.onAnswer === undefined) events.onMessage(this.#id, item.election, answer);
      else events.onAnswer(this.#id, item.election, answer);
    }
    for (const message of messages) events.onMessage(this.#id, item.election, message);
  }
}
