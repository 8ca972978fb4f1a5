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

const missing = ensureDebian(['etcd-server', 'etcd-client']);

/** Whether there is an etcd to test with. Where there must be one, it is an error that there is not. */
export function hasEtcd(): boolean {
  if (missing === null) return true;
  if (process.env.CI) throw new Error(missing);
  process.stderr.write(`SKIPPED, no etcd to test with: ${missing}\n`);
  return false;
}

/** Files of a certificate that etcd shows to those who connect. */
export interface Certificate {
  readonly certFile: string;
  readonly keyFile: string;
  /** Whether those who connect must show one too: this very one. */
  readonly isMutual?: boolean;
}

/** Debian's etcd, on the loopback, with its data in a folder of its own. */
export class EtcdServer {
  readonly port: number;
  readonly #peerPort: number;
  readonly #folder: string;
  readonly #certificate: Certificate | null;
  #child: ChildProcess | null = null;

  private constructor(port: number, peerPort: number, certificate: Certificate | null) {
    this.port = port;
    this.#peerPort = peerPort;
    this.#certificate = certificate;
    this.#folder = mkdtempSync(path.join(tmpdir(), 'caucus-etcd-'));
  }

  static async start(certificate: Certificate | null = null): Promise<EtcdServer> {
    for (let tries = 3; ; tries--) {
      const [port, peerPort] = await freePorts(2);
      const server = new EtcdServer(port!, peerPort!, certificate);
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
    return `${this.#certificate === null ? 'etcd' : 'etcds'}://127.0.0.1:${this.port}`;
  }

  /** Starts it with the data that it has. */
  async restart(): Promise<void> {
    const scheme = this.#certificate === null ? 'http' : 'https';
    const client = `${scheme}://127.0.0.1:${this.port}`;
    const peer = `http://127.0.0.1:${this.#peerPort}`;
    const flags = {
      name: 'test',
      'data-dir': path.join(this.#folder, 'data'),
      'listen-client-urls': client,
      'advertise-client-urls': client,
      'listen-peer-urls': peer,
      'initial-advertise-peer-urls': peer,
      'initial-cluster': `test=${peer}`,
      ...tlsFlags(this.#certificate),
    };
    const args = Object.entries(flags).map(([flag, value]) => `--${flag}=${value}`);
    const child = spawn('/usr/bin/etcd', args, { stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    child.stderr.on('data', (data) => {
      said = `${said}${data}`.slice(-2000);
    });
    this.#child = child;
    for (let tries = 100; ; tries--) {
      if (child.exitCode !== null) throw new Error(`etcd has ended: ${said}`);
      try {
        await this.ctl(['endpoint', 'health'], ['--command-timeout=1s']);
        return;
      } catch (error) {
        // Where users have to say who they are, it is ready when it asks for that.
        if (/user name is empty|invalid auth token/.test(String(error))) return;
        if (tries === 1) throw new Error(`etcd does not answer: ${error}\n${said}`);
      }
      await sleep(100);
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

  pause(): void {
    this.#child?.kill('SIGSTOP');
  }

  resume(): void {
    this.#child?.kill('SIGCONT');
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

  async close(): Promise<void> {
    await this.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #ctlFlags(): string[] {
    const scheme = this.#certificate === null ? 'http' : 'https';
    const { certFile, keyFile } = this.#certificate ?? {};
    const trust = certFile ? [`--cacert=${certFile}`, `--cert=${certFile}`, `--key=${keyFile}`] : [];
    return [`--endpoints=${scheme}://127.0.0.1:${this.port}`, ...trust];
  }
}

function tlsFlags(certificate: Certificate | null): Record<string, string> {
  if (certificate === null) return {};
  const { certFile, keyFile, isMutual } = certificate;
  const mutual = { 'client-cert-auth': 'true', 'trusted-ca-file': certFile };
  return { 'cert-file': certFile, 'key-file': keyFile, ...(isMutual ? mutual : {}) };
}

const ctlOptions = { env: { ...process.env, ETCDCTL_API: '3' }, timeout: 20_000 };
