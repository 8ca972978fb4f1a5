import path from 'node:path';
import type { KubernetesOptions } from '../../../src/engines/kubernetes/index.ts';
import { type Certificate, makeCertificate } from '../certificate.ts';
import { compiled } from '../compiled.ts';
import { hasDebian } from '../debian.ts';
import type { ApiServerOptions } from './kubernetes-api/api-server.ts';
import { type Cluster, type Reply, requestJson } from './kubernetes-api/cluster.ts';
import { type Program, ServerProcess, startOnFreePorts } from './server-process.ts';

const SCRIPT = await compiled(path.resolve(import.meta.dirname, 'kubernetes-api/api-server.ts'));

export function hasKubernetes(): boolean {
  return hasDebian('certificate for an API server', ['openssl']);
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

/** An API server of our own: see `kubernetes-api`. */
export class KubernetesServer extends ServerProcess implements Cluster {
  /** What the engine takes, besides `options`. */
  readonly url: string = `kubernetes:${NAMESPACE}/`;
  readonly namespace: string = NAMESPACE;
  readonly #certificate: Certificate = makeCertificate();

  private constructor(port: number) {
    super('kubernetes', port);
  }

  static start(): Promise<KubernetesServer> {
    return startOnFreePorts((port) => new KubernetesServer(port));
  }

  get ca(): string {
    return this.#certificate.cert;
  }

  get server(): string {
    return `https://127.0.0.1:${this.port}`;
  }

  options(port: number = this.port): KubernetesOptions {
    return { server: `https://127.0.0.1:${port}`, token: TOKEN, ca: this.ca };
  }

  protected program(): Program {
    const options: ApiServerOptions = {
      port: this.port,
      dataFile: this.file('leases.json'),
      certFile: this.#certificate.certFile,
      keyFile: this.#certificate.keyFile,
      users: {
        [TOKEN]: { name: `system:serviceaccount:${NAMESPACE}:caucus`, verbs: ROLE },
        [BLIND_TOKEN]: { name: 'blind', verbs: ROLE.filter((verb) => verb !== 'watch') },
        [ADMIN_TOKEN]: { name: 'admin', verbs: [...ROLE, 'list', 'delete'] },
      },
      namespaces: [NAMESPACE, CLOSED_NAMESPACE],
      closedNamespace: CLOSED_NAMESPACE,
    };
    return { file: process.execPath, args: [SCRIPT, JSON.stringify(options)] };
  }

  protected async ask(): Promise<void> {
    await requestJson(`${this.server}/readyz`, { method: 'GET', ca: this.ca });
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

  override async close(): Promise<void> {
    await super.close();
    await this.#certificate.close();
  }
}
