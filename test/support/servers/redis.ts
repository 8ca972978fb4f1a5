import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { ensureDebian } from '../debian.ts';
import { freePorts } from '../free-ports.ts';

const run = promisify(execFile);

const missing = ensureDebian(['redis-server', 'redis-tools']);

/** Whether there is a Redis to test with. Where there must be one, it is an error that there is not. */
export function hasRedis(): boolean {
  if (missing === null) return true;
  if (process.env.CI) throw new Error(missing);
  process.stderr.write(`SKIPPED, no Redis to test with: ${missing}\n`);
  return false;
}

/** What a server is told beyond the usual. */
export type RedisFlags = Readonly<Record<string, string>>;

/** Debian's Redis, on the loopback, with its data in a folder of its own: every write is on the disk before its answer. */
export class RedisServer {
  readonly port: number;
  readonly #folder: string;
  readonly #flags: RedisFlags;
  #child: ChildProcess | null = null;

  private constructor(port: number, flags: RedisFlags) {
    this.port = port;
    this.#flags = flags;
    this.#folder = mkdtempSync(path.join(tmpdir(), 'caucus-redis-'));
  }

  static async start(flags: RedisFlags = {}): Promise<RedisServer> {
    for (let tries = 3; ; tries--) {
      const [port] = await freePorts(1);
      const server = new RedisServer(port!, flags);
      try {
        await server.restart();
        return server;
      } catch (error) {
        await server.close();
        if (tries === 1) throw error;
      }
    }
  }

  get #isSecure(): boolean {
    return this.#flags['tls-cert-file'] !== undefined;
  }

  /** What the engine takes. */
  get url(): string {
    return `${this.#isSecure ? 'rediss' : 'redis'}://127.0.0.1:${this.port}`;
  }

  /** Starts it with the data that it has. */
  async restart(): Promise<void> {
    const flags: RedisFlags = {
      bind: '127.0.0.1',
      ...(this.#isSecure ? { port: '0', 'tls-port': `${this.port}` } : { port: `${this.port}` }),
      dir: this.#folder,
      save: '',
      appendonly: 'yes',
      appendfsync: 'always',
      ...this.#flags,
    };
    const args = Object.entries(flags).flatMap(([flag, value]) => [`--${flag}`, ...value.split(' ')]);
    const child = spawn('/usr/bin/redis-server', args, { stdio: ['ignore', 'pipe', 'ignore'] });
    let said = '';
    child.stdout.on('data', (data) => {
      said = `${said}${data}`.slice(-2000);
    });
    this.#child = child;
    for (let tries = 100; ; tries--) {
      if (child.exitCode !== null) throw new Error(`redis-server has ended: ${said}`);
      const answer = await this.cli(['PING']).catch(String);
      // Where users have to say who they are, it is ready when it asks for that.
      if (/PONG|NOAUTH/.test(answer)) return;
      if (tries === 1) throw new Error(`redis-server does not answer: ${answer}\n${said}`);
      await sleep(50);
    }
  }

  /** Ends it; its data stays. */
  async stop(): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  get isRunning(): boolean {
    return this.#child !== null;
  }

  /** Throws its data away, while it is stopped. */
  wipe(): void {
    rmSync(path.join(this.#folder, 'appendonlydir'), { recursive: true, force: true });
  }

  pause(): void {
    this.#child?.kill('SIGSTOP');
  }

  resume(): void {
    this.#child?.kill('SIGCONT');
  }

  /** Runs redis-cli, and returns what it printed. */
  async cli(args: readonly string[]): Promise<string> {
    const trust = this.#isSecure ? ['--tls', '--cacert', this.#flags['tls-cert-file']!] : [];
    const where = ['-h', '127.0.0.1', '-p', `${this.port}`, ...trust];
    const { stdout } = await run('/usr/bin/redis-cli', [...where, ...args], { timeout: 10_000 });
    return stdout.trim();
  }

  /** Removes the lease behind the back of its holder. */
  async deleteElection(name: string): Promise<void> {
    await this.cli(['DEL', `caucus:{${name}}:lease`]);
  }

  async close(): Promise<void> {
    await this.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
