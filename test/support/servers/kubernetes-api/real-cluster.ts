import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type https from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { KubeConfig } from '@kubernetes/client-node';
import type { KubernetesOptions } from '../../../../src/engines/kubernetes/index.ts';
import { type Cluster, type Reply, requestJson } from './cluster.ts';

/** The file that names a real cluster to test with; undefined if there is none. */
export const realKubeconfig: string | undefined =
  process.env.CAUCUS_TEST_KUBECONFIG ?? process.env.KUBECONFIG;

/** A cluster that somebody runs, in the namespace of its kubeconfig's current context. What the tests make there they remove. */
export class RealCluster implements Cluster {
  readonly url: string;
  readonly server: string;
  readonly namespace: string;
  readonly #config = new KubeConfig();
  readonly #file: string;
  readonly #folder: string = mkdtempSync(path.join(tmpdir(), 'caucus-kubeconfig-'));

  constructor(file: string) {
    this.#file = file;
    this.#config.loadFromFile(file);
    this.server = this.#config.getCurrentCluster()!.server.replace(/\/$/, '');
    this.namespace = this.#config.getContextObject(this.#config.getCurrentContext())?.namespace ?? 'default';
    this.url = `kubernetes:${this.namespace}/`;
  }

  options(port?: number): KubernetesOptions {
    if (port === undefined) return { kubeconfig: this.#file };
    const config = JSON.parse(this.#config.exportConfig());
    for (const { cluster } of config.clusters) {
      const { hostname } = new URL(cluster.server);
      if (hostname !== '127.0.0.1') cluster['tls-server-name'] ??= hostname;
      cluster.server = `https://127.0.0.1:${port}`;
    }
    const file = path.join(this.#folder, `${port}.json`);
    writeFileSync(file, JSON.stringify(config), { mode: 0o600 });
    return { kubeconfig: file };
  }

  async request(
    method: string,
    rest: string,
    body?: object,
    headers: Record<string, string> = {},
  ): Promise<Reply> {
    const options: https.RequestOptions = { method };
    await this.#config.applyToHTTPSOptions(options);
    const merged = { ...(options.headers as Record<string, string> | undefined), ...headers };
    const url = `${this.server}/apis/coordination.k8s.io/v1/namespaces/${this.namespace}/${rest}`;
    return requestJson(url, { ...options, body, headers: merged });
  }

  async deleteElection(name: string): Promise<void> {
    await this.request('DELETE', `leases/${name}`);
  }

  async close(): Promise<void> {
    const { body } = await this.request('GET', 'leases');
    for (const { metadata } of body.items ?? []) {
      if (/^(conformance|caucus-test)-/.test(metadata.name)) await this.deleteElection(metadata.name);
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
