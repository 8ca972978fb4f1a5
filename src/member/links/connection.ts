import type { Duplex } from 'node:stream';
import { WebSocket } from 'ws';
import type { Closing, Refused } from '../../peers/index.ts';
import { encodeRefused, type Frame, readFrame } from './frames.ts';
import type { ResolvedLinkOptions } from './options.ts';

/** Is told what happens to a connection. */
export interface ConnectionOwner {
  onFrame(connection: Connection, frame: Frame, bytes: number): void;
  /** The other side takes data again. */
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
/** Of those that are left to applications: this side keeps another connection to the same process. */
const DUPLICATE = 4000;
/** The same: "a connection was closed abnormally, e.g. without sending or receiving a Close control frame". */
const WITHOUT_A_WORD = 1006;

/** A frame is two pieces, and the system takes up to 1024 of them at once; if it cannot take all, the rest must wait. */
const LARGEST_BATCH = 256;

/** One WebSocket, opened by either side. It knows frames, pings and how full it is, and nothing of members. */
export class Connection {
  /** Where it comes from or leads to, for people. */
  readonly remote: string;
  owner: ConnectionOwner | null = null;
  /** Of the last ping that was answered. */
  roundTripMs: number | null = null;

  readonly #ws: WebSocket;
  readonly #socket: Duplex;
  readonly #options: ResolvedLinkOptions;
  readonly #probes: Probe[] = [];
  /** How many frames wait for the end of the current event. */
  #batch = 0;
  #pings = 0;
  #pingMark = '';
  #pingedAtMs = 0;
  /** Why it is closed, as far as this side knows. */
  #why: string | null = null;
  /** This side closed it, or found that it leads nowhere. */
  #isLetGo = false;
  #isReset = false;
  readonly #closeListeners: (() => void)[] = [];

  constructor(ws: WebSocket, socket: Duplex, remote: string, options: ResolvedLinkOptions) {
    this.#ws = ws;
    this.#socket = socket;
    this.remote = remote;
    this.#options = options;
    ws.on('message', (data: Buffer, isBinary: boolean) => {
      this.#onData(isBinary ? null : data.toString(), data.length);
    });
    ws.on('pong', (data: Buffer) => this.#onPong(data.toString()));
    ws.on('error', (error: Error & { code?: string }) => this.#onError(error));
    ws.on('close', (code: number) => this.#onClose(code));
    socket.on('drain', () => this.owner?.onDrain(this));
    // Members never close only one half. Without this, what is still to be written to a dead peer would hold up the news.
    socket.on('end', () => ws.terminate());
  }

  get open(): boolean {
    return this.#ws.readyState === WebSocket.OPEN;
  }

  /** Whether more may be sent now. If not, `onDrain` follows. */
  hasRoom(): boolean {
    return this.#ws.bufferedAmount <= this.#options.bufferBytes;
  }

  /**
   * What one event makes a member send to a peer leaves together: with a thousand elections over one connection that
   * is a handful of system calls in place of a thousand.
   */
  send(frame: string): void {
    if (!this.open) return;
    if (this.#batch === 0) {
      this.#socket.cork();
      process.nextTick(() => this.#uncork());
    }
    this.#batch++;
    this.#ws.send(frame);
    if (this.#batch >= LARGEST_BATCH) this.#uncork();
  }

  /** `onPong` follows once it is answered. */
  ping(): void {
    if (!this.open) return;
    this.#pingMark = String(++this.#pings);
    this.#pingedAtMs = performance.now();
    this.#ws.ping(this.#pingMark);
  }

  /** Asks whether the other side is still there. `done` is called exactly once. */
  probe(withinMs: number, done: (answered: boolean) => void): void {
    if (!this.open) {
      done(false);
      return;
    }
    const mark = String(++this.#pings);
    const timer = setTimeout(() => this.#settle(mark, false), withinMs);
    this.#probes.push({ mark, done, timer });
    this.#ws.ping(mark);
  }

  whenClosed(listener: () => void): void {
    this.#closeListeners.push(listener);
  }

  /** Says goodbye. What was sent before still arrives, and what the other side has sent is still read. */
  close(why: string, says: 'goodbye' | 'duplicate' = 'goodbye'): void {
    this.#isLetGo = true;
    this.#why ??= why;
    this.#ws.close(says === 'duplicate' ? DUPLICATE : NORMAL);
  }

  /** Says why, then goodbye. A peer that does not answer that is not waited for. */
  refuse(refused: Refused): void {
    this.send(encodeRefused(refused));
    this.close(refused.reason);
    const timer = setTimeout(() => this.terminate(refused.reason), this.#options.goodbyeMs);
    this.whenClosed(() => clearTimeout(timer));
  }

  /** This process stops: the other side need not wonder. */
  leave(): void {
    this.#isLetGo = true;
    this.#why ??= 'this member left';
    this.#ws.close(GOING_AWAY);
  }

  /** At once. The other side is told that we live on, if it still hears anything. */
  terminate(why: string): void {
    this.#isLetGo = true;
    this.#why ??= why;
    if (this.open) this.#ws.close(NORMAL);
    this.#ws.terminate();
  }

  /** An unexpected error costs the connection that brought it, not the process and all its elections. */
  #onData(text: string | null, bytes: number): void {
    try {
      this.owner?.onFrame(this, readFrame(text), bytes);
    } catch (error) {
      const reason = `a frame on which this member failed: ${error instanceof Error ? error.message : String(error)}`;
      this.owner?.onFrame(this, { type: 'bad', refused: { kind: 'bad-shape', reason } }, 0);
      this.terminate(reason);
    }
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

  #onClose(code: number): void {
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
