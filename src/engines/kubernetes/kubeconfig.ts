import type { RequestOptions } from 'node:https';
import type { KubeConfig } from '@kubernetes/client-node';
import { BadInput, show } from '../../core/index.ts';
import { loadClient, optional } from '../load-client.ts';
import type { Access, TlsOptions, Way } from './access.ts';

/**
 * Access by a kubeconfig. The official library reads it and knows all its ways to authenticate (tokens, certificates,
 * programs that are run, OIDC); we use it for nothing else.
 */
export function kubeconfigWay(
  file: string | undefined,
  context: string | undefined,
  namespace: string | null,
): Way {
  let loading: Promise<KubeConfig> | null = null;
  return {
    async load(): Promise<void> {
      await loadLibrary();
    },
    async find(): Promise<Access> {
      loading ??= load(file, context);
      try {
        return await accessOf(await loading, namespace);
      } catch (error) {
        loading = null;
        throw error;
      }
    },
    forget() {
      loading = null;
    },
  };
}

/** What is used of a `KubeConfig` of @kubernetes/client-node that the program has loaded. */
export interface KubeConfigLike {
  getCurrentCluster(): { readonly server: string; readonly proxyUrl?: string | undefined } | null;
  getCurrentContext(): string;
  getContextObject(name: string): { readonly namespace?: string | undefined } | null;
  applyToHTTPSOptions(options: RequestOptions): Promise<void>;
}

/** Access by a kubeconfig that is loaded. */
export function loadedWay(config: KubeConfigLike, namespace: string | null): Way {
  if (config.getCurrentCluster() === null)
    throw new BadInput(
      'kubeConfig',
      'one whose current context has a cluster',
      show(config.getCurrentContext()),
    );
  return { find: () => accessOf(config, namespace), forget() {} };
}

function loadLibrary(): Promise<typeof import('@kubernetes/client-node')> {
  return loadClient('kubernetes', ['@kubernetes/client-node'], () =>
    import('@kubernetes/client-node').catch(optional),
  );
}

async function load(file: string | undefined, context: string | undefined): Promise<KubeConfig> {
  const library = await loadLibrary();
  const config = new library.KubeConfig();
  const { KUBECONFIG = '~/.kube/config' } = process.env;
  const source = file ?? KUBECONFIG;
  try {
    if (file === undefined) config.loadFromDefault();
    else config.loadFromFile(file);
  } catch {
    // The error may quote the file, which is full of secrets.
    throw new Error(`the kubeconfig ${source} cannot be read`);
  }
  if (context !== undefined) config.setCurrentContext(context);
  if (config.getCurrentCluster() === null) {
    const names = config.getContexts().map(({ name }) => name);
    const wanted = config.getCurrentContext() ?? 'no context';
    throw new Error(
      `the kubeconfig ${source} has no cluster for ${wanted}; its contexts: ${names.join(', ')}`,
    );
  }
  return config;
}

async function accessOf(config: KubeConfigLike, namespace: string | null): Promise<Access> {
  const cluster = config.getCurrentCluster()!;
  const options: RequestOptions = {};
  await config.applyToHTTPSOptions(options);
  const { Authorization, ...headers } = (options.headers ?? {}) as Record<string, string>;
  const basic = options.auth ? `Basic ${Buffer.from(options.auth).toString('base64')}` : null;
  const { ca, cert, key, servername, rejectUnauthorized } = options;
  const given = Object.entries({ ca, cert, key, servername, rejectUnauthorized });
  return {
    server: cluster.server.replace(/\/$/, ''),
    namespace: namespace ?? config.getContextObject(config.getCurrentContext())?.namespace ?? 'default',
    authorization: Authorization ?? basic,
    headers,
    tls: Object.fromEntries(given.filter(([, value]) => value !== undefined)) as TlsOptions,
    ...(cluster.proxyUrl && typeof options.agent === 'object' ? { agent: options.agent } : {}),
  };
}
