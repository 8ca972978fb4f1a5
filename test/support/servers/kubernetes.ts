import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { KubernetesOptions } from '../../../src/engines/kubernetes/index.ts';
import { ensureDebian } from '../debian.ts';
import { freePorts } from '../free-ports.ts';
import type { ApiServerOptions } from './kubernetes-api/api-server.ts';
import { type Cluster, type Reply, requestJson } from './kubernetes-api/cluster.ts';

const SCRIPT = path.resolve(import.meta.dirname, 'kubernetes-api/api-server.ts');
const missing = ensureDebian(['openssl']);

/** Whether there is what a server needs. Where there must be, it is an error that there is not. */
export function hasKubernetes(): boolean {
  if (missing === null) return true;
  if (process.env.CI) throw new Error(missing);
  process.stderr.write(`SKIPPED, no certificate for an API server: ${missing}\n`);
  return false;
}

const NAMESPACE = 'caucus-test';
export const CLOSED_NAMESPACE = 'closed';
/** They look like the real ones, so that a test can search for them. */
export const TOKEN = 'eyJhbGciOiJSUzI1NiJ9.caucus-test.c2VjcmV0';
/** Of somebody who may do everything but watch. */
export const BLIND_TOKEN = 'eyJhbGciOiJSUzI1NiJ9.caucus-blind.c2VjcmV0';
const ADMIN_TOKEN = 'eyJhbGciOiJSUzI1NiJ9.caucus-admin.c2VjcmV0';
/** What the role in the documentation grants. */
const ROLE = ['get', 'create', 'update', 'watch'];

/** An API server of our own, on the loopback, with its data in a folder of its own: see `kubernetes-api`. */
export class KubernetesServer implements Cluster {
  readonly port: number;
  readonly folder: string;
  readonly ca: string;
  /** What the engine takes, besides `options`. */
  readonly url: string = `kubernetes:${NAMESPACE}/`;
  readonly namespace: string = NAMESPACE;
  #child: ChildProcess | null = null;

  private constructor(port: number) {
    this.port = port;
    this.folder = mkdtempSync(path.join(tmpdir(), 'caucus-kubernetes-'));
    const files = ['-keyout', this.#file('server.key'), '-out', this.#file('server.crt')];
    const kind = [
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-days',
      '2',
    ];
    const names = ['-subj', '/CN=kube-apiserver', '-addext', 'subjectAltName=IP:127.0.0.1'];
    execFileSync('openssl', ['req', ...kind, ...names, ...files], { stdio: 'ignore' });
    this.ca = readFileSync(this.#file('server.crt'), 'utf8');
  }

  static async start(): Promise<KubernetesServer> {
    for (let tries = 3; ; tries--) {
      const [port] = await freePorts(1);
      const server = new KubernetesServer(port!);
      try {
        await server.restart();
        return server;
      } catch (error) {
        await server.close();
        if (tries === 1) throw error;
      }
    }
  }

  get server(): string {
    return `https://127.0.0.1:${this.port}`;
  }

  options(port: number = this.port): KubernetesOptions {
    return { server: `https://127.0.0.1:${port}`, token: TOKEN, ca: this.ca };
  }

  /** Starts it with the data that it has. */
  async restart(): Promise<void> {
    const options: ApiServerOptions = {
      port: this.port,
      dataFile: this.#file('leases.json'),
      certFile: this.#file('server.crt'),
      keyFile: this.#file('server.key'),
      users: {
        [TOKEN]: { name: `system:serviceaccount:${NAMESPACE}:caucus`, verbs: ROLE },
        [BLIND_TOKEN]: { name: 'blind', verbs: ROLE.filter((verb) => verb !== 'watch') },
        [ADMIN_TOKEN]: { name: 'admin', verbs: [...ROLE, 'list', 'delete'] },
      },
      namespaces: [NAMESPACE, CLOSED_NAMESPACE],
      closedNamespace: CLOSED_NAMESPACE,
    };
    const args = ['--import', 'tsx', SCRIPT, JSON.stringify(options)];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    child.stderr.on('data', (data) => {
      said = `${said}${data}`.slice(-2000);
    });
    this.#child = child;
    for (let tries = 200; ; tries--) {
      if (child.exitCode !== null) throw new Error(`the API server has ended: ${said}`);
      try {
        await requestJson(`${this.server}/readyz`, { method: 'GET', ca: this.ca });
        return;
      } catch (error) {
        if (tries === 1) throw new Error(`the API server does not answer: ${error}\n${said}`);
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

  pause(): void {
    this.#child?.kill('SIGSTOP');
  }

  resume(): void {
    this.#child?.kill('SIGCONT');
  }

  /** Asks as an administrator would; `rest` is what comes after the namespace. */
  request(method: string, rest: string, body?: object, headers: Record<string, string> = {}): Promise<Reply> {
    const url = `${this.server}/apis/coordination.k8s.io/v1/namespaces/${NAMESPACE}/${rest}`;
    const authorization = `Bearer ${ADMIN_TOKEN}`;
    return requestJson(url, { method, ca: this.ca, body, headers: { authorization, ...headers } });
  }

  /** Removes its Lease behind everybody's back. */
  async deleteElection(name: string): Promise<void> {
    await this.request('DELETE', `leases/${name}`);
  }

  async close(): Promise<void> {
    await this.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  #file(name: string): string {
    return path.join(this.folder, name);
  }
}
