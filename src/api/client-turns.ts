/**
 * Clients never keep a member from its election: their requests are read in turns.
 *
 * Node.js passes on all that arrived on all connections before it looks at timers again. A client that sends 64 kB of
 * small requests on each of twenty connections would block the member for most of a second, longer than a lease. So the
 * bytes of clients are given to the HTTP parser in small pieces. Once the clients have had their slice of a turn of the
 * event loop, no connection is read any further in this turn, and from then on each turn reads one piece of one
 * connection, one connection after the other, until none waits. A connection on which more than a piece has arrived
 * waits too. Between two pieces the due timers run, and frames of other members are received: an election waits for one
 * piece of one client, however many there are.
 *
 * Connections from the addresses of peers take their turn before all others.
 *
 * TLS handshakes begin in turns too. Links are not read in turns: a connection is released when it becomes one. Accepting
 * a connection cannot wait: Node.js has no way to do that.
 */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';

/** Some ten small requests. A piece is parsed as a whole, so it bounds what one turn costs. */
const PIECE_BYTES = 1024;
/** How long the clients may take before timers and members get their turn. */
const SLICE_MS = 5;

/** The event loop, or that of a test. */
export interface Loop {
  now(): number;
  /** Calls back after what has arrived was received; before the next such call, the timers that are due run. */
  afterThisTurn(callback: () => void): void;
}

const REAL: Loop = {
  now: () => performance.now(),
  afterThisTurn: (callback) => void setImmediate(callback),
};

/** One that wants to continue. */
export interface Waiting {
  readonly isPeer: boolean;
  /** It is its turn. */
  go(): void;
}

/** Whose turn it is. */
export class ClientTurns {
  readonly #loop: Loop;
  /** Those that wait, the first one longest. */
  readonly #peers = new Set<Waiting>();
  readonly #clients = new Set<Waiting>();
  /** When the clients began in this turn of the event loop; null if they have not. */
  #sinceMs: number | null = null;
  #isArmed = false;

  constructor(loop: Loop = REAL) {
    this.#loop = loop;
  }

  /** True: it may go on now. False: it waits, and `go` is called when it is its turn. */
  ask(one: Waiting): boolean {
    this.#arm();
    const nowMs = this.#loop.now();
    this.#sinceMs ??= nowMs;
    if (this.#peers.size + this.#clients.size === 0 && nowMs - this.#sinceMs < SLICE_MS) return true;
    this.wait(one);
    return false;
  }

  /** It has gone on in this turn, and has more. */
  wait(one: Waiting): void {
    this.#arm();
    (one.isPeer ? this.#peers : this.#clients).add(one);
  }

  /** It does not want to go on any more. */
  leave(one: Waiting): void {
    this.#peers.delete(one);
    this.#clients.delete(one);
  }

  #arm(): void {
    if (this.#isArmed) return;
    this.#isArmed = true;
    this.#loop.afterThisTurn(() => this.#onTurn());
  }

  #onTurn(): void {
    this.#isArmed = false;
    this.#sinceMs = null;
    const [next] = this.#peers.size > 0 ? this.#peers : this.#clients;
    if (next === undefined) return;
    this.leave(next);
    this.#arm();
    next.go();
  }
}

/** Lets each connection of an HTTP server be read in turns. Call it before another handler for upgrades is added. */
export function readInTurns(server: Server, turns: ClientTurns, isPeer: (socket: Socket) => boolean): void {
  const readers = new WeakMap<object, TurnReader>();
  const onOpen = (socket: Socket): void => {
    readers.set(socket, new TurnReader(socket, turns, isPeer(socket)));
  };
  server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', onOpen);
  const onUpgrade = (request: { readonly socket: Socket }): void => readers.get(request.socket)?.release();
  server.on('upgrade', Object.assign(onUpgrade, { isObserver: true }));
}

type OnData = (this: Socket, bytes: Buffer) => void;

/** Stands between a connection and the HTTP parser, which listens to its data already. */
class TurnReader implements Waiting {
  readonly isPeer: boolean;
  readonly #socket: Socket;
  readonly #turns: ClientTurns;
  readonly #parse: readonly OnData[];
  readonly #onData = (bytes: Buffer): void => this.#read(bytes);
  #isItsTurn = false;
  #isReleased = false;

  constructor(socket: Socket, turns: ClientTurns, isPeer: boolean) {
    this.#socket = socket;
    this.#turns = turns;
    this.isPeer = isPeer;
    this.#parse = socket.listeners('data') as OnData[];
    socket.removeAllListeners('data');
    socket.on('data', this.#onData);
    socket.once('close', () => turns.leave(this));
  }

  go(): void {
    this.#isItsTurn = true;
    this.#socket.resume();
  }

  /** From now on another reader gets its data, also what waits. */
  release(): void {
    this.#isReleased = true;
    this.#socket.off('data', this.#onData);
    this.#turns.leave(this);
  }

  #read(bytes: Buffer): void {
    const isItsTurn = this.#isItsTurn || this.#turns.ask(this);
    this.#isItsTurn = false;
    if (!isItsTurn) this.#keep(bytes);
    else if (bytes.length <= PIECE_BYTES) this.#give(bytes);
    else {
      this.#keep(bytes.subarray(PIECE_BYTES));
      // The parser pauses the socket of a client that does not read its answers, and resumes it later. To see whether it
      // has, the socket must not be paused before.
      this.#socket.resume();
      this.#give(bytes.subarray(0, PIECE_BYTES));
      if (this.#isReleased || this.#socket.isPaused()) return;
      this.#socket.pause();
      this.#turns.wait(this);
    }
  }

  /** The socket has to be paused before it takes bytes back, or it would hand them out again at once. */
  #keep(bytes: Buffer): void {
    this.#socket.pause();
    this.#socket.unshift(bytes);
  }

  #give(piece: Buffer): void {
    for (const parse of this.#parse) parse.call(this.#socket, piece);
  }
}
