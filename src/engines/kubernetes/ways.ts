import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { isIPv6 } from 'node:net';
import { homedir } from 'node:os';
import path from 'node:path';
import { BadInput, show } from '../../core/index.ts';
import { kindOf, shownAddress } from '../secrets.ts';
import type { Access, TlsOptions, Way } from './access.ts';
import { type KubeConfigLike, kubeconfigWay, loadedWay } from './kubeconfig.ts';

/** The API server and our credentials. Without any of these, `findWay` looks for them. */
export interface AccessOptions {
  /** A kubeconfig file. It needs the package @kubernetes/client-node, which can read it. */
  readonly kubeconfig?: string;
  /** In place of a file: a `KubeConfig` of @kubernetes/client-node that the program has loaded. */
  readonly kubeConfig?: KubeConfigLike;
  /** The context of the kubeconfig (default: its current one). */
  readonly context?: string;
  /** The folder with token, ca.crt and namespace, if it is not in the usual place of a pod. */
  readonly serviceAccount?: string;
  /** The API server itself: `https://host:port`. The options below belong to it. */
  readonly server?: string;
  /** A bearer token, or a function that is called before every request, for tokens that expire. */
  readonly token?: string | (() => string | Promise<string>);
  /** The certificates of the authorities that may sign the API server's, in PEM. */
  readonly ca?: string | Buffer;
  /** Our own certificate and its key, in PEM. */
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
}

const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

/**
 * Access by the options; else, in this order, by the file that KUBECONFIG names, the pod's service account, and
 * ~/.kube/config. Throws BadInput if there is none.
 */
export function findWay(options: AccessOptions, namespace: string | null): Way {
  if (options.server !== undefined) return directWay(options, namespace);
  for (const option of ['token', 'ca', 'cert', 'key'] as const) {
    if (options[option] !== undefined)
      throw new BadInput(option, 'to be given only together with the option server', typeof options[option]);
  }
  if (options.kubeConfig !== undefined) return loadedWay(options.kubeConfig, namespace);
  const { kubeconfig, context } = options;
  if (kubeconfig !== undefined && !(typeof kubeconfig === 'string' && existsSync(kubeconfig)))
    throw new BadInput('kubeconfig', 'the path of a file that exists', shownPath(kubeconfig));
  const { KUBECONFIG, KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = process.env;
  const folder = options.serviceAccount ?? SERVICE_ACCOUNT;
  if (
    options.serviceAccount === undefined &&
    (kubeconfig !== undefined || context !== undefined || KUBECONFIG)
  )
    return kubeconfigWay(kubeconfig, context, namespace);
  if (host && port && existsSync(path.join(folder, 'token'))) return podWay(host, port, folder, namespace);
  if (options.serviceAccount === undefined && existsSync(path.join(homedir(), '.kube', 'config')))
    return kubeconfigWay(undefined, undefined, namespace);
  const pod = `a pod with a service account (KUBERNETES_SERVICE_HOST, KUBERNETES_SERVICE_PORT and ${folder}/token)`;
  const file = 'a kubeconfig (the option kubeconfig, the variable KUBECONFIG or ~/.kube/config)';
  throw new BadInput('kubernetes:', `${pod} or ${file}`, 'neither');
}

/** The kubelet replaces the files while we run, so they are read each time. */
function podWay(host: string, port: string, folder: string, namespace: string | null): Way {
  const read = async (file: string): Promise<string> => {
    try {
      return (await readFile(path.join(folder, file), 'utf8')).trim();
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException;
      throw new Error(`the service account's ${file} cannot be read from ${folder} (${code})`, { cause });
    }
  };
  return {
    async find(): Promise<Access> {
      const [token, ca] = await Promise.all([read('token'), read('ca.crt')]);
      return {
        server: `https://${isIPv6(host) ? `[${host}]` : host}:${port}`,
        namespace: namespace ?? (await read('namespace')),
        authorization: `Bearer ${token}`,
        tls: { ca },
      };
    },
    forget: () => {},
  };
}

function directWay(options: AccessOptions, namespace: string | null): Way {
  const { server, token, ca, cert, key } = options;
  for (const option of ['kubeconfig', 'context', 'serviceAccount'] as const) {
    if (options[option] !== undefined)
      throw new BadInput(option, 'nothing, together with the option server', 'it');
  }
  const url = typeof server === 'string' && URL.canParse(server) ? new URL(server) : null;
  const isPlain = url?.protocol === 'http:';
  if (
    url === null ||
    !(isPlain || url.protocol === 'https:') ||
    url.username ||
    url.password ||
    /[?#]/.test(url.href)
  )
    throw new BadInput(
      'server',
      'https://host[:port], with no user, password or parameter in it',
      shownAddress(server),
    );
  if (isPlain && token !== undefined)
    throw new BadInput('server', 'https://…, since http:// would expose the token', shownAddress(server));
  if (
    token !== undefined &&
    typeof token !== 'function' &&
    !(typeof token === 'string' && /^[\x21-\x7e]+$/.test(token))
  )
    throw new BadInput(
      'token',
      'visible characters without spaces, or a function that returns them',
      typeof token,
    );
  for (const [option, text] of Object.entries({ ca, cert, key })) {
    if (text !== undefined && !String(text).includes('-----BEGIN'))
      throw new BadInput(option, 'the text of a PEM file, not its path', typeof text);
  }
  if ((cert === undefined) !== (key === undefined))
    throw new BadInput(cert === undefined ? 'cert' : 'key', 'to be given together with the other', 'nothing');
  const given = Object.entries({ ca, cert, key }).filter(([, text]) => text !== undefined);
  const tls = Object.fromEntries(given) as TlsOptions;
  return {
    async find(): Promise<Access> {
      const bearer = typeof token === 'function' ? await token() : token;
      const authorization = bearer === undefined ? null : `Bearer ${bearer}`;
      return { server: url.href.replace(/\/$/, ''), namespace: namespace ?? 'default', authorization, tls };
    },
    forget: () => {},
  };
}

/** A user may have passed the content of the file, which is full of secrets, in place of its path. */
function shownPath(given: unknown): string {
  return typeof given === 'string' && !/[\n:]/.test(given) ? show(given) : kindOf(given);
}
