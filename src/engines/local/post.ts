import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** The longest request, so that no process can fill our memory. */
const LONGEST_REQUEST = 4096;

/**
 * A socket on which a process listens to show that it lives. The kernel closes it, and all connections to it, when
 * the process dies. A process that writes to such a connection, and then closes it, requests a resignation: the text
 * is the reason.
 */
export class Post {
  /** The reason of a request to resign; null: no request. */
  asked: string | null = null;
  readonly #server: Server;
  readonly #lines = new Set<Socket>();

  constructor(onAsked: () => void) {
    this.#server = createServer((line) => {
      let request = '';
      this.#lines.add(line);
      line.on('error', () => {}).on('close', () => this.#lines.delete(line));
      line.setEncoding('utf8').on('data', (text: string) => {
        if (request.length <= LONGEST_REQUEST) request += text;
      });
      line.on('end', () => {
        const reason = reasonIn(request);
        if (reason === null) return;
        this.asked = reason;
        onAsked();
      });
      line.unref();
    });
    this.#server.unref();
  }

  get isOpen(): boolean {
    return this.#server.listening;
  }

  /**
   * False: a file of this name exists. The socket is exclusive to this process, also in a cluster worker. It is bound
   * to the name that others know, since temporary-file cleaners look that up in /proc/net/unix before they delete a
   * socket.
   */
  async open(name: string): Promise<boolean> {
    try {
      await once(this.#server.listen({ path: name, exclusive: true }), 'listening');
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return false;
      throw error;
    }
  }

  /** From now on it refuses connections, its file is gone, and connected processes see it close. */
  close(): void {
    this.#server.close();
    for (const line of this.#lines) line.destroy();
  }
}

/** Leaves a request at the socket of this name. Rejects if no process listens there. */
export async function askAt(name: string, reason: string, signal: AbortSignal): Promise<void> {
  const line = connect(name);
  try {
    line.end(JSON.stringify({ asked: reason })).resume();
    await once(line, 'end', { signal }); // The leader has read all of it.
  } finally {
    line.destroy();
  }
}

/** Whether no process listens there, as opposed to one that we cannot reach. */
export function isNobodyThere(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ECONNREFUSED' || code === 'ENOENT';
}

/** Null: it is no request, as from processes that only stay connected. */
function reasonIn(request: string): string | null {
  try {
    const { asked } = JSON.parse(request) as { asked?: unknown };
    return typeof asked === 'string' ? asked : null;
  } catch {
    return null;
  }
}
