import { assertNever, type MemberId } from '../../core/index.ts';
import {
  type About,
  type Closing,
  type ConnectionId,
  type Decision,
  earlierThanThis,
  type Identity,
  named,
  type PeerEvent,
  Peers,
  TAKES_LISTS,
} from '../../peers/index.ts';
import { isDead } from '../evidence.ts';
import type { Connection, ConnectionOwner } from './connection.ts';
import { type Dial, type Dialled, dial } from './dial.ts';
import {
  bytesAround,
  type ElectionMessage,
  encodeHello,
  encodeLocalConfirmed,
  encodeLocalToken,
  encodeRefused,
  encodeWitnessed,
  type Frame,
} from './frames.ts';
import type { Hub } from './hub.ts';
import { CROWDED } from './link-authentication.ts';
import { LocalSocket, Meeting, withLocalSocket } from './local-socket.ts';
import { objectTo } from './object-to.ts';
import type { PeerLink } from './peer-link.ts';
import { Strangers } from './strangers.ts';

const TOO_SOON = { kind: 'bad-shape', reason: 'a message before the hello' } as const;

/**
 * Runs the state machine that decides about connections (src/peers): passes it the events of sockets and timers, and
 * carries out its decisions. Nothing is decided here.
 */
export class PeersHost implements ConnectionOwner {
  readonly links: Map<MemberId, PeerLink> = new Map();
  /** Members that were removed. */
  removed: readonly MemberId[] = [];

  /** This process as it greets. */
  readonly own: Identity;
  readonly #hub: Hub;
  readonly #machine: Peers;
  /** Null if the system does not tell which process this is: then no other process could look it up anyway. */
  readonly #local: LocalSocket | null;
  readonly #numbers = new Map<Connection, ConnectionId>();
  readonly #connections = new Map<ConnectionId, Connection>();
  /** Those that other processes opened, as long as they are not accepted as a peer's. */
  readonly #strangers: Strangers<Connection>;
  /** Connections with a peer that was accepted. */
  readonly #accepted = new Map<Connection, MemberId>();
  /** By connection: the exchange that shows that the process at the other end runs on this kernel. */
  readonly #meetings = new Map<Connection, Meeting>();
  readonly #dials = new Map<MemberId, Dial>();
  readonly #timers = new Map<string, NodeJS.Timeout>();
  readonly #pinging: NodeJS.Timeout;
  /** Events that came while others were processed. */
  readonly #waiting: PeerEvent[] = [];
  #isTaking = false;
  #count = 0;

  constructor(own: Identity, hub: Hub) {
    this.#local = own.process === null ? null : new LocalSocket();
    this.own = this.#local === null ? own : withLocalSocket(own, this.#local.name);
    this.#hub = hub;
    this.#machine = new Peers(this.own, hub.options);
    this.#strangers = new Strangers(hub.options.strangers);
    this.#pinging = setInterval(() => this.give({ type: 'ping-due' }), hub.options.pingMs);
  }

  /** All open connections. */
  get connections(): readonly Connection[] {
    return [...this.#connections.values()];
  }

  /** The secrets have changed: all prove themselves again, and those that were refused are dialled at once. */
  renew(): void {
    for (const connection of this.connections) connection.renew();
    for (const peer of this.links.keys()) this.give({ type: 'peer-moved', peer });
  }

  /** Did this process draw the token, for a connection to its local socket that is still open? */
  drew(token: string): boolean {
    return this.#local?.drew(token) === true;
  }

  processOf(peer: MemberId): Identity | null {
    return this.#machine.processOf(peer);
  }

  accepted(connection: Connection): void {
    const chosen = this.#strangers.add(connection);
    this.give({ type: 'accepted', connection: this.#track(connection) });
    if (chosen === null) return;
    chosen.terminate(CROWDED.reason);
    this.#hub.events.onRefused(CROWDED.reason, chosen.remote, CROWDED.kind, 'refused', false);
  }

  onFrame(connection: Connection, frame: Frame, bytes: number): void {
    const number = this.#numbers.get(connection);
    const from = this.#accepted.get(connection);
    if (number === undefined) return;
    switch (frame.type) {
      case 'hello': {
        connection.earlier = earlierThanThis(frame.identity);
        connection.takesLists = frame.identity.features?.includes(TAKES_LISTS) === true;
        const refused = objectTo(connection, frame.identity, this.own.id, this.removed);
        if (refused === null)
          return this.give({ type: 'greeted', connection: number, identity: frame.identity });
        return this.give({ type: 'bad-frame', connection: number, refused });
      }
      case 'refused':
        return this.give({ type: 'refused', connection: number, refused: frame.refused });
      case 'bad':
        return this.give({ type: 'bad-frame', connection: number, refused: frame.refused });
      case 'local-token':
        if (from !== undefined && this.drew(frame.token)) connection.send(encodeLocalConfirmed(frame.token));
        return;
      case 'local-confirmed':
        if (!this.#meetings.get(connection)?.isConfirmedBy(frame.token)) return;
        this.#endMeeting(connection);
        return this.give({ type: 'met', connection: number });
      case 'witnessed':
        return this.give({ type: 'witnessed', connection: number, report: frame.report });
      case 'messages':
        if (from !== undefined) return this.#onMessages(connection, from, frame.messages, bytes);
        return this.give({ type: 'bad-frame', connection: number, refused: TOO_SOON });
      default:
        assertNever(frame);
    }
  }

  #onMessages(by: Connection, from: MemberId, messages: readonly ElectionMessage[], bytes: number): void {
    this.links.get(from)?.traffic.countReceived(bytes - bytesAround(messages), messages.length);
    // What one of them causes may end the connection.
    for (const { election, message } of messages)
      if (!this.#hub.closed && this.#accepted.has(by)) this.#hub.events.onMessage(from, election, message);
  }

  onDrain(connection: Connection): void {
    const peer = this.#accepted.get(connection);
    if (peer !== undefined) this.links.get(peer)?.flush();
  }

  onPong(connection: Connection): void {
    const number = this.#numbers.get(connection);
    if (number !== undefined) this.give({ type: 'pong', connection: number });
  }

  onClosed(connection: Connection, closing: Closing, reason: string): void {
    const number = this.#numbers.get(connection);
    if (number === undefined) return;
    this.#endMeeting(connection);
    this.give({ type: 'closed', connection: number, closing, reason });
    this.#accepted.delete(connection);
    this.#strangers.delete(connection);
    this.#numbers.delete(connection);
    this.#connections.delete(number);
  }

  /**
   * One event after the other, also when a decision about one causes the next. If a listener throws, the remaining
   * decisions are still carried out.
   */
  give(event: PeerEvent): void {
    if (this.#hub.closed) return;
    this.#waiting.push(event);
    if (this.#isTaking) return;
    this.#isTaking = true;
    const errors: unknown[] = [];
    try {
      for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
        for (const decision of this.#machine.take(next, performance.now())) {
          if (this.#hub.closed) break;
          try {
            this.#carryOut(decision);
          } catch (error) {
            errors.push(error);
          }
        }
      }
    } finally {
      this.#isTaking = false;
    }
    if (errors.length > 0) throw errors[0];
  }

  close(): void {
    clearInterval(this.#pinging);
    for (const timer of this.#timers.values()) clearTimeout(timer);
    for (const each of this.#dials.values()) each.abort();
    for (const connection of [...this.#meetings.keys()]) this.#endMeeting(connection);
    for (const link of this.links.values()) link.giveUp();
    this.#local?.close();
    for (const connection of this.connections) connection.leave();
  }

  #track(connection: Connection): ConnectionId {
    const number = ++this.#count;
    this.#numbers.set(connection, number);
    this.#connections.set(number, connection);
    connection.owner = this;
    return number;
  }

  #carryOut(decision: Decision): void {
    const connection = 'connection' in decision ? this.#connections.get(decision.connection ?? 0) : undefined;
    const { events } = this.#hub;
    switch (decision.type) {
      case 'accept':
        if (connection === undefined) return;
        this.#strangers.delete(connection);
        this.#accepted.set(connection, decision.peer);
        return;
      case 'greet':
        return connection?.send(encodeHello(this.own));
      case 'refuse':
        return connection?.refuse(decision.refused);
      case 'warn':
        return connection?.send(encodeRefused(decision.refused));
      case 'close':
        return connection?.close(decision.why, decision.says);
      case 'terminate':
        return connection?.terminate(decision.why);
      case 'use':
        return this.links.get(decision.peer)?.use(connection ?? null);
      case 'use-rest':
        return this.links.get(decision.peer)?.useRest();
      case 'unreachable':
        return this.#onUnreachable(decision.peer, decision.reason);
      case 'dial':
        return this.#dial(decision.peer);
      case 'abort-dial':
        this.#dials.get(decision.peer)?.abort();
        this.#dials.delete(decision.peer);
        return;
      case 'set-timer':
        return this.#setTimer(decision.timer, decision.delayMs);
      case 'cancel-timer':
        return this.#cancelTimer(decision.timer);
      case 'ping':
        return connection?.ping();
      case 'probe': {
        const { poll, connection: number, withinMs } = decision;
        const done = (answered: boolean): void =>
          this.give({ type: 'probed', connection: number, poll, answered });
        return connection === undefined ? done(false) : connection.probe(withinMs, done);
      }
      case 'meet': {
        if (connection === undefined) return;
        const ask = (token: string): void => connection.send(encodeLocalToken(token));
        this.#meetings.set(connection, new Meeting(decision.localSocket, ask));
        return;
      }
      case 'look': {
        const { peer, look, process } = decision;
        return this.give({ type: 'seen', peer, look, isDead: isDead(process) });
      }
      case 'attest':
        return connection?.sendNow(encodeWitnessed(decision.report));
      case 'disbelieve':
        return events.onDisbelieved?.(decision.witness, decision.report, decision.why);
      case 'up':
        return events.onUp(decision.peer);
      case 'local':
        return events.onLocal?.(decision.peer);
      case 'down':
        return events.onDown(decision.peer, decision.reason, decision.isAbandoned);
      case 'shared':
        return events.onShared?.(decision.before, decision.now);
      case 'tell':
        return events.onRefused(
          decision.refused.reason,
          this.#placeOf(decision.about),
          decision.refused.kind,
          decision.verdict,
          'peer' in decision.about,
          'peer' in decision.about ? decision.about.peer : null,
        );
      case 'adopt':
        return events.onRecovery?.(decision.recovery);
      case 'gone':
        return events.onGone?.(decision.peer, decision.proof, decision.life, decision.witness);
      case 'back':
        return events.onBack?.(decision.peer);
      default:
        assertNever(decision);
    }
  }

  #placeOf(about: About): string {
    if ('process' in about) return named(about.process);
    if ('peer' in about) {
      const link = this.links.get(about.peer);
      return link === undefined ? String(about.peer) : `${about.peer} (${link.url})`;
    }
    return this.#connections.get(about.connection)?.remote ?? 'a connection';
  }

  #onUnreachable(peer: MemberId, reason: string | null): void {
    const link = this.links.get(peer);
    if (link === undefined) return;
    link.giveUp();
    if (reason !== null) this.#hub.events.onUnreachable?.({ id: peer, url: link.url }, reason);
  }

  #dial(peer: MemberId): void {
    const link = this.links.get(peer);
    if (link === undefined) return;
    const done = (result: Dialled): void => this.#onDialled(peer, result);
    this.#dials.set(peer, dial(link.url, peer, this.#hub.options, this.#hub.authentication, done));
  }

  #onDialled(peer: MemberId, result: Dialled): void {
    this.#dials.delete(peer);
    if (result.type === 'open')
      this.give({ type: 'dialled', peer, connection: this.#track(result.connection) });
    else if (result.type === 'rest') this.give({ type: 'dial-found-rest', peer });
    else if (result.type === 'refused') {
      const { refused, verdict } = result;
      this.give({ type: 'dial-failed', peer, reason: refused.reason, isRefused: true });
      this.#hub.events.onRefused(refused.reason, this.#placeOf({ peer }), refused.kind, verdict, true, peer);
    } else this.give({ type: 'dial-failed', peer, reason: result.reason });
  }

  #setTimer(timer: string, delay: number | readonly [number, number]): void {
    this.#cancelTimer(timer);
    const delayMs = typeof delay === 'number' ? delay : delay[0] + (delay[1] - delay[0]) * Math.random();
    const fire = (): void => {
      this.#timers.delete(timer);
      this.give({ type: 'timer', timer });
    };
    this.#timers.set(timer, setTimeout(fire, delayMs));
  }

  #cancelTimer(timer: string): void {
    clearTimeout(this.#timers.get(timer));
    this.#timers.delete(timer);
  }

  #endMeeting(connection: Connection): void {
    this.#meetings.get(connection)?.close();
    this.#meetings.delete(connection);
  }
}
