import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';

/** A socket on which a process listens to show that it lives. The kernel closes it, and all lines to it, when it does not. */
export class Post {
  readonly #server: Server;
  readonly #lines = new Set<Socket>();

  constructor() {
    this.#server = createServer((line) => {
      this.#lines.add(line);
      line.on('error', () => {}).on('close', () => this.#lines.delete(line));
      line.unref().resume();
    });
    this.#server.unref();
  }

  get isOpen(): boolean {
    return this.#server.listening;
  }

  async open(name: string): Promise<void> {
    await once(this.#server.listen(name), 'listening');
  }

  /** From now on it refuses, and whoever has a line to it sees it close. */
  close(): void {
    this.#server.close();
    for (const line of this.#lines) line.destroy();
  }
}
