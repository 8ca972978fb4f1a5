import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ensureDebian } from '../debian.ts';
import { freePorts } from '../free-ports.ts';
import { PASSWORD, USER } from './postgres.ts';

const missing = ensureDebian(['pgbouncer']);

export function hasPgBouncer(): boolean {
  if (missing === null) return true;
  if (process.env.CI) throw new Error(missing);
  process.stderr.write(`SKIPPED, no PgBouncer to test with: ${missing}\n`);
  return false;
}

/** Debian's PgBouncer in transaction mode before a server: each statement may run in another session. */
export class PgBouncer {
  readonly port: number;
  readonly #folder: string;
  readonly #child: ChildProcess;

  private constructor(port: number, serverPort: number) {
    this.port = port;
    this.#folder = mkdtempSync(path.join(tmpdir(), 'caucus-pgbouncer-'));
    chmodSync(this.#folder, 0o755);
    const users = path.join(this.#folder, 'users.txt');
    writeFileSync(users, `"${USER}" "${PASSWORD}"\n`);
    const settings = {
      listen_addr: '127.0.0.1',
      listen_port: port,
      unix_socket_dir: '',
      auth_type: 'scram-sha-256',
      auth_file: users,
      pool_mode: 'transaction',
      default_pool_size: 3,
    };
    const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
    const file = path.join(this.#folder, 'pgbouncer.ini');
    const databases = ['[databases]', `* = host=127.0.0.1 port=${serverPort}`];
    writeFileSync(file, [...databases, '[pgbouncer]', ...lines, ''].join('\n'));
    // It refuses to run as root, and needs nobody in particular.
    const asWhom = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
    this.#child = spawn('/usr/sbin/pgbouncer', ['-q', file], { ...asWhom, stdio: 'ignore' });
  }

  static async start(serverPort: number): Promise<PgBouncer> {
    const [port] = await freePorts(1);
    const pooler = new PgBouncer(port!, serverPort);
    for (let tries = 100; !(await isListening(port!)); tries--) {
      if (tries === 1 || pooler.#child.exitCode !== null) throw new Error('pgbouncer does not answer');
      await sleep(50);
    }
    return pooler;
  }

  async close(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      this.#child.kill('SIGKILL');
      await once(this.#child, 'exit');
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}
