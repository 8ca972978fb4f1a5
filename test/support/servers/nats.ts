import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { jetstreamManager } from '@nats-io/jetstream';
import { type KV, Kvm } from '@nats-io/kv';
import { type ConnectionOptions, connect, type NatsConnection } from '@nats-io/transport-node';
import { hasDebian } from '../debian.ts';
import { type Program, ServerProcess, startOnFreePorts } from './server-process.ts';

/** Debian's, or another version that somebody wants to be tested. */
const PROGRAM = process.env.CAUCUS_NATS_SERVER ?? '/usr/sbin/nats-server';

export function hasNats(): boolean {
  return process.env.CAUCUS_NATS_SERVER !== undefined || hasDebian('NATS', ['nats-server']);
}

/** As in `2.11.4`. */
export function natsVersion(): string {
  return /\d+\.\d+\.\d+/.exec(String(execFileSync(PROGRAM, ['--version'])))![0];
}

export interface ServerOptions {
  /** More lines of its configuration: who may come in, and how. */
  readonly config?: string;
  /** How an administrator connects, where that is asked for. */
  readonly admin?: ConnectionOptions;
}

/** A nats-server with JetStream. */
export class NatsServer extends ServerProcess {
  readonly #options: ServerOptions;

  private constructor(port: number, options: ServerOptions) {
    super('nats-server', port);
    this.#options = options;
  }

  static start(options: ServerOptions = {}): Promise<NatsServer> {
    return startOnFreePorts((port) => new NatsServer(port, options));
  }

  /** What the engine takes. */
  get url(): string {
    return `nats://127.0.0.1:${this.port}`;
  }

  protected program(): Program {
    const file = this.file('nats.conf');
    const listen = `listen: "127.0.0.1:${this.port}"`;
    const store = `jetstream { store_dir: "${this.file('data')}" }`;
    writeFileSync(file, [listen, store, this.#options.config ?? ''].join('\n'));
    return { file: PROGRAM, args: ['-c', file] };
  }

  protected ask(): Promise<unknown> {
    return this.asAdmin((connection) => jetstreamManager(connection));
  }

  /** Stops all of its threads, and returns when they stand still: the signal alone leaves them a moment to answer. */
  override pause(): void {
    super.pause();
    const tasks = `/proc/${this.pid}/task`;
    const stands = (task: string): boolean => / T \d/.test(readFileSync(`${tasks}/${task}/stat`, 'utf8'));
    for (let tries = 0; !readdirSync(tasks).every(stands); tries++) {
      if (tries === 1000) throw new Error('nats-server does not stand still');
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
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
}
