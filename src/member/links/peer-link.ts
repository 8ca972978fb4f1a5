import { assertNever, compareIds, type MemberId } from '../../core/index.ts';
import type { Connection, ConnectionOwner } from './connection.ts';
import { Dialler } from './dialler.ts';
import {
  encodeHello,
  encodeLocalConfirmed,
  encodeLocalToken,
  encodeRefused,
  type Frame,
  isSameProcess,
  named,
  type Refused,
  sharedId,
} from './frames.ts';
import type { Hub } from './hub.ts';
import type { Identity, LinkStatus } from './links.ts';
import { isNeighbour, Meeting } from './local-socket.ts';
import { type Outgoing, Queue } from './queue.ts';
import { RestLine } from './rest-line.ts';
import { Traffic } from './traffic.ts';

/** A connection that lived for less does not count as a success: the next attempt goes on backing off. */
const LASTING_MS = 1000;

/**
 * Everything between this member and one other.
 *
 * One connection per pair: the member with the smaller id dials. The other leaves it to it for a moment and then dials
 * as well, since one of the two directions may be closed. If both come up, the smaller id keeps the oldest that answers a
 * ping, and then closes the others: what answers stands on both sides, so neither ever sees its last connection close because
 * of this.
 *
 * Messages go to the oldest connection that answers. A process that knows what another says of itself can open another one in its
 * name; it must not take away what is meant for the process, and the process must not be cut off by it.
 *
 * Another process of the same id takes the place of the one before if none of that one's connections answers a ping. If one
 * does, two live processes share an id: the newcomer is refused and both are told. Which of two processes is the newer does
 * not matter here: protocols tell them apart themselves, by their lives.
 *
 * A message waits only for an attempt to connect that is under way; when that fails it is given up, because by the
 * time of the next attempt it would be old news.
 */
export class PeerLink implements ConnectionOwner {
  readonly traffic: Traffic = new Traffic();

  readonly #id: MemberId;
  readonly #hub: Hub;
  readonly #dialler: Dialler;
  readonly #queue: Queue;
  readonly #rest: RestLine;
  /** The process at the other end, while there is a connection to it. */
  #process: Identity | null = null;
  /** All connections to it that stand, the newest last. */
  #connections: Connection[] = [];
  /** Those that wait until the process before theirs has had its chance to answer. */
  readonly #claimants = new Set<Connection>();
  /** By connection: where the process at the other end has to show that it runs on this kernel. */
  readonly #meetings = new Map<Connection, Meeting>();
  /** How many times it is being found out which connection is used, and which was found. */
  #undecided = 0;
  #chosen: Connection | null = null;
  #upSinceMs = 0;
  #roundTripMs: number | null = null;
  #closed = false;

  constructor(id: MemberId, url: string, hub: Hub) {
    this.#id = id;
    this.#hub = hub;
    this.#queue = new Queue(hub.options.queueMessages, hub.options.queueBytes);
    this.#rest = new RestLine(id, hub, this.#queue, this.traffic, () => this.#onUnreachable(true));
    this.#dialler = new Dialler(id, url, hub, {
      onHello: (connection, identity) => this.claim(connection, identity),
      onRest: () => this.#onRest(),
      onUnreachable: (reason) => {
        this.#onUnreachable(false);
        if (reason !== null && !hub.closed)
          hub.events.onUnreachable?.({ id, url: this.#dialler.url }, reason);
      },
    });
    this.#dialler.start();
  }

  get status(): LinkStatus {
    const { sent, received, dropped, bytesSent, bytesReceived } = this.traffic;
    const isLinked = this.#connections.length > 0;
    return {
      id: this.#id,
      url: this.#dialler.url,
      via: isLinked ? 'link' : this.#rest.isOpen ? 'post' : 'none',
      roundTripMs:
        (isLinked ? (this.#chosen ?? this.#connections.at(-1)!).roundTripMs : this.#rest.roundTripMs) ??
        this.#roundTripMs,
      queued: this.#queue.length,
      sent,
      received,
      dropped,
      bytesSent,
      bytesReceived,
    };
  }

  send(item: Outgoing): void {
    const connection = this.#sender();
    if (connection !== undefined && this.#queue.length === 0 && connection.hasRoom()) {
      connection.send(item.frame);
      this.traffic.countSent(item.bytes);
      return;
    }
    this.traffic.dropped += this.#queue.push(item);
    this.#rest.flush(this.#dialler.url);
  }

  ping(): void {
    for (const connection of [...this.#connections]) connection.ping();
  }

  /** The peer has moved. A connection that stands is not disturbed. */
  moveTo(url: string): void {
    if (url === this.#dialler.url) return;
    this.#dialler.url = url;
    this.#rest.isOpen = false;
    if (this.#process === null) this.#dialler.start();
  }

  /** A process has said that it is this peer, on a connection that either side opened. */
  claim(connection: Connection, identity: Identity): void {
    const current = this.#process;
    if (this.#closed) {
      connection.terminate('it is no longer a peer');
    } else if (current === null || isSameProcess(current, identity)) {
      this.#accept(connection, identity);
    } else {
      this.#contest(connection, identity, current);
    }
  }

  onFrame(connection: Connection, frame: Frame, bytes: number): void {
    switch (frame.type) {
      case 'message':
        this.traffic.countReceived(bytes);
        return this.#hub.events.onMessage(this.#id, frame.election, frame.message);
      case 'local-token':
        if (this.#hub.local?.drew(frame.token)) connection.send(encodeLocalConfirmed(frame.token));
        return;
      case 'local-confirmed':
        return this.#onConfirmed(connection, frame.token);
      case 'hello':
        return this.#onRefused(connection, { kind: 'bad-shape', reason: 'a second hello' });
      case 'refused':
      case 'bad':
        return this.#onRefused(connection, frame.refused);
      default:
        assertNever(frame);
    }
  }

  onDrain(): void {
    this.#flush();
  }

  onClosed(connection: Connection, reason: string): void {
    this.#connections = this.#connections.filter((each) => each !== connection);
    this.#roundTripMs = connection.roundTripMs ?? this.#roundTripMs;
    const gone = this.#process;
    if (this.#connections.length > 0 || gone === null) return;
    this.#process = null;
    if (!this.#closed) this.#dialler.again(performance.now() - this.#upSinceMs >= LASTING_MS);
    if (!this.#hub.closed) this.#hub.events.onDown(gone, reason, connection.isAbandoned);
  }

  close(why: string): void {
    this.#closed = true;
    this.#dialler.stop();
    this.#rest.isOpen = false;
    this.traffic.dropped += this.#queue.clear();
    for (const connection of [...this.#connections, ...this.#claimants]) {
      connection.owner = null;
      connection.close(why);
      this.onClosed(connection, why);
    }
  }

  #accept(connection: Connection, identity: Identity): void {
    if (this.#connections.length >= this.#hub.options.connectionsPerPeer) {
      connection.terminate('too many connections to one peer');
      return;
    }
    this.#dialler.stop();
    this.#rest.isOpen = false;
    if (!connection.dialled) connection.send(encodeHello(this.#hub.own));
    connection.owner = this;
    connection.ping();
    this.#connections.push(connection);
    if (this.#process === null) {
      this.#process = identity;
      this.#upSinceMs = performance.now();
      this.#hub.events.onUp(identity);
    }
    this.#meet(connection, identity);
    this.#flush();
    this.#settle();
  }

  /** Now, and not when it seems to be dead: then no peer would be left to answer. */
  #meet(connection: Connection, identity: Identity): void {
    const { localSocket } = identity;
    if (localSocket === undefined || !isNeighbour(this.#hub.own, identity)) return;
    const meeting = new Meeting(localSocket, (token) => connection.send(encodeLocalToken(token)));
    this.#meetings.set(connection, meeting);
    connection.whenClosed(() => this.#endMeeting(connection));
  }

  #endMeeting(connection: Connection): void {
    this.#meetings.get(connection)?.close();
    this.#meetings.delete(connection);
  }

  #onConfirmed(connection: Connection, token: string): void {
    if (this.#process === null || !this.#meetings.get(connection)?.isConfirmedBy(token)) return;
    this.#endMeeting(connection);
    this.#hub.events.onLocal?.(this.#process);
  }

  /** Another process of this peer is connected. Either it is dead, and we have not noticed yet, or two share an id. */
  #contest(connection: Connection, identity: Identity, current: Identity): void {
    if (this.#claimants.size >= this.#hub.options.connectionsPerPeer) {
      connection.terminate('too many connections to one peer');
      return;
    }
    this.#claimants.add(connection);
    this.#probeAll((standing) => {
      this.#claimants.delete(connection);
      if (!connection.open) return;
      if (standing !== null && this.#process === current) {
        const refused: Refused = { kind: 'same-id', reason: sharedId(current, identity) };
        standing.send(encodeRefused(refused));
        this.#refuse(connection, refused);
        return;
      }
      if (this.#process === current) {
        for (const each of [...this.#connections]) this.#drop(each, 'another process took its place');
      }
      this.claim(connection, identity);
    });
  }

  /** Asks all connections whether the other side is there. `done` is told the oldest that answered, once all before it had time to. */
  #probeAll(done: (oldest: Connection | null) => void): void {
    const standing = [...this.#connections];
    const answers = standing.map((): boolean | null => null);
    let isDone = false;
    standing.forEach((each, i) => {
      each.probe((answered) => {
        answers[i] = answered;
        const first = answers.findIndex((answer) => answer !== false);
        if (isDone || (first >= 0 && answers[first] === null)) return;
        isDone = true;
        done(standing[first] ?? null);
      });
    });
  }

  /** Forgets a connection at once, without waiting for its socket to say that it is closed. */
  #drop(connection: Connection, why: string): void {
    connection.owner = null;
    connection.terminate(why);
    this.onClosed(connection, why);
  }

  /**
   * Which of several connections is used: the oldest that answers. Until that is known, messages wait. The side with the smaller id
   * then closes the others.
   */
  #settle(): void {
    if (this.#connections.length < 2) return;
    const asked = [...this.#connections];
    this.#undecided++;
    this.#probeAll((keep) => {
      this.#undecided--;
      this.#chosen = keep;
      if (keep !== null && compareIds(this.#hub.own.id, this.#id) < 0) this.#keepOnly(keep, asked);
      this.#flush();
    });
  }

  #keepOnly(keep: Connection, asked: readonly Connection[]): void {
    if (!this.#connections.includes(keep)) return;
    const others = asked.filter((each) => each !== keep && this.#connections.includes(each));
    // What they still bring is still heard, but how long they take to close is of no importance any more.
    this.#connections = this.#connections.filter((each) => !others.includes(each));
    for (const other of others) other.close('one connection per pair is enough');
  }

  #onRefused(connection: Connection, { reason, kind }: Refused): void {
    const from = this.#process === null ? connection.remote : named(this.#process);
    this.#hub.events.onRefused(reason, from, kind);
  }

  #refuse(connection: Connection, refused: Refused): void {
    connection.refuse(refused);
    this.#hub.events.onRefused(refused.reason, connection.remote, refused.kind);
  }

  /** The connection that was chosen; where there was no choice, the newest. None while that is being found out. */
  #sender(): Connection | undefined {
    if (this.#undecided > 0) return undefined;
    if (this.#chosen?.open && this.#connections.includes(this.#chosen)) return this.#chosen;
    return this.#connections.findLast((connection) => connection.open);
  }

  #flush(): void {
    const connection = this.#sender();
    while (connection?.hasRoom()) {
      const item = this.#queue.shift();
      if (item === undefined) return;
      connection.send(item.frame);
      this.traffic.countSent(item.bytes);
    }
  }

  #onRest(): void {
    this.#rest.isOpen = true;
    this.#rest.flush(this.#dialler.url);
  }

  #onUnreachable(dialAgain: boolean): void {
    this.#rest.isOpen = false;
    this.traffic.dropped += this.#queue.clear();
    if (dialAgain) this.#dialler.start();
  }
}
