/** LeaderElector beside an elector of client-go on one Lease, and the keeper of an EndpointSlice with the official client. */
import { writeFileSync } from 'node:fs';
import { DiscoveryV1Api, KubeConfig } from '@kubernetes/client-node';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import {
  EndpointSliceKeeper,
  type LeaderElectionConfig,
  LeaderElector,
} from '../../src/adapters/kubernetes/index.ts';
import type { Leadership } from '../../src/election/index.ts';
import { hasKubernetes, KubernetesServer } from '../support/servers/kubernetes.ts';
import { ClientGoElector } from '../support/servers/kubernetes-api/client-go-elector.ts';
import { startEndpointSlices } from './support/endpoint-slices.ts';
import { Replicas } from './support/replicas.ts';

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of cleanUp.splice(0).reverse()) await each();
});
const LONG = { timeout: 30_000 };

describe.runIf(hasKubernetes())('a LeaderElector', () => {
  let server: KubernetesServer | null = null;
  afterAll(() => server?.close());

  /** As an operator has it: of the official library. */
  async function kubeConfig(): Promise<KubeConfig> {
    server ??= await KubernetesServer.start();
    const { token, ca } = server.options();
    const config = new KubeConfig();
    config.loadFromOptions({
      clusters: [{ name: 'c', server: server.server, caData: Buffer.from(`${ca}`).toString('base64') }],
      users: [{ name: 'u', token: token as string }],
      contexts: [{ name: 'x', cluster: 'c', user: 'u', namespace: server.namespace }],
      currentContext: 'x',
    });
    return config;
  }

  async function elector(
    name: string,
    identity: string,
    told: string[],
    work?: (leadership: Leadership) => unknown,
  ) {
    const config: LeaderElectionConfig = {
      lock: { name, identity },
      kubeConfig: await kubeConfig(),
      ...{ leaseDurationMs: 3000, renewDeadlineMs: 2000, retryPeriodMs: 200 },
      callbacks: {
        async onStartedLeading(signal, leadership) {
          told.push(`${identity} started`);
          signal.addEventListener('abort', () => told.push(`${identity} is told to stop`));
          await work?.(leadership);
        },
        onStoppedLeading: () => told.push(`${identity} stopped`),
        onNewLeader: (leader) => told.push(`${identity} sees ${leader}`),
      },
    };
    return new LeaderElector(config);
  }

  function clientGo(name: string): ClientGoElector {
    const times = { leaseDurationSeconds: 3, renewDeadlineMs: 2000, retryPeriodMs: 200 };
    const go = new ClientGoElector(server!, name, { identity: 'go', ...times });
    const running = go.run();
    cleanUp.push(() => {
      go.cancel();
      return running;
    });
    return go;
  }

  it('shares a Lease with an elector of client-go: one leads at a time, and each takes over from the other', async () => {
    const told: string[] = [];
    const ours = await elector('operator', 'ts', told);
    const stop = new AbortController();
    const running = ours.run({ signal: stop.signal });
    await expect.poll(() => ours.isLeader(), LONG).toBe(true);
    expect(ours.getLeader()).toBe('ts');
    const go = clientGo('operator');
    await expect.poll(() => told, LONG).toContain('ts sees ts');
    expect(go.isLeading).toBe(false);
    stop.abort();
    await running;
    expect(told.filter((line) => line !== 'ts sees ts')).toEqual([
      'ts started',
      'ts is told to stop',
      'ts stopped',
    ]);
    expect(ours.isLeader()).toBe(false);
    await go.started();

    const again = new AbortController();
    const second = ours.run({ signal: again.signal });
    await expect.poll(() => told, LONG).toContain('ts sees go');
    expect([go.isLeading, ours.isLeader()]).toEqual([true, false]);
    go.cancel();
    await expect.poll(() => ours.isLeader(), LONG).toBe(true);
    expect(go.isLeading).toBe(false);
    again.abort();
    await second;
  });

  it('ends at once when it is cancelled while it waits, and rejects with what its work throws', async () => {
    const told: string[] = [];
    const failing = await elector('failing', 'a', told, () => Promise.reject(new Error('no manifest')));
    await expect(failing.run()).rejects.toThrow('no manifest');
    expect(told.filter((line) => line !== 'a sees a')).toEqual([
      'a started',
      'a is told to stop',
      'a stopped',
    ]);
    const holder = await elector('failing', 'b', told);
    const stop = new AbortController();
    const holding = holder.run({ signal: stop.signal });
    await expect.poll(() => holder.isLeader(), LONG).toBe(true);
    const waiting = new AbortController();
    const waiter = await elector('failing', 'c', told);
    const wait = waiter.run({ signal: waiting.signal });
    await expect(waiter.run()).rejects.toThrow('run: expected one call at a time');
    await expect.poll(() => told, LONG).toContain('c sees b');
    waiting.abort();
    await wait;
    expect(told).not.toContain('c stopped');
    stop.abort();
    await holding;
  });

  it('stops before another may act when it is deposed', async () => {
    const told: string[] = [];
    const ours = await elector('deposed', 'ts', told);
    const running = ours.run();
    await expect.poll(() => ours.isLeader(), LONG).toBe(true);
    const { body } = await server!.request('GET', 'leases/deposed');
    body.spec.holderIdentity = 'intruder';
    await server!.request('PUT', 'leases/deposed', body);
    await running;
    expect(told.slice(-2)).toEqual(expect.arrayContaining(['ts stopped']));
    expect(told).toContain('ts is told to stop');
  });

  it('is what the example shows, with a kubeconfig', async () => {
    const config = await kubeConfig();
    const file = server!.file('kubeconfig');
    writeFileSync(file, config.exportConfig());
    const replicas = new Replicas('kubernetes.ts', { KUBECONFIG: file });
    cleanUp.push(() => replicas.close());
    replicas.start(2);
    const started = () => replicas.said.filter(({ line }) => line.startsWith('started'));
    await expect.poll(() => started().length, LONG).toBe(1);
    await replicas.end(started()[0]!.replica, 'SIGTERM');
    await expect.poll(() => started().length, LONG).toBe(2);
    expect(replicas.said.some(({ line }) => line === 'stopped')).toBe(true);
  });

  it('refuses what it cannot use', async () => {
    const callbacks = { onStartedLeading: () => {} };
    const access = { server: 'https://127.0.0.1:1', token: 'x' };
    const make = (config: object) => () => new LeaderElector({ callbacks, ...access, ...config } as never);
    expect(make({})).toThrow('lock.name: expected the name of a Lease, found nothing');
    const lock = { name: 'x' };
    expect(make({ lock, releaseOnCancel: false })).toThrow('releaseOnCancel: expected true');
    expect(make({ lock, renewDeadlineMs: 15_000 })).toThrow(
      'renewDeadlineMs: expected less than leaseDurationMs',
    );
    expect(make({ lock, retryPeriodMs: 9000 })).toThrow('retryPeriodMs: expected less than renewDeadlineMs');
    expect(make({ lock, callbacks: {} })).toThrow('callbacks.onStartedLeading: expected a function');
  });
});

describe('the keeper of an EndpointSlice', () => {
  async function prepared() {
    const slices = await startEndpointSlices();
    cleanUp.push(() => slices.close());
    const config = new KubeConfig();
    config.loadFromClusterAndUser({ name: 'c', server: slices.url, skipTLSVerify: true }, { name: 'u' });
    const api = config.makeApiClient(DiscoveryV1Api);
    const keeper = (address: string): EndpointSliceKeeper =>
      new EndpointSliceKeeper(api, {
        namespace: 'n',
        service: 'web',
        address,
        ports: [{ name: 'http', port: 80 }],
      });
    const at = (): unknown => slices.stored?.endpoints.flatMap(({ addresses }) => addresses);
    return { slices, keeper, at };
  }

  it('lets the Service follow the leader, and a stale one change nothing', async () => {
    const { slices, keeper, at } = await prepared();
    const [first, second] = [keeper('10.0.0.1'), keeper('10.0.0.2')];
    await first.take({ token: 4n });
    expect(at()).toEqual(['10.0.0.1']);
    expect(slices.stored).toMatchObject({
      addressType: 'IPv4',
      metadata: { name: 'web-leader', labels: { 'kubernetes.io/service-name': 'web' } },
      ports: [{ name: 'http', port: 80, protocol: 'TCP' }],
    });
    await second.take({ token: 5n });
    await expect(first.take({ token: 4n })).rejects.toMatchObject({ code: 'E_STALE_TOKEN' });
    await first.release({ token: 4n });
    expect(at()).toEqual(['10.0.0.2']);
    await second.release({ token: 5n });
    expect(at()).toEqual([]);
  });

  it('refuses a stale write that was compared before the newer one', async () => {
    const { slices, keeper, at } = await prepared();
    await keeper('10.0.0.1').take({ token: 4n });
    let isFirst = true;
    slices.beforeWrite = async () => {
      if (!isFirst) return;
      isFirst = false;
      await keeper('10.0.0.2').take({ token: 5n });
    };
    const late = keeper('10.0.0.1').take({ token: 4n });
    await expect(late).rejects.toThrow('token 4 is stale: 5 was seen');
    expect(at()).toEqual(['10.0.0.2']);
  });
});
