import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePorts } from '../free-ports.ts';
import { HERE, type Place } from '../ground.ts';

/** What to run. */
export interface Program {
  readonly file: string;
  readonly args: readonly string[];
  /** As whom, where it refuses to run as root, and where; and what it finds in its environment. */
  readonly options?: {
    readonly uid?: number;
    readonly gid?: number;
    readonly cwd?: string;
    readonly env?: NodeJS.ProcessEnv;
  };
}

/** A real server, in a process of its own, with its data in a folder of its own. On the loopback if no place is given. */
export abstract class ServerProcess {
  readonly port: number;
  readonly folder: string;
  readonly #name: string;
  readonly #place: Place;
  #child: ChildProcess | null = null;

  protected constructor(name: string, port: number, place: Place = HERE) {
    this.#place = place;
    this.#name = name;
    this.port = port;
    this.folder = mkdtempSync(path.join(tmpdir(), `caucus-${name}-`));
  }

  protected abstract program(): Program;

  /** Rejects as long as it does not answer. */
  protected abstract ask(): Promise<unknown>;

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  get isRunning(): boolean {
    return this.#child !== null;
  }

  /** A file in its folder. */
  file(name: string): string {
    return path.join(this.folder, name);
  }

  /** Starts it with the data that it has, and waits until it answers. */
  async restart(): Promise<void> {
    const { file, args, options } = this.program();
    const child = this.#place.spawn([file, ...args], { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child = child;
    let said = '';
    for (const stream of [child.stdout!, child.stderr!]) {
      stream.on('data', (data) => {
        said = `${said}${data}`.slice(-2000);
      });
    }
    for (let tries = 200; ; tries--) {
      if (child.exitCode !== null) throw new Error(`${this.#name} has ended: ${said}`);
      try {
        await this.ask();
        return;
      } catch (error) {
        if (tries === 1) throw new Error(`${this.#name} does not answer: ${error}\n${said}`);
      }
      await sleep(50);
    }
  }

  /** Ends it; its data stays. */
  async stop(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    this.#place.signal(child, signal);
    await once(child, 'exit');
  }

  /**
   * Runs again, whatever a test has done to it. One that failed while it was stopped would take all later tests of its
   * file with it, and its own second try.
   */
  async recover(): Promise<void> {
    this.resume();
    if (this.#child === null || this.#child.exitCode !== null || this.#child.signalCode !== null)
      await this.restart();
  }

  pause(): void {
    this.signal('SIGSTOP');
  }

  resume(): void {
    this.signal('SIGCONT');
  }

  protected signal(signal: NodeJS.Signals): void {
    if (this.#child !== null) this.#place.signal(this.#child, signal);
  }

  async close(): Promise<void> {
    await this.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Makes a server on free ports and starts it; once more on others, since somebody may have taken them meanwhile. */
export async function startOnFreePorts<S extends ServerProcess>(
  make: (port: number, other: number) => S,
  start: (server: S) => Promise<void> = (server) => server.restart(),
): Promise<S> {
  for (let tries = 3; ; tries--) {
    const [port, other] = await freePorts(2);
    const server = make(port!, other!);
    try {
      await start(server);
      return server;
    } catch (error) {
      await server.close();
      if (tries === 1) throw error;
    }
  }
}
