/** `caucus play` as it was built, for tests in a browser. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { MAIN } from '../cli/caucus.ts';

export class PlayServer {
  readonly url: string;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, url: string) {
    this.#child = child;
    this.url = url;
  }

  static async start(): Promise<PlayServer> {
    const child = spawn(process.execPath, [MAIN, 'play', '--port', '0'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(createInterface({ input: child.stdout! }), 'line')) as [string];
    return new PlayServer(child, /http:\S+\//.exec(line)![0]);
  }

  async stop(): Promise<void> {
    this.#child.kill('SIGINT');
    await once(this.#child, 'exit');
  }
}
