import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

/** Where Node.js tells of every socket that is opened. */
const CHANNEL = 'net.client.socket';
/** On whose behalf something is opened. */
const attempts = new AsyncLocalStorage<Socket[]>();

/**
 * Connects, and closes what is left of attempts that came to nothing: the client library forgets the socket of a server that
 * accepts it and then says nothing, and such a socket keeps a process from ending. Gives up when the signal is aborted.
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
