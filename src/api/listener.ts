import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { hostname } from 'node:os';
import { Server as TlsServer } from 'node:tls';
import { CaucusError } from '../election/index.ts';
import { ClientTurns, readInTurns } from './client-turns.ts';
import { addressOfClient, ConnectionLimit } from './connection-limit.ts';
import { createTlsServer, type TlsServing } from './tls-server.ts';
import { isLoopback, urlOf } from './urls.ts';

/** A connection whose client has not sent a request, with all its headers, by then is closed. */
const SILENT_MS = 5000;
/** A request that is not complete after this time is cut off, so that it cannot hold a connection. */
const ASKING_MS = 10_000;

const NOT_HERE =
  'this machine does not have that address; say where to listen (0.0.0.0 stands for all its addresses)';
const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program listens there; stop it or choose another port (0 is a free one)',
  EADDRNOTAVAIL: NOT_HERE,
  ENOTFOUND: NOT_HERE,
};

export interface ListenOptions {
  /** It speaks https, and refuses plain http. */
  readonly tls?: TlsServing | null;
  /** Is this the address of a peer? Such connections have a reserve of their own. */
  readonly isPeerAddress?: (address: string) => boolean;
  readonly turns?: ClientTurns;
}

/** Listens, or throws with the reason and what to do. */
export function listen(
  host: string,
  port: number,
  mostConnections: number,
  onRequest: RequestListener,
  { tls = null, isPeerAddress = () => false, turns = new ClientTurns() }: ListenOptions = {},
): Promise<Server> {
  const timeouts = {
    headersTimeout: SILENT_MS,
    requestTimeout: ASKING_MS,
    connectionsCheckingInterval: 1000,
  };
  const admit: RequestListener = (request, response) => {
    if (limit.admit(request, response)) onRequest(request, response);
  };
  const isPeer = (socket: Socket): boolean => isPeerAddress(addressOfClient(socket));
  const server: Server =
    tls === null
      ? createServer(timeouts, admit)
      : createTlsServer({ ...tls, silentMs: SILENT_MS, withinMs: ASKING_MS, turns, isPeer }, timeouts, admit);
  const limit = new ConnectionLimit(server, mostConnections, isPeer);
  readInTurns(server, turns, isPeer);
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const reason = REASONS[cause.code ?? ''] ?? cause.message;
      reject(new CaucusError('E_LISTEN', `cannot listen on ${host}:${port}: ${reason}`, { cause }));
    });
    server.listen(port, host, () => {
      server.removeAllListeners('error');
      resolve(server);
    });
  });
}

/** The URL of a server. One that listens on all addresses gets the name of the host. */
export function urlOfServer(server: Server): string {
  const { address, port } = server.address() as AddressInfo;
  const scheme = server instanceof TlsServer ? 'https' : 'http';
  return urlOf(address === '0.0.0.0' || address === '::' ? hostname() : address, port, scheme);
}

/**
 * Why others may not reach a server under the URL that they are told, or null. It is only a warning: a forwarded port
 * differs on purpose.
 */
export function portMismatch(server: Server, url: string): string | null {
  const bound = new URL(urlOfServer(server));
  const told = new URL(url);
  const isHere =
    told.hostname === bound.hostname || (isLoopback(told.hostname) && isLoopback(bound.hostname));
  const isFar = isLoopback(bound.hostname) && !isLoopback(told.hostname);
  if (!isFar && (!isHere || told.port === bound.port)) return null;
  return `listens on ${bound.host}, but the others are told ${url}: unless something there passes connections on, they cannot reach this member`;
}

export async function closeServer(server: Server): Promise<void> {
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
