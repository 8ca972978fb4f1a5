import { assertNever, type Delay, type MemberId } from '../core/index.ts';
import {
  type Closing,
  type ConnectionId,
  type Decision,
  type Identity,
  type PeerEvent,
  type PeerOptions,
  Peers,
  type ProcessIdentity,
} from '../peers/index.ts';
import type { Host } from './host.ts';
import type { WireEnd, WireFrame, WireOwner } from './wire.ts';

/** What a process needs of the connections around it. */
export interface ConnectionSurroundings {
  readonly nowMs: number;
  /** Runs a function after a while, independent of any process's clock. Returns a function that cancels it. */
  after(delayMs: Delay, run: () => void): () => void;
  transmit(to: WireEnd, frame: WireFrame): void;
  dial(process: ConnectedHost, peer: MemberId): () => void;
  /** Can this process reach that local socket, from where it runs? */
  canMeet(process: ConnectedHost, end: WireEnd, localSocket: string): boolean;
  /** What the kernel of the process says of another one. */
  isDead(process: ConnectedHost, other: ProcessIdentity): boolean;
  gone(process: ConnectedHost, decision: Extract<Decision, { type: 'gone' }>): void;
}

const PING: WireFrame = { type: 'ping' };
const PONG: WireFrame = { type: 'pong' };

/** One simulated process with its connections: it runs the same state machine for them as a real member. */
export class ConnectedHost implements WireOwner {
  readonly host: Host;
  readonly at: MemberId;
  readonly identity: Identity;
  readonly life: string;
  /** It has not been killed. */
  isAlive = true;
  readonly ends: Map<ConnectionId, WireEnd> = new Map();
  /** All processes that a message was ever received from. */
  readonly heard: Set<WireOwner> = new Set();
  /** Its end of the connection in use, by peer. */
  readonly used: Map<MemberId, WireEnd> = new Map();

  readonly #around: ConnectionSurroundings;
  readonly #machine: Peers;
  readonly #timers = new Map<string, () => void>();
  readonly #dials = new Map<MemberId, () => void>();
  /** Events that came while it was paused. */
  #backlog: PeerEvent[] = [];
  #isTaking = false;
  readonly #waiting: PeerEvent[] = [];

  constructor(host: Host, identity: Identity, options: PeerOptions, around: ConnectionSurroundings) {
    this.host = host;
    this.at = host.id;
    this.identity = identity;
    this.life = host.life;
    this.#around = around;
    this.#machine = new Peers(identity, options);
    const ping = (): void => {
      if (!this.isAlive) return;
      this.give({ type: 'ping-due' });
      around.after(options.pingMs, ping);
    };
    around.after(options.pingMs, ping);
  }

  /** A paused process gets its events when it resumes. */
  give(event: PeerEvent): void {
    if (!this.isAlive) return;
    if (this.host.paused) {
      this.#backlog.push(event);
      return;
    }
    if (this.#isTaking) {
      this.#waiting.push(event);
      return;
    }
    this.#isTaking = true;
    this.#take(event);
    while (this.#waiting.length > 0) this.#take(this.#waiting.shift()!);
    this.#isTaking = false;
  }

  #take(event: PeerEvent): void {
    const decisions = this.#machine.take(event, this.#around.nowMs);
    for (let i = 0; i < decisions.length; i++) this.#carryOut(decisions[i]!);
  }

  resume(): void {
    const backlog = this.#backlog;
    this.#backlog = [];
    for (const event of backlog) this.give(event);
  }

  /** Its kernel closes its connections. A process that dies with unread data resets them. */
  kill(closing: 'ended' | 'reset'): void {
    this.isAlive = false;
    for (const stop of [...this.#timers.values(), ...this.#dials.values()]) stop();
    for (const end of this.ends.values()) {
      if (!end.isOpen) continue;
      end.isOpen = false;
      this.#around.transmit(end.other, { type: 'close', closing });
    }
  }

  onFrame(end: WireEnd, frame: WireFrame): void {
    const connection = end.number;
    // Nearly all frames are one of these two. Frames have many shapes, so looking at their type is slow.
    if (frame === PING) return this.#reply(end, PONG);
    if (frame === PONG) return this.give({ type: 'pong', connection });
    switch (frame.type) {
      case 'hello':
        return this.give({ type: 'greeted', connection, identity: frame.identity });
      case 'refused':
        return this.give({ type: 'refused', connection, refused: frame.refused });
      // The process itself answers: while it is paused, it does not.
      case 'ping':
        return this.#reply(end, PONG);
      case 'probe':
        return this.#reply(end, { type: 'probe-answer', poll: frame.poll });
      case 'token':
        return this.#reply(end, { type: 'confirmed' });
      case 'pong':
        return this.give({ type: 'pong', connection });
      case 'probe-answer':
        return this.give({ type: 'probed', connection, poll: frame.poll, answered: true });
      case 'confirmed':
        return this.give({ type: 'met', connection });
      case 'witnessed':
        return this.give({ type: 'witnessed', connection, report: frame.report });
      case 'close':
        return this.closed(end, frame.closing);
      default:
        assertNever(frame);
    }
  }

  /** This side learns that the connection is closed. */
  closed(end: WireEnd, closing: Closing): void {
    if (!end.isOpen) return;
    end.isOpen = false;
    end.isForgotten = true;
    this.ends.delete(end.number);
    this.give({ type: 'closed', connection: end.number, closing, reason: closing });
  }

  #reply(end: WireEnd, frame: WireFrame): void {
    if (this.isAlive && !this.host.paused) this.#send(end, frame);
  }

  #send(end: WireEnd | undefined, frame: WireFrame): void {
    if (end?.isOpen) this.#around.transmit(end.other, frame);
  }

  #close(end: WireEnd | undefined, closing: Closing = 'goodbye'): void {
    if (!end?.isOpen) return;
    this.#send(end, { type: 'close', closing });
    this.closed(end, 'by-us');
  }

  #carryOut(decision: Decision): void {
    switch (decision.type) {
      case 'ping':
        return this.#send(this.ends.get(decision.connection), PING);
      case 'accept': {
        const end = this.ends.get(decision.connection);
        if (end === undefined) return;
        end.isAccepted = true;
        this.heard.add(end.other.owner);
        return;
      }
      case 'greet':
        return this.#send(this.ends.get(decision.connection), { type: 'hello', identity: this.identity });
      case 'refuse': {
        const end = this.ends.get(decision.connection);
        this.#send(end, { type: 'refused', refused: decision.refused });
        return this.#close(end);
      }
      case 'warn':
        return this.#send(this.ends.get(decision.connection), { type: 'refused', refused: decision.refused });
      case 'close':
        return this.#close(this.ends.get(decision.connection), decision.says);
      case 'terminate':
        return this.#close(this.ends.get(decision.connection));
      case 'use': {
        const end = decision.connection === null ? undefined : this.ends.get(decision.connection);
        if (end === undefined) this.used.delete(decision.peer);
        else this.used.set(decision.peer, end);
        return;
      }
      case 'dial':
        this.#dials.set(decision.peer, this.#around.dial(this, decision.peer));
        return;
      case 'abort-dial':
        return this.#dials.get(decision.peer)?.();
      case 'set-timer':
        return this.#setTimer(decision.timer, decision.delayMs);
      case 'cancel-timer':
        return this.#timers.get(decision.timer)?.();
      case 'probe': {
        const { connection, poll, withinMs } = decision;
        const end = this.ends.get(connection);
        this.#send(end, { type: 'probe', poll });
        const unanswered = (): void => this.give({ type: 'probed', connection, poll, answered: false });
        this.#around.after(end === undefined ? 0 : withinMs, unanswered);
        return;
      }
      case 'attest': {
        const { report } = decision;
        return this.#send(this.ends.get(decision.connection), { type: 'witnessed', report });
      }
      case 'meet': {
        const end = this.ends.get(decision.connection);
        if (end !== undefined && this.#around.canMeet(this, end, decision.localSocket))
          this.#send(end, { type: 'token' });
        return;
      }
      case 'look': {
        const { peer, look, process } = decision;
        return this.give({ type: 'seen', peer, look, isDead: this.#around.isDead(this, process) });
      }
      case 'gone':
        return this.#around.gone(this, decision);
      case 'back':
        return this.host.give({ type: 'peer-back', peer: decision.peer });
      // Only for the log, for members that speak only REST, and for data folders that were recovered.
      case 'adopt':
      case 'unreachable':
      case 'use-rest':
      case 'up':
      case 'local':
      case 'down':
      case 'shared':
      case 'disbelieve':
      case 'tell':
        return;
      default:
        assertNever(decision);
    }
  }

  #setTimer(timer: string, delayMs: Delay): void {
    this.#timers.get(timer)?.();
    const fire = (): void => {
      this.#timers.delete(timer);
      this.give({ type: 'timer', timer });
    };
    this.#timers.set(timer, this.#around.after(delayMs, fire));
  }
}
