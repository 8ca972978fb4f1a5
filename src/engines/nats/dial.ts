import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

/** The channel on which Node.js reports every socket that is opened. */
const CHANNEL = 'net.client.socket';
/** The sockets of the current attempt. */
const attempts = new AsyncLocalStorage<Socket[]>();

/**
 * Connects, and closes the sockets of failed attempts: the client library forgets the socket of a server that accepts
 * the connection and then stays silent, and such a socket keeps the process alive. Stops when the signal is aborted.
 */
export async function dial<T>(connect: () => Promise<T>, signal: AbortSignal): Promise<T> {
  const opened: Socket[] = [];
  const note = (message: unknown): void => {
    if (attempts.getStore() !== opened) return;
    const { socket } = message as { socket: Socket };
    opened.push(socket);
    if (signal.aborted) socket.destroy();
  };
  const giveUp = (): void => {
    for (const socket of opened) socket.destroy();
  };
  subscribe(CHANNEL, note);
  signal.addEventListener('abort', giveUp);
  try {
    signal.throwIfAborted();
    const connection = await attempts.run(opened, connect);
    opened.pop(); // One server is tried after the other: the last is the one that answers.
    return connection;
  } finally {
    unsubscribe(CHANNEL, note);
    signal.removeEventListener('abort', giveUp);
    giveUp();
  }
}
