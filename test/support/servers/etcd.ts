import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { promisify } from 'node:util';
import { hasDebian } from '../debian.ts';
import { type Program, ServerProcess, startOnFreePorts } from './server-process.ts';

const run = promisify(execFile);

export function hasEtcd(): boolean {
  return hasDebian('etcd', ['etcd-server', 'etcd-client']);
}

/** Files of a certificate that etcd shows to those who connect. */
interface Certificate {
  readonly certFile: string;
  readonly keyFile: string;
  /** Whether those who connect must show one too: this very one. */
  readonly isMutual?: boolean;
}

/** Debian's etcd. */
export class EtcdServer extends ServerProcess {
  readonly #peerPort: number;
  readonly #certificate: Certificate | null;

  private constructor(port: number, peerPort: number, certificate: Certificate | null) {
    super('etcd', port);
    this.#peerPort = peerPort;
    this.#certificate = certificate;
  }

  static start(certificate: Certificate | null = null): Promise<EtcdServer> {
    return startOnFreePorts((port, peerPort) => new EtcdServer(port, peerPort, certificate));
  }

  /** What the engine takes. */
  get url(): string {
    return `${this.#certificate === null ? 'etcd' : 'etcds'}://127.0.0.1:${this.port}`;
  }

  protected program(): Program {
    const peer = `http://127.0.0.1:${this.#peerPort}`;
    const flags = {
      name: 'test',
      'data-dir': this.file('data'),
      'listen-client-urls': this.#client,
      'advertise-client-urls': this.#client,
      'listen-peer-urls': peer,
      'initial-advertise-peer-urls': peer,
      'initial-cluster': `test=${peer}`,
      ...tlsFlags(this.#certificate),
    };
    return {
      file: '/usr/bin/etcd',
      args: Object.entries(flags).map(([flag, value]) => `--${flag}=${value}`),
    };
  }

  protected async ask(): Promise<void> {
    try {
      await this.ctl(['endpoint', 'health'], ['--command-timeout=1s']);
    } catch (error) {
      // Where users have to say who they are, it is ready when it asks for that.
      if (!/user name is empty|invalid auth token/.test(String(error))) throw error;
    }
  }

  /** Runs etcdctl, and returns what it printed. */
  async ctl(args: readonly string[], flags: readonly string[] = []): Promise<string> {
    const { stdout } = await run('/usr/bin/etcdctl', [...this.#ctlFlags(), ...flags, ...args], ctlOptions);
    return stdout.trim();
  }

  /** Starts an etcdctl that goes on, such as `elect`. */
  spawnCtl(args: readonly string[]): ChildProcess {
    return spawn('/usr/bin/etcdctl', [...this.#ctlFlags(), ...args], {
      env: ctlOptions.env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  }

  /** Removes the keys of all candidates behind their backs. */
  async deleteElection(name: string): Promise<void> {
    await this.ctl(['del', '--prefix', `${name}/`]);
  }

  #ctlFlags(): string[] {
    const { certFile, keyFile } = this.#certificate ?? {};
    const trust = certFile ? [`--cacert=${certFile}`, `--cert=${certFile}`, `--key=${keyFile}`] : [];
    return [`--endpoints=${this.#client}`, ...trust];
  }

  get #client(): string {
    return `${this.#certificate === null ? 'http' : 'https'}://127.0.0.1:${this.port}`;
  }
}

function tlsFlags(certificate: Certificate | null): Record<string, string> {
  if (certificate === null) return {};
  const { certFile, keyFile, isMutual } = certificate;
  const mutual = { 'client-cert-auth': 'true', 'trusted-ca-file': certFile };
  return { 'cert-file': certFile, 'key-file': keyFile, ...(isMutual ? mutual : {}) };
}

const ctlOptions = { env: { ...process.env, ETCDCTL_API: '3' }, timeout: 20_000 };
