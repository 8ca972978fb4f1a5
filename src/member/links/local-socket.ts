/**
 * Does the process at the other end of a link run on this kernel? What it says of itself cannot tell: clones of one
 * virtual machine have the same boot id, the same namespaces and the same pids. A member that looked for the pid of a
 * clone on its own kernel would find no such process, and take a living one for dead.
 *
 * So each member listens on an abstract Unix socket, which only processes of the same kernel can reach, and names it
 * in the greeting. Once a link is open, each side that believes the other runs on its kernel checks it:
 *
 * 1. It connects to that socket and reads a token, which was drawn for this one connection.
 * 2. It sends the token over the link.
 * 3. The process at the other end of the link confirms the token if it drew it.
 *
 * Then the process behind the link is the one behind the socket, so it runs on this kernel. A clone may listen under
 * the same name on its own kernel, but it has drawn none of these tokens.
 *
 * Abstract sockets belong to a network namespace: two members of one host in different namespaces (mostly containers)
 * cannot meet. Then the death of either is never proven to the other, only suspected.
 */
import { connect, createServer, type Server, type Socket } from 'node:net';
import { BadInput, type Shape, show } from '../../core/index.ts';
import type { Identity } from '../../peers/index.ts';
import { drawName } from '../draw-name.ts';

/**
 * How long a connection may stay open: the exchange takes milliseconds, and any process of this machine can connect.
 */
const LONGEST_MEETING_MS = 10_000;
const MOST_MEETINGS = 1000;
/** Another connection is made so long after one that ended too early. */
const AGAIN_MS = 1000;

const TOKEN = /^[0-9a-f]{32}$/;
const TOKEN_LENGTH = 32;

/** Only names that a member could have drawn: a peer must not make this member connect to sockets of other programs. */
export const localSocketName: Shape<string> = {
  expected: 'the name of the local socket of a member',
  read(value, path) {
    if (typeof value === 'string' && value.startsWith('caucus-') && TOKEN.test(value.slice(7))) return value;
    throw new BadInput(path, this.expected, show(value));
  },
};

/** The socket on which processes of this kernel can reach this one. */
export class LocalSocket {
  readonly name: string = `caucus-${drawName()}`;
  readonly #server: Server;
  /** The open connections, by the token that each was given. */
  readonly #meetings = new Map<string, Socket>();

  constructor() {
    this.#server = createServer((socket) => this.#onConnection(socket));
    this.#server.maxConnections = MOST_MEETINGS;
    // If it cannot listen, no peer can meet it, and its death is never proven.
    this.#server.on('error', () => {});
    this.#server.listen({ path: address(this.name), exclusive: true });
    this.#server.unref();
  }

  /** Did this process draw the token, for a connection that is still open? */
  drew(token: string): boolean {
    return this.#meetings.has(token);
  }

  close(): void {
    for (const socket of this.#meetings.values()) socket.destroy();
    this.#server.close();
  }

  #onConnection(socket: Socket): void {
    const token = drawName();
    this.#meetings.set(token, socket);
    socket.on('error', () => {});
    socket.on('close', () => this.#meetings.delete(token));
    socket.setTimeout(LONGEST_MEETING_MS, () => socket.destroy());
    socket.write(token);
  }
}

/**
 * A connection to the local socket of another process, and the token that it sent. If the other side ends it before the token was
 * confirmed, another one is made: one of the two processes was blocked for longer than a meeting may take, as by thousands of
 * elections that were opened at once.
 */
export class Meeting {
  readonly #name: string;
  readonly #ask: (token: string) => void;
  readonly #closed: (() => void) | null;
  #socket: Socket;
  #token = '';
  #again: NodeJS.Timeout | null = null;
  #isOver = false;

  /**
   * `ask` is called with each token, to send it over the link. `closed`: when the other side is gone, or never was there; then no
   * other connection is made.
   */
  constructor(name: string, ask: (token: string) => void, closed: (() => void) | null = null) {
    this.#name = name;
    this.#ask = ask;
    this.#closed = closed;
    this.#socket = this.#connect();
  }

  /** The other end of the link confirms that it drew this token. */
  isConfirmedBy(token: string): boolean {
    return !this.#socket.destroyed && TOKEN.test(token) && token === this.#token;
  }

  close(): void {
    this.#isOver = true;
    if (this.#again !== null) clearTimeout(this.#again);
    this.#socket.destroy();
  }

  #connect(): Socket {
    this.#token = '';
    const socket = connect(address(this.#name));
    socket.setEncoding('latin1');
    socket.on('error', () => {}); // No such socket: the peer does not run on this kernel.
    socket.on('close', () => this.#onClose());
    socket.on('data', (text: string) => {
      const had = this.#token.length;
      this.#token += text;
      if (had >= TOKEN_LENGTH || this.#token.length < TOKEN_LENGTH) return;
      if (TOKEN.test(this.#token)) this.#ask(this.#token);
      else this.close();
    });
    return socket;
  }

  #onClose(): void {
    this.#closed?.();
    // Without a token there is no such socket on this kernel.
    if (this.#closed !== null || this.#isOver || this.#token === '') return;
    this.#again = setTimeout(() => {
      this.#socket = this.#connect();
    }, AGAIN_MS).unref();
  }
}

/** The name of an abstract socket begins with a zero byte. */
function address(name: string): string {
  return `\0${name}`;
}

/** Some fields of an identity are getters: what they say may change while the process runs. */
export function withLocalSocket(own: Identity, name: string): Identity {
  const fields = { ...Object.getOwnPropertyDescriptors(own), localSocket: { value: name, enumerable: true } };
  return Object.defineProperties({}, fields) as Identity;
}
