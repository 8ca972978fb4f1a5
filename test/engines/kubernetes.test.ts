import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { Election } from '../../src/election/index.ts';
import { conformance, type Participant } from '../../src/engines/conformance/index.ts';
import { aborted, seen, won } from '../../src/engines/conformance/stage.ts';
import { type KubernetesOptions, kubernetes } from '../../src/engines/kubernetes/index.ts';
import { BLIND_TOKEN, hasKubernetes, KubernetesServer } from '../support/servers/kubernetes.ts';
import type { Cluster } from '../support/servers/kubernetes-api/cluster.ts';
import { RealCluster, realKubeconfig } from '../support/servers/kubernetes-api/real-cluster.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';

const LEASE_MS = 2000;
const isReal = Boolean(realKubeconfig);
const can = isReal || hasKubernetes();
const ours = can && !isReal ? await KubernetesServer.start() : null;
const cluster: Cluster | null = isReal ? new RealCluster(realKubeconfig!) : ours;
const proxies = new Map<Participant, TcpProxy>();
const opened: Participant[] = [];

const named = (what: string): string => `caucus-test-${what}-${randomBytes(4).toString('hex')}`;

/** A participant with a tunnel of its own, so that it can be cut off. */
async function open(options: KubernetesOptions = {}): Promise<Participant> {
  const proxy = await startTcpProxy(cluster!.server);
  const port = Number(new URL(proxy.url).port);
  const engine = kubernetes(cluster!.url, { leaseMs: LEASE_MS, ...cluster!.options(port), ...options });
  proxies.set(engine, proxy);
  opened.push(engine);
  return engine;
}

afterEach(async () => {
  for (const proxy of proxies.values()) proxy.refuse(); // Nobody waits for a release that cannot come.
  await Promise.all(opened.splice(0).map((engine) => engine.close().catch(() => {})));
  await Promise.all([...proxies.values()].map((proxy) => proxy.close()));
  proxies.clear();
  await ours?.recover();
});
afterAll(() => cluster?.close());

describe.runIf(can)(`kubernetes, as an engine (${isReal ? 'a real cluster' : 'our API server'})`, () => {
  const cases = conformance({
    leaseMs: LEASE_MS,
    open,
    crash: (participant) => proxies.get(participant)!.freeze(),
  });
  for (const { name, skip, run } of cases) (skip === null ? it : it.skip)(name, run);
});

describe.runIf(can)('kubernetes, when something fails', () => {
  it('demotes the leader whose connections are cut, and it leads again with a greater token', async () => {
    const engine = await open();
    const election = new Election(named('cut'), engine);
    const leadership = await won(election);
    proxies.get(engine)!.refuse();
    await aborted(leadership.signal);
    expect(leadership.signal.reason).toMatchObject({ cause: 'store-unreachable' });
    proxies.get(engine)!.restore();
    await leadership.resign();
    expect((await won(election)).token).toBeGreaterThan(leadership.token);
  });

  it('gives it to somebody else when the Lease is deleted behind its back', async () => {
    const name = named('deleted');
    const [a, b] = [new Election(name, await open()), new Election(name, await open())];
    const leadership = await won(a);
    await seen(b, 'the leader', ({ leader }) => leader === a.self);
    await leadership.publish('kept for as long as the Lease');
    await cluster!.deleteElection(name);
    await aborted(leadership.signal);
    expect(leadership.signal.reason).toMatchObject({ cause: 'deposed' });
    await leadership.resign();
    const next = await won(b);
    expect(next.token).toBeGreaterThan(leadership.token);
    expect(b.value).toBe(null);
  });
});

describe.runIf(ours !== null)('kubernetes, when the API server fails', () => {
  const server = ours!;

  it('demotes the leader in time when the API server is stopped, and somebody leads when it is back', async () => {
    const name = named('stopped');
    const [a, b] = [new Election(name, await open()), new Election(name, await open())];
    const leadership = await won(a);
    await seen(b, 'the leader', ({ leader }) => leader === a.self);
    await server.stop();
    await aborted(leadership.signal);
    expect(leadership.signal.reason).toMatchObject({ cause: 'store-unreachable' });
    await seen(
      b,
      'that it cannot be reached',
      ({ cause, leader }) => cause === 'store-unreachable' && !leader,
    );
    await server.restart();
    await leadership.resign();
    expect((await won(b)).token).toBeGreaterThan(leadership.token);
  });

  it('demotes the leader in time when the API server is paused past the lease', async () => {
    const name = named('paused');
    const [a, b] = [new Election(name, await open()), new Election(name, await open())];
    const leadership = await won(a);
    const next = won(b);
    server.pause();
    try {
      await aborted(leadership.signal);
      expect(leadership.signal.reason).toMatchObject({ cause: 'store-unreachable' });
      expect(leadership.isValid()).toBe(false);
    } finally {
      server.resume();
    }
    await leadership.resign();
    expect((await next).token).toBeGreaterThan(leadership.token);
  });

  it('wakes those who wait after the API server has forgotten what they watched from', async () => {
    const name = named('forgotten');
    // Within a minute nothing but the watch makes them look.
    const patience = { leaseMs: 60_000, retryMs: 3_600_000 };
    const leading = new Election(name, await open(patience));
    const leadership = await won(leading);
    const engine = await open(patience);
    const waiting = new Election(name, engine);
    await seen(waiting, 'the leader', ({ leader }) => leader === leading.self);
    proxies.get(engine)!.refuse();
    await leadership.resign();
    await leading.close();
    await server.deleteElection(name);
    const busy = await won(new Election(named('busy'), await open()));
    for (let i = 0; i < 60; i++) await busy.publish(i);
    proxies.get(engine)!.restore();
    await seen(waiting, 'nobody', ({ leader }) => leader === null, 20_000);
  });

  it('notices a release at its next look where it may not watch', async () => {
    const name = named('blind');
    const [a, b] = [new Election(name, await open()), new Election(name, await open({ token: BLIND_TOKEN }))];
    const leadership = await won(a);
    await seen(b, 'the leader', ({ leader }) => leader === a.self);
    const next = won(b);
    await leadership.resign();
    expect((await next).token).toBeGreaterThan(leadership.token);
  });
});
