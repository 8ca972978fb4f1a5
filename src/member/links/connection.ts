import { randomBytes } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { WebSocket } from 'ws';
import type { MemberId } from '../../core/index.ts';
import type { Closing, Refused } from '../../peers/index.ts';
import { encodeRefused, type Frame, readFrame } from './frames.ts';
import { MessageList } from './message-list.ts';
import type { ResolvedLinkOptions } from './options.ts';
import type { SealedWire } from './sealed-wire.ts';

/** The listener of a connection. */
export interface ConnectionOwner {
  onFrame(connection: Connection, frame: Frame, bytes: number): void;
  /** The other side accepts data again. */
  onDrain(connection: Connection): void;
  /** The last ping was answered. */
  onPong(connection: Connection): void;
  onClosed(connection: Connection, closing: Closing, reason: string): void;
}

interface Probe {
  readonly mark: string;
  readonly done: (answered: boolean) => void;
  readonly timer: NodeJS.Timeout;
}

/** RFC 6455: "an endpoint is going away, such as a server going down". */
const GOING_AWAY = 1001;
const NORMAL = 1000;
/** A code for applications: this side keeps another connection to the same process. */
const DUPLICATE = 4000;
/** RFC 6455 too: "a connection was closed abnormally, e.g. without sending or receiving a Close control frame". */
const WITHOUT_A_WORD = 1006;

/** A frame is two pieces, and the system takes up to 1024 of them in one call; the rest would have to wait. */
const LARGEST_BATCH = 256;

/** One WebSocket, opened by either side. It knows frames, pings and its buffer, but nothing of members. */
export class Connection {
  /** The remote address, for people. */
  readonly remote: string;
  /** The member whose certificate the other side showed when it opened the connection; null if there is none. */
  readonly certifiedId: MemberId | null;
  owner: ConnectionOwner | null = null;
  /** If the other side runs an earlier release: what that understands. Null: all that this one does. */
  earlier: readonly string[] | null = null;
  /** Does the other side understand lists of messages? */
  takesLists = false;
  /** The round trip of the last ping that was answered. */
  roundTripMs: number | null = null;

  readonly #ws: WebSocket;
  readonly #socket: Duplex;
  readonly #options: ResolvedLinkOptions;
  /** Seals all frames; null if members have no secret. */
  readonly #wire: SealedWire | null;
  /** The messages that leave together. Sealed texts do so anyway. */
  readonly #list: MessageList;
  readonly #probes: Probe[] = [];
  /** How many frames wait for the end of the current event. */
  #batch = 0;
  #pings = 0;
  #pingMark = '';
  #pingedAtMs = 0;
  /** Why it was closed, as far as this side knows. */
  #why: string | null = null;
  /** This side closed it, or found that the peer does not answer. */
  #isLetGo = false;
  #isReset = false;
  #isClosed = false;
  readonly #closeListeners: (() => void)[] = [];

  constructor(
    ws: WebSocket,
    socket: Duplex,
    remote: string,
    options: ResolvedLinkOptions,
    seal: ((put: (frame: Buffer) => void) => SealedWire) | null = null,
    certifiedId: MemberId | null = null,
  ) {
    this.#ws = ws;
    this.certifiedId = certifiedId;
    this.#socket = socket;
    this.remote = remote;
    this.#options = options;
    this.#list = new MessageList(options.frameBytes, (frame) => this.#put(frame));
    this.#wire = seal?.((frame) => this.#put(frame)) ?? null;
    ws.on('message', (data: Buffer, isBinary: boolean) => {
      if (this.#wire === null) this.#onData(isBinary ? null : data.toString(), data.length);
      else this.#onSealed(this.#wire, data, isBinary);
    });
    ws.on('ping', (data: Buffer) => this.#answerPing(data));
    if (this.#wire === null) ws.on('pong', (data: Buffer) => this.#onPong(data.toString()));
    ws.on('error', (error: Error & { code?: string }) => this.#onError(error));
    ws.on('close', (code: number) => this.#onClose(code));
    socket.on('drain', () => this.owner?.onDrain(this));
    socket.on('end', () => this.#onEnd());
  }

  /** The remote address without its port. */
  get address(): string {
    return withoutPort(this.remote);
  }

  get open(): boolean {
    return this.#ws.readyState === WebSocket.OPEN;
  }

  /** The id that the other side has proven; null if it has proven none. */
  get provenId(): MemberId | null {
    return this.#wire?.peer ?? null;
  }

  /** Whether more may be sent now. If not, `onDrain` follows. */
  hasRoom(): boolean {
    return this.#ws.bufferedAmount + this.#list.length <= this.#options.bufferBytes;
  }

  /**
   * All frames that one event causes leave together: with a thousand elections on one connection that is a handful of
   * system calls in place of a thousand.
   */
  send(frame: string): void {
    if (!this.open) return;
    if (this.#wire !== null) return this.#wire.send(frame);
    this.#list.flush();
    this.#put(frame);
  }

  /** The same for a message of an election. */
  sendMessage(frame: string): void {
    if (this.open && this.takesLists && this.#wire === null) this.#list.add(frame);
    else this.send(frame);
  }

  /** Leaves before anything else is done, such as a save that would stop it meanwhile. */
  sendNow(frame: string): void {
    this.send(frame);
    this.flush();
  }

  /** What waits for the end of an event leaves now. */
  flush(): void {
    this.#flushTexts();
    this.#uncork();
  }

  /** The secrets have changed. A connection that is sealed by none of those that are valid now is closed after a while. */
  renew(): void {
    const wire = this.#wire;
    if (wire === null || !this.open) return;
    wire.renew();
    const timer = setTimeout(() => {
      if (!wire.isValid)
        this.#break('wrong-secret', `member ${wire.peer} did not prove itself again in time`);
    }, this.#options.helloMs);
    this.whenClosed(() => clearTimeout(timer));
  }

  #put(frame: string | Buffer): void {
    if (!this.open || this.#isUnread()) return;
    if (this.#batch === 0) {
      this.#socket.cork();
      process.nextTick(() => this.#uncork());
    }
    this.#batch++;
    this.#ws.send(frame);
    if (this.#batch >= LARGEST_BATCH) this.#uncork();
  }

  /**
   * Messages wait in the queue of the peer while there is no room. Answers to pings and proofs do not: a peer that asks
   * and never reads would fill the memory.
   */
  #isUnread(): boolean {
    const { bufferBytes, frameBytes } = this.#options;
    if (this.#ws.bufferedAmount <= bufferBytes + 2 * frameBytes) return false;
    this.terminate('it does not read what it is sent');
    return true;
  }

  #answerPing(mark: Buffer): void {
    if (this.open && !this.#isUnread()) this.#ws.pong(mark);
  }

  /** `onPong` follows once it is answered. */
  ping(): void {
    if (!this.open) return;
    this.#pingMark = this.#nextMark();
    this.#pingedAtMs = performance.now();
    this.#sendPing(this.#pingMark);
  }

  /** Checks whether the other side still answers. `done` is called exactly once. */
  probe(withinMs: number, done: (answered: boolean) => void): void {
    if (!this.open) {
      done(false);
      return;
    }
    const mark = this.#nextMark();
    const timer = setTimeout(() => this.#settle(mark, false), withinMs);
    this.#probes.push({ mark, done, timer });
    this.#sendPing(mark);
  }

  whenClosed(listener: () => void): void {
    this.#closeListeners.push(listener);
  }

  /** Closes in an orderly way: frames sent before still arrive, and frames of the other side are still read. */
  close(why: string, says: 'goodbye' | 'duplicate' = 'goodbye'): void {
    this.#isLetGo = true;
    this.#why ??= why;
    this.#flushTexts();
    this.#ws.close(says === 'duplicate' ? DUPLICATE : NORMAL);
  }

  /** Sends the reason, then closes. Does not wait for a peer that does not answer. */
  refuse(refused: Refused): void {
    this.send(encodeRefused(refused));
    this.close(refused.reason);
    const timer = setTimeout(() => this.terminate(refused.reason), this.#options.goodbyeMs);
    this.whenClosed(() => clearTimeout(timer));
  }

  /** This process stops, and tells the other side so. */
  leave(): void {
    this.#isLetGo = true;
    this.#why ??= 'this member left';
    this.#flushTexts();
    this.#ws.close(GOING_AWAY);
  }

  /** Closes at once. If the other side still receives anything, it learns that this process lives. */
  terminate(why: string): void {
    this.#isLetGo = true;
    this.#why ??= why;
    if (this.open) this.#ws.close(NORMAL);
    this.#ws.terminate();
  }

  /** An unexpected error closes the connection that caused it; the process and its elections continue. */
  #onData(text: string | null, bytes: number): void {
    try {
      this.owner?.onFrame(this, readFrame(text), bytes);
    } catch (error) {
      const reason = `a frame on which this member failed: ${error instanceof Error ? error.message : String(error)}`;
      this.owner?.onFrame(this, { type: 'bad', refused: { kind: 'bad-shape', reason } }, 0);
      this.terminate(reason);
    }
  }

  #onSealed(wire: SealedWire, data: Buffer, isBinary: boolean): void {
    const received = wire.open(data, isBinary);
    if (received.type === 'texts') {
      for (const text of received.texts) this.#onData(text, Buffer.byteLength(text));
    } else if (received.type === 'pong') this.#onPong(received.mark);
    else if (received.type === 'broken') this.#break(received.kind, received.reason);
    // The next frame may close the connection before the end of this event: what was answered to this one goes first.
    wire.flush();
  }

  /** Whatever was meant to come over this connection, it is not the other side alone that sends. */
  #break(kind: Refused['kind'], reason: string): void {
    if (this.#isLetGo) return;
    this.owner?.onFrame(this, { type: 'bad', refused: { kind, reason } }, 0);
    this.terminate(reason);
  }

  /** Random, so that it is answered only by a process that has read it. */
  #nextMark(): string {
    return `${++this.#pings} ${randomBytes(9).toString('base64url')}`;
  }

  #sendPing(mark: string): void {
    if (this.#wire === null) this.#ws.ping(mark);
    else this.#wire.ping(mark);
  }

  #flushTexts(): void {
    this.#wire?.flush();
    this.#list.flush();
  }

  #uncork(): void {
    if (this.#batch === 0) return;
    this.#batch = 0;
    this.#socket.uncork();
  }

  #onPong(mark: string): void {
    if (mark === this.#pingMark) {
      this.#pingMark = '';
      this.roundTripMs = performance.now() - this.#pingedAtMs;
      this.owner?.onPong(this);
    }
    this.#settle(mark, true);
  }

  #settle(mark: string, answered: boolean): void {
    const at = this.#probes.findIndex((probe) => probe.mark === mark);
    if (at < 0) return;
    const [probe] = this.#probes.splice(at, 1);
    clearTimeout(probe!.timer);
    probe!.done(answered);
  }

  #onError(error: Error & { code?: string }): void {
    this.#why ??= error.message;
    if (error.code === 'ECONNRESET' || error.code === 'EPIPE') this.#isReset = true;
    else this.#isLetGo = true;
    if (error.code !== 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH') return;
    const reason = `a frame of more than ${this.#options.frameBytes} bytes`;
    this.owner?.onFrame(this, { type: 'bad', refused: { kind: 'too-large', reason } }, 0);
  }

  /**
   * Members never close only one half: without a word before, the other side is gone. Its death is not told late because
   * of data that is still to be written to it, or of the turn of the event loop in which the system lets go of the socket.
   */
  #onEnd(): void {
    const isUnexpected = this.open;
    this.#ws.terminate();
    if (isUnexpected) this.#onClose(WITHOUT_A_WORD);
  }

  #onClose(code: number): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const reason =
      this.#why ??
      ([GOING_AWAY, NORMAL, DUPLICATE].includes(code) ? 'it said goodbye' : 'the connection broke');
    this.owner?.onClosed(this, this.#closing(code), reason);
    for (const { mark } of [...this.#probes]) this.#settle(mark, false);
    for (const listener of this.#closeListeners) listener();
  }

  #closing(code: number): Closing {
    if (this.#isLetGo) return 'by-us';
    if (code === GOING_AWAY) return 'leaving';
    if (code === DUPLICATE) return 'duplicate';
    if (code !== WITHOUT_A_WORD) return 'goodbye';
    return this.#isReset ? 'reset' : 'ended';
  }
}

export function withoutPort(remote: string): string {
  return remote.replace(/:\d+$/, '');
}
