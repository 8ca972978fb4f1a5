/** Copies of an example in processes of their own, and what they print. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';

const root = path.resolve(import.meta.dirname, '../../..');

export interface Said {
  readonly replica: number;
  readonly line: string;
}

export class Replicas {
  readonly said: Said[] = [];
  readonly #processes: { readonly pid: number; readonly closed: Promise<unknown> }[] = [];
  readonly #example: string;
  readonly #env: NodeJS.ProcessEnv;

  constructor(example: string, env: NodeJS.ProcessEnv = {}) {
    this.#example = path.join(root, 'examples/adapters', example);
    this.#env = env;
  }

  start(count: number, ...args: string[]): void {
    for (let i = 0; i < count; i++) {
      const replica = this.#processes.length;
      const child = spawn(process.execPath, ['--import', 'tsx', this.#example, ...args], {
        cwd: root,
        stdio: ['ignore', 'pipe', 'inherit'],
        env: { ...process.env, ...this.#env },
      });
      createInterface({ input: child.stdout }).on('line', (line) => this.said.push({ replica, line }));
      this.#processes.push({ pid: child.pid!, closed: once(child, 'close') });
    }
  }

  /** The lines that begin with a fire time. */
  get runs(): Said[] {
    return this.said.filter(({ line }) => /^\d{4}-.*Z token \d+$/.test(line));
  }

  async end(replica: number, signal: NodeJS.Signals): Promise<void> {
    const { pid, closed } = this.#processes[replica]!;
    process.kill(pid, signal);
    await closed;
  }

  async close(): Promise<void> {
    for (const { pid, closed } of this.#processes) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {} // It has ended.
      await closed;
    }
  }
}
