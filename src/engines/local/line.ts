import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { isNobodyThere } from './post.ts';

/** How often a connection to a leader that is just leaving is retried. */
const TRIES = 3;
/** A new socket is closed to other users until its process has set its permissions, which it does at once. */
const RIGHTS_MS = 5;

/** A connection to the leader. It ends when the leader's process ends, and costs nothing until then. */
export class Line {
  readonly #onEnd: () => void;
  #socket: Socket | null = null;

  constructor(onEnd: () => void) {
    this.#onEnd = onEnd;
  }

  /**
   * Whether a process listens on the socket of this name; if so, the connection stays open. Only a refusal means that
   * no process is there: a process that is stopped, or has too many callers, lives. Rejects if we may not know.
   */
  async open(name: string, tries: number = TRIES): Promise<boolean> {
    this.close();
    const socket = connect(name);
    try {
      await once(socket, 'connect');
    } catch (error) {
      socket.destroy();
      const { code } = error as NodeJS.ErrnoException;
      const isForbidden = code === 'EACCES' || code === 'EPERM';
      if (tries > 1 && isForbidden) await sleep(RIGHTS_MS);
      if (tries > 1 && (isForbidden || code === 'ECONNRESET')) return await this.open(name, tries - 1);
      if (isForbidden) throw error;
      return !isNobodyThere(error);
    }
    this.close();
    this.#socket = socket;
    socket.unref();
    socket.on('error', () => {}).on('close', () => this.#onEnd());
    return true;
  }

  close(): void {
    this.#socket?.removeAllListeners('close');
    this.#socket?.destroy();
    this.#socket = null;
  }
}
