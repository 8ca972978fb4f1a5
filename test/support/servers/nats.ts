import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { jetstreamManager } from '@nats-io/jetstream';
import { type KV, Kvm } from '@nats-io/kv';
import { type ConnectionOptions, connect, type NatsConnection } from '@nats-io/transport-node';
import { ensureDebian } from '../debian.ts';
import { freePorts } from '../free-ports.ts';

const missing = ensureDebian(['nats-server']);

/** Whether there is a NATS to test with. Where there must be one, it is an error that there is not. */
export function hasNats(): boolean {
  if (missing === null) return true;
  if (process.env.CI) throw new Error(missing);
  process.stderr.write(`SKIPPED, no NATS to test with: ${missing}\n`);
  return false;
}

export interface ServerOptions {
  /** More lines of its configuration: who may come in, and how. */
  readonly config?: string;
  /** How an administrator connects, where that is asked for. */
  readonly admin?: ConnectionOptions;
}

/** Debian's nats-server with JetStream, on the loopback, with its data in a folder of its own. */
export class NatsServer {
  readonly port: number;
  readonly #options: ServerOptions;
  readonly #folder: string;
  #child: ChildProcess | null = null;

  private constructor(port: number, options: ServerOptions) {
    this.port = port;
    this.#options = options;
    this.#folder = mkdtempSync(path.join(tmpdir(), 'caucus-nats-'));
  }

  static async start(options: ServerOptions = {}): Promise<NatsServer> {
    for (let tries = 3; ; tries--) {
      const [port] = await freePorts(1);
      const server = new NatsServer(port!, options);
      try {
        await server.restart();
        return server;
      } catch (error) {
        await server.close();
        if (tries === 1) throw error;
      }
    }
  }

  /** What the engine takes. */
  get url(): string {
    return `nats://127.0.0.1:${this.port}`;
  }

  /** Starts it with the data that it has. */
  async restart(): Promise<void> {
    const file = path.join(this.#folder, 'nats.conf');
    const listen = `listen: "127.0.0.1:${this.port}"`;
    const store = `jetstream { store_dir: "${path.join(this.#folder, 'data')}" }`;
    writeFileSync(file, [listen, store, this.#options.config ?? ''].join('\n'));
    const child = spawn('/usr/sbin/nats-server', ['-c', file], { stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    child.stderr.on('data', (data) => {
      said = `${said}${data}`.slice(-2000);
    });
    this.#child = child;
    for (let tries = 100; ; tries--) {
      if (child.exitCode !== null) throw new Error(`nats-server has ended: ${said}`);
      try {
        return await this.asAdmin(async (connection) => void (await jetstreamManager(connection)));
      } catch (error) {
        if (tries === 1) throw new Error(`nats-server does not answer: ${error}\n${said}`);
      }
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

  /** Stops all of its threads, and returns when they stand still: the signal alone leaves them a moment to answer. */
  pause(): void {
    this.#child!.kill('SIGSTOP');
    const tasks = `/proc/${this.#child!.pid}/task`;
    const stands = (task: string): boolean => / T \d/.test(readFileSync(`${tasks}/${task}/stat`, 'utf8'));
    for (let tries = 0; !readdirSync(tasks).every(stands); tries++) {
      if (tries === 1000) throw new Error('nats-server does not stand still');
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }

  resume(): void {
    this.#child?.kill('SIGCONT');
  }

  /** Does something over a connection of its own, as any other program would. */
  async asAdmin<T>(act: (connection: NatsConnection) => Promise<T>): Promise<T> {
    const { admin } = this.#options;
    const connection = await connect({ servers: `127.0.0.1:${this.port}`, reconnect: false, ...admin });
    try {
      return await act(connection);
    } finally {
      await connection.close();
    }
  }

  /** A bucket, as a plain client of NATS has it. */
  inBucket<T>(bucket: string, act: (kv: KV) => Promise<T>): Promise<T> {
    return this.asAdmin(async (connection) => act(await new Kvm(connection).open(bucket)));
  }

  /** Deletes the lease as an operator would (`nats kv del`). */
  deleteElection(name: string, bucket = 'caucus'): Promise<void> {
    return this.inBucket(bucket, (kv) => kv.delete(name));
  }

  /** Removes a bucket with everything in it. */
  async deleteBucket(bucket: string): Promise<void> {
    await this.inBucket(bucket, (kv) => kv.destroy());
  }

  async close(): Promise<void> {
    await this.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
