import { execFile } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { hasDebian } from '../debian.ts';
import { type Program, ServerProcess, startOnFreePorts } from './server-process.ts';

const run = promisify(execFile);

export function hasRedis(): boolean {
  return hasDebian('Redis', ['redis-server', 'redis-tools']);
}

/** What a server is told beyond the usual. */
export type RedisFlags = Readonly<Record<string, string>>;

/** Debian's Redis: every write is on the disk before its answer. */
export class RedisServer extends ServerProcess {
  readonly #flags: RedisFlags;
  readonly #env: NodeJS.ProcessEnv;

  private constructor(port: number, flags: RedisFlags, env: NodeJS.ProcessEnv) {
    super('redis', port);
    this.#flags = flags;
    this.#env = env;
  }

  static start(flags: RedisFlags = {}, env: NodeJS.ProcessEnv = {}): Promise<RedisServer> {
    return startOnFreePorts((port) => new RedisServer(port, flags, env));
  }

  /** A Sentinel, which watches no master. */
  static startSentinel(): Promise<RedisServer> {
    return startOnFreePorts((port) => new RedisServer(port, { sentinel: '' }, {}));
  }

  get #isSecure(): boolean {
    return this.#flags['tls-cert-file'] !== undefined;
  }

  /** What the engine takes. */
  get url(): string {
    return `${this.#isSecure ? 'rediss' : 'redis'}://127.0.0.1:${this.port}`;
  }

  protected program(): Program {
    if (this.#flags.sentinel !== undefined) {
      const file = this.file('sentinel.conf'); // It writes what it learns there.
      writeFileSync(file, `port ${this.port}\nbind 127.0.0.1\ndir ${this.folder}\n`);
      return { file: '/usr/bin/redis-server', args: [file, '--sentinel'], options: {} };
    }
    const flags: RedisFlags = {
      bind: '127.0.0.1',
      ...(this.#isSecure ? { port: '0', 'tls-port': `${this.port}` } : { port: `${this.port}` }),
      dir: this.folder,
      save: '',
      appendonly: 'yes',
      appendfsync: 'always',
      ...this.#flags,
    };
    const args = Object.entries(flags).flatMap(([flag, value]) => [`--${flag}`, ...value.split(' ')]);
    return { file: '/usr/bin/redis-server', args, options: { env: { ...process.env, ...this.#env } } };
  }

  protected async ask(): Promise<void> {
    const answer = await this.cli(['PING']).catch(String);
    // Where users have to say who they are, it is ready when it asks for that.
    if (!/PONG|NOAUTH/.test(answer)) throw new Error(answer);
  }

  /** Throws its data away, while it is stopped. */
  wipe(): void {
    rmSync(this.file('appendonlydir'), { recursive: true, force: true });
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
}
