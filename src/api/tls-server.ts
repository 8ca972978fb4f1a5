/**
 * An HTTP server that speaks TLS only. A client that sends plain HTTP to it is told so in an answer, in place of a broken
 * connection: it learns what to change, and nothing of its request is carried out.
 */
import type { RequestListener, ServerOptions } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { handshakeWords, type ServerTls } from '../auth/index.ts';
import type { ClientTurns } from './client-turns.ts';

export interface TlsServing {
  readonly tls: Pick<ServerTls, 'serverContext' | 'serverOptions' | 'onChange'>;
  /** Tells that a handshake failed, or that a client did not use TLS; the log limits how often. */
  readonly tell: (address: string, message: string) => void;
}

/** The first byte of every TLS handshake. */
const HANDSHAKE = 0x16;

const BODY = `${JSON.stringify({
  error: { code: 'E_TLS', message: 'this member speaks TLS only: use https in place of http' },
})}\n`;
/** 403, since every other status below 500 looks like that of a voter that keeps no connections. */
const ANSWER = [
  'HTTP/1.1 403 Forbidden',
  'content-type: application/json; charset=utf-8',
  `content-length: ${Buffer.byteLength(BODY)}`,
  'connection: close',
  '',
  BODY,
].join('\r\n');

interface Handshakes extends TlsServing {
  /** A client that has sent nothing by then is disconnected. */
  readonly silentMs: number;
  /** So is one that has not finished its handshake by then. */
  readonly withinMs: number;
  /** A handshake costs more than a request: it begins when it is its turn. */
  readonly turns: ClientTurns;
  readonly isPeer: (socket: Socket) => boolean;
}

export function createTlsServer(
  { tls, tell, silentMs, withinMs, turns, isPeer }: Handshakes,
  options: ServerOptions,
  onRequest: RequestListener,
): Server {
  const server = createServer({ ...options, ...tls.serverOptions, handshakeTimeout: withinMs }, onRequest);
  const unsubscribe = tls.onChange(() => server.setSecureContext(tls.serverContext));
  server.on('close', unsubscribe);
  server.on('tlsClientError', (error: NodeJS.ErrnoException, socket: TLSSocket) => {
    const words = handshakeWords(error);
    // A client that only connects and leaves, as some health checks do, is no error.
    const address = socket.remoteAddress ?? 'a client';
    if (words !== null) tell(address, `the TLS handshake with ${address} failed: ${words}`);
  });
  lookFirst(server, { silentMs, turns, isPeer }, (socket) => {
    const address = socket.remoteAddress ?? 'a client';
    tell(address, `${address} is refused: it does not use TLS; use https in place of http`);
  });
  return server;
}

/** Looks at the first byte of each connection before the TLS server gets it. */
function lookFirst(
  server: Server,
  { silentMs, turns, isPeer }: Pick<Handshakes, 'silentMs' | 'turns' | 'isPeer'>,
  onPlain: (socket: Socket) => void,
): void {
  const secure = server.listeners('connection') as ((socket: Socket) => void)[];
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    const giveUp = (): void => void socket.destroy();
    socket.on('error', giveUp);
    socket.setTimeout(silentMs, giveUp);
    socket.once('data', (bytes: Buffer) => {
      socket.pause();
      socket.setTimeout(0);
      socket.off('timeout', giveUp);
      if (bytes[0] === HANDSHAKE) {
        socket.unshift(bytes);
        const go = (): void => {
          for (const listener of secure) listener.call(server, socket);
        };
        const one = { isPeer: isPeer(socket), go };
        socket.once('close', () => turns.leave(one));
        if (turns.ask(one)) one.go();
        return;
      }
      onPlain(socket);
      socket.end(ANSWER, giveUp);
    });
  });
}
