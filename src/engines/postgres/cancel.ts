import net from 'node:net';
import tls from 'node:tls';
import type { PostgresClient } from './connection.ts';

/** The codes that the protocol defines for these two requests. */
const CANCEL_REQUEST = 80_877_102;
const SSL_REQUEST = 80_877_103;

/**
 * Asks the server to cancel the statement of a client, over a separate connection, as the protocol requires. A
 * backend that waits for a lock does not notice that its client is gone: it would stay until it gets the lock, with
 * one more behind it for every attempt. Settles when the server has received the request (it closes the connection),
 * or when the time is up.
 *
 * It must be sent before the client's own connection is closed: a pooler forgets which client the statement belonged
 * to.
 */
export async function cancel(client: PostgresClient, withinMs: number): Promise<void> {
  const { processID, secretKey } = client;
  if (typeof processID !== 'number' || typeof secretKey !== 'number') return; // Another kind of client: pg-native.
  const raw = net.connect(endpointOf(client));
  const timer = setTimeout(() => raw.destroy(), withinMs);
  try {
    await new Promise<void>((resolve) => {
      raw.on('error', () => {}).on('close', () => resolve());
      raw.on('connect', () => {
        if (client.ssl) secure(raw, client, request);
        else request(raw);
      });
      function request(socket: net.Socket): void {
        socket.write(message(CANCEL_REQUEST, processID as number, secretKey as number));
        socket.resume();
      }
    });
  } finally {
    clearTimeout(timer);
  }
}

/** The same server, where a name has several addresses. */
function endpointOf({ host, port, connection }: PostgresClient): net.NetConnectOpts {
  if (host?.startsWith('/')) return { path: `${host}/.s.PGSQL.${port}` };
  const { remoteAddress, remotePort } = connection.stream as Partial<net.Socket>;
  return { host: remoteAddress ?? host ?? 'localhost', port: remotePort ?? port ?? 5432 };
}

/** With TLS if the client uses it: the server may accept nothing else. */
function secure(raw: net.Socket, { ssl, host }: PostgresClient, use: (socket: net.Socket) => void): void {
  raw.write(message(SSL_REQUEST));
  raw.once('data', (answer) => {
    if (answer.toString('latin1') !== 'S') return raw.destroy();
    const name = host === undefined || net.isIP(host) !== 0 ? {} : { servername: host };
    const options = { socket: raw, ...(host === undefined ? {} : { host }), ...name };
    const socket = tls.connect({ ...options, ...(typeof ssl === 'object' ? ssl : {}) });
    socket.on('error', () => raw.destroy()).on('close', () => raw.destroy());
    socket.on('secureConnect', () => use(socket));
    return undefined;
  });
}

/** Its length, and numbers of four bytes. */
function message(...numbers: number[]): Buffer {
  const buffer = Buffer.alloc(4 + 4 * numbers.length);
  buffer.writeInt32BE(buffer.length, 0);
  for (const [index, number] of numbers.entries()) buffer.writeInt32BE(number, 4 + 4 * index);
  return buffer;
}
