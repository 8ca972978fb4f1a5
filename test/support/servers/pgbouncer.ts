import { once } from 'node:events';
import { chmodSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { hasDebian } from '../debian.ts';
import { PASSWORD, USER } from './postgres.ts';
import { type Program, ServerProcess, startOnFreePorts } from './server-process.ts';

export function hasPgBouncer(): boolean {
  return hasDebian('PgBouncer', ['pgbouncer']);
}

/** Debian's PgBouncer in transaction mode before a server: each statement may run in another session. */
export class PgBouncer extends ServerProcess {
  readonly #serverPort: number;

  private constructor(port: number, serverPort: number) {
    super('pgbouncer', port);
    this.#serverPort = serverPort;
    chmodSync(this.folder, 0o755);
  }

  static start(serverPort: number): Promise<PgBouncer> {
    return startOnFreePorts((port) => new PgBouncer(port, serverPort));
  }

  protected program(): Program {
    const users = this.file('users.txt');
    writeFileSync(users, `"${USER}" "${PASSWORD}"\n`);
    const settings = {
      listen_addr: '127.0.0.1',
      listen_port: this.port,
      unix_socket_dir: '',
      auth_type: 'scram-sha-256',
      auth_file: users,
      pool_mode: 'transaction',
      default_pool_size: 3,
    };
    const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
    const file = this.file('pgbouncer.ini');
    const databases = ['[databases]', `* = host=127.0.0.1 port=${this.#serverPort}`];
    writeFileSync(file, [...databases, '[pgbouncer]', ...lines, ''].join('\n'));
    // It refuses to run as root, and needs nobody in particular.
    const options = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
    return { file: '/usr/sbin/pgbouncer', args: ['-q', file], options };
  }

  protected async ask(): Promise<void> {
    const socket = net.connect(this.port, '127.0.0.1');
    try {
      await once(socket, 'connect');
    } finally {
      socket.destroy();
    }
  }
}
