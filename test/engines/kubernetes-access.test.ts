/** Where the API server is, who we are there, and what is refused at once. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { inspect } from 'node:util';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Election } from '../../src/election/index.ts';
import { seen, won } from '../../src/engines/conformance/stage.ts';
import { type KubernetesOptions, kubernetes } from '../../src/engines/kubernetes/index.ts';
import { kubeconfigWay } from '../../src/engines/kubernetes/kubeconfig.ts';
import { CLOSED_NAMESPACE, hasKubernetes, KubernetesServer, TOKEN } from '../support/servers/kubernetes.ts';

const can = hasKubernetes();
const server = can ? await KubernetesServer.start() : null;
const folder = mkdtempSync(path.join(tmpdir(), 'caucus-access-'));
const cleanUp: (() => unknown)[] = [];

beforeEach(() => {
  for (const name of ['KUBECONFIG', 'KUBERNETES_SERVICE_HOST', 'KUBERNETES_SERVICE_PORT'])
    vi.stubEnv(name, undefined);
  vi.stubEnv('HOME', path.join(folder, 'nobody'));
});
afterEach(async () => {
  for (const each of cleanUp.splice(0)) await each();
  vi.unstubAllEnvs();
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await server?.close();
});

function election(url: string, options: KubernetesOptions): Election {
  const engine = kubernetes(url, { leaseMs: 3000, ...options });
  cleanUp.push(() => engine.close());
  return new Election('caucus-test-access', engine);
}

/** What somebody is told of whatever does not work. */
async function trouble(url: string, options: KubernetesOptions, stand = false): Promise<string> {
  const tried = election(url, options);
  if (stand) tried.campaign().catch(() => {});
  const { detail } = await seen(tried, 'trouble', ({ cause }) => cause === 'store-unreachable');
  return detail;
}

function kubeconfig(user: object, file = 'config'): string {
  const cluster = {
    server: server!.server,
    'certificate-authority-data': Buffer.from(server!.ca).toString('base64'),
  };
  const text = {
    'current-context': 'test',
    clusters: [{ name: 'test', cluster }],
    users: [{ name: 'test', user }],
    contexts: [
      { name: 'test', context: { cluster: 'test', user: 'test', namespace: server!.namespace } },
      { name: 'lost', context: { cluster: 'nowhere', user: 'test' } },
    ],
  };
  const where = path.join(folder, file);
  mkdirSync(path.dirname(where), { recursive: true });
  writeFileSync(where, JSON.stringify(text));
  return where;
}

describe('bad input is refused at once', () => {
  const direct = { server: 'https://127.0.0.1:6443' };
  const refused: [what: string, url: string, options: KubernetesOptions, message: RegExp][] = [
    ['another scheme', 'k8s:', direct, /^url: expected kubernetes: or kubernetes:NAMESPACE\/, found "k8s:"/],
    [
      'a host in the URL',
      'kubernetes://host/',
      direct,
      /^url: expected kubernetes: or kubernetes:NAMESPACE\//,
    ],
    ['no namespace', 'kubernetes:Not_A_Namespace/', direct, /^url: .*a namespace: 1 to 63 lower-case/],
    [
      'no namespace as option',
      'kubernetes:',
      { ...direct, namespace: '-x' },
      /^namespace: expected a namespace/,
    ],
    [
      'two namespaces',
      'kubernetes:a/',
      { ...direct, namespace: 'b' },
      /^namespace: expected the same as in the URL \(a\)/,
    ],
    [
      'half a second',
      'kubernetes:',
      { ...direct, leaseMs: 500 },
      /^leaseMs: expected at least 1000, since Kubernetes counts leases in whole seconds/,
    ],
    [
      'a lease of 1.5 s',
      'kubernetes:',
      { ...direct, leaseMs: 1500 },
      /^leaseMs: expected whole seconds, .*: 2000, found 1500/,
    ],
    ['no server', 'kubernetes:', { server: 'here' }, /^server: expected https:\/\/host\[:port\]/],
    [
      'a token for all to read',
      'kubernetes:',
      { server: 'http://10.0.0.1', token: 'geheim' },
      /^server: expected https:/,
    ],
    [
      'a token without a server',
      'kubernetes:',
      { token: 'geheim' },
      /^token: expected to be given only together with the option server/,
    ],
    [
      'a token with a line feed',
      'kubernetes:',
      { ...direct, token: 'ge\nheim' },
      /^token: expected visible characters/,
    ],
    ['a path as ca', 'kubernetes:', { ...direct, ca: '/etc/ca.crt' }, /^ca: expected the text of a PEM file/],
    [
      'a key alone',
      'kubernetes:',
      { ...direct, key: '-----BEGIN X' },
      /^cert: expected to be given together/,
    ],
    [
      'a server and a kubeconfig',
      'kubernetes:',
      { ...direct, kubeconfig: '/x' },
      /^kubeconfig: expected nothing/,
    ],
    [
      'a kubeconfig that is not there',
      'kubernetes:',
      { kubeconfig: '/not/there' },
      /^kubeconfig: expected the path of a file that exists/,
    ],
    [
      'neither a pod nor a kubeconfig',
      'kubernetes:',
      {},
      /KUBERNETES_SERVICE_HOST.* or a kubeconfig \(the option kubeconfig, the variable KUBECONFIG or ~\/\.kube\/config\), found neither/,
    ],
  ];
  for (const [what, url, options, message] of refused) {
    it(what, () => {
      expect(() => kubernetes(url, options)).toThrow(message);
      expect(() => kubernetes(url, options)).not.toThrow(/geheim|ge\nheim/);
    });
  }

  it('a name that no object can have', async () => {
    const engine = kubernetes('kubernetes:', direct);
    for (const name of ['Nightly', 'a_b', 'a b', '-a', 'a.', '', 'a/b', 'x'.repeat(254)])
      expect(() => engine.seat(name)).toThrow(/^election: expected a name that Kubernetes takes/);
    await engine.close();
  });
});

describe.runIf(can)('who we are', () => {
  const url = server?.url ?? '';

  it('a wrong token is told, and never shown', async () => {
    const token = 'my-very-secret-token';
    const detail = await trouble(url, { ...server!.options(), token });
    expect(detail).toBe(
      'Kubernetes is unavailable: the API server rejects our credentials (401): the token is wrong or has expired',
    );
  });

  it('a missing right is told, with the remedy', async () => {
    const detail = await trouble(`kubernetes:${CLOSED_NAMESPACE}/`, server!.options());
    expect(detail).toContain('the role needs get, create, update, watch on leases');
    expect(detail).toContain(
      `User "system:serviceaccount:${server!.namespace}:caucus" cannot get resource "leases"`,
    );
    expect(detail).not.toContain(TOKEN);
  });

  it('a namespace that does not exist is told', async () => {
    const detail = await trouble('kubernetes:nowhere/', server!.options(), true);
    expect(detail).toContain('namespaces "nowhere" not found');
  });

  it('whoever cannot vouch for the server is not believed', async () => {
    const { ca: _, ...options } = server!.options();
    expect(await trouble(url, options)).toMatch(/127\.0\.0\.1:\d+ failed: .*certificate/);
  });

  it('a server that is no API server is told', async () => {
    const options = { ...server!.options(), server: `${server!.server}/some/path` };
    expect(await trouble(url, options)).toContain('could not find the requested resource');
  });

  it('nobody at that port is told', async () => {
    const options = { ...server!.options(), server: 'https://127.0.0.1:1' };
    expect(await trouble(url, options)).toContain('127.0.0.1:1 refused the connection');
  });

  it('a token that is replaced is asked for each time', async () => {
    let token = 'over';
    const tried = election(url, { ...server!.options(), token: async () => token });
    await seen(tried, 'trouble', ({ cause }) => cause === 'store-unreachable');
    token = TOKEN;
    await won(tried);
  });

  it('in a pod, the service account, whose token is replaced', async () => {
    const account = path.join(folder, 'serviceaccount');
    mkdirSync(account);
    const write = (file: string, text: string): void => writeFileSync(path.join(account, file), text);
    write('token', 'over\n');
    write('ca.crt', server!.ca);
    write('namespace', server!.namespace);
    vi.stubEnv('KUBERNETES_SERVICE_HOST', '127.0.0.1');
    vi.stubEnv('KUBERNETES_SERVICE_PORT', String(server!.port));
    const tried = election('kubernetes:', { serviceAccount: account });
    await seen(tried, 'trouble', ({ detail }) => detail.includes('the token is wrong or has expired'));
    rmSync(path.join(account, 'token'));
    await seen(tried, 'no token', ({ detail }) => detail.includes('token cannot be read'));
    write('token', `${TOKEN}\n`);
    await won(tried);
    const { status } = await server!.request('GET', 'leases/caucus-test-access');
    expect(status).toBe(200);
  });

  it('as the kubeconfig says that is named, or that KUBECONFIG names, or that is in the home', async () => {
    const file = kubeconfig({ token: TOKEN });
    const ways: [KubernetesOptions, string | undefined, string][] = [
      [{ kubeconfig: file, context: 'test' }, undefined, 'nobody'],
      [{}, file, 'nobody'],
      [{}, undefined, 'home'],
    ];
    kubeconfig({ token: TOKEN }, 'home/.kube/config');
    for (const [options, variable, home] of ways) {
      vi.stubEnv('KUBECONFIG', variable);
      vi.stubEnv('HOME', path.join(folder, home));
      const tried = election('kubernetes:', { ...options, leaseMs: 15_000 });
      const leadership = await won(tried);
      const lease = await server!.request('GET', 'leases/caucus-test-access');
      expect(lease.body.spec.holderIdentity).toContain(tried.self);
      await leadership.resign();
      await tried.close();
    }
  });

  it('a program that the kubeconfig runs', async () => {
    const status = { token: TOKEN, expirationTimestamp: '2199-01-01T00:00:00Z' };
    const apiVersion = 'client.authentication.k8s.io/v1';
    const said = JSON.stringify({ apiVersion, kind: 'ExecCredential', status });
    const exec = { apiVersion, command: '/bin/echo', args: [said], interactiveMode: 'Never' };
    await won(election('kubernetes:', { kubeconfig: kubeconfig({ exec }, 'exec'), leaseMs: 15_000 }));
  });

  it('a kubeconfig that is no help is told, without what stands in it', async () => {
    const broken = path.join(folder, 'broken');
    writeFileSync(broken, 'users: [{ token: geheim }\n  : :');
    const options = { leaseMs: 15_000 };
    expect(await trouble('kubernetes:', { ...options, kubeconfig: broken })).toBe(
      `Kubernetes is unavailable: the kubeconfig ${broken} cannot be read`,
    );
    const error = await kubeconfigWay(broken, undefined, null)
      .find()
      .catch((reason: unknown) => reason);
    expect(inspect(error, { depth: 10 })).not.toContain('geheim');
    const file = kubeconfig({ token: TOKEN });
    expect(await trouble('kubernetes:', { ...options, kubeconfig: file, context: 'lost' })).toBe(
      `Kubernetes is unavailable: the kubeconfig ${file} has no cluster for lost; its contexts: test, lost`,
    );
  });
});
