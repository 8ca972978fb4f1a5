import type { MemberId } from '../../core/index.ts';
import type { Connection } from './connection.ts';
import type { Hub } from './hub.ts';
import type { LinkStatus } from './links.ts';
import { type Outgoing, Queue } from './queue.ts';
import { RestLine } from './rest-line.ts';
import { Traffic } from './traffic.ts';

/**
 * The messages between this member and one other. Which connection they use is decided elsewhere (src/peers).
 *
 * A message waits only for a connection attempt that is in flight. When that fails it is dropped, because it would be
 * outdated by the next attempt.
 */
export class PeerLink {
  readonly traffic: Traffic = new Traffic();
  url: string;

  readonly #id: MemberId;
  readonly #queue: Queue;
  readonly #rest: RestLine;
  /** The connection in use; null while messages wait. */
  #connection: Connection | null = null;
  #roundTripMs: number | null = null;

  constructor(id: MemberId, url: string, hub: Hub, onRestFailed: () => void) {
    this.#id = id;
    this.url = url;
    this.#queue = new Queue(hub.options.queueMessages, hub.options.queueBytes);
    this.#rest = new RestLine(id, hub, this.#queue, this.traffic, onRestFailed);
  }

  status(isLinked: boolean): LinkStatus {
    const { sent, received, dropped, bytesSent, bytesReceived } = this.traffic;
    return {
      id: this.#id,
      url: this.url,
      via: isLinked ? 'link' : this.#rest.isOpen ? 'post' : 'none',
      roundTripMs: (isLinked ? this.#connection?.roundTripMs : this.#rest.roundTripMs) ?? this.#roundTripMs,
      queued: this.#queue.length,
      sent,
      received,
      dropped,
      bytesSent,
      bytesReceived,
    };
  }

  send(item: Outgoing): void {
    const connection = this.#connection;
    if (connection?.open && this.#queue.length === 0 && connection.hasRoom()) {
      connection.sendMessage(frameFor(connection, item));
      this.traffic.countSent(item.bytes);
      return;
    }
    this.traffic.dropped += this.#queue.push(item);
    this.#rest.flush(this.url);
  }

  /** What was handed to the connection leaves now. */
  push(): void {
    this.#connection?.flush();
  }

  /** The peer has another URL now. An open connection is kept. */
  moveTo(url: string): void {
    this.url = url;
    this.#rest.isOpen = false;
  }

  use(connection: Connection | null): void {
    this.#roundTripMs = this.#connection?.roundTripMs ?? this.#roundTripMs;
    this.#connection = connection;
    this.#rest.isOpen = false;
    this.flush();
  }

  useRest(): void {
    this.#rest.isOpen = true;
    this.#rest.flush(this.url);
  }

  /** Drops the messages that wait. */
  giveUp(): void {
    this.#rest.isOpen = false;
    this.traffic.dropped += this.#queue.clear();
  }

  flush(): void {
    const connection = this.#connection;
    while (connection?.open && connection.hasRoom()) {
      const item = this.#queue.shift();
      if (item === undefined) return;
      connection.sendMessage(frameFor(connection, item));
      this.traffic.countSent(item.bytes);
    }
  }
}

function frameFor({ earlier }: Connection, item: Outgoing): string {
  return earlier === null ? item.frame : item.earlier(earlier);
}
