/** Together with electors of client-go on the same Lease, and what a Lease looks like. */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { Election, type LeadershipLost } from '../../src/election/index.ts';
import { aborted, seen, won } from '../../src/engines/conformance/stage.ts';
import { type KubernetesOptions, kubernetes } from '../../src/engines/kubernetes/index.ts';
import { microTime, timeAfter } from '../../src/engines/kubernetes/lease-object.ts';
import { hasKubernetes, KubernetesServer } from '../support/servers/kubernetes.ts';
import { ClientGoElector } from '../support/servers/kubernetes-api/client-go-elector.ts';
import type { Cluster } from '../support/servers/kubernetes-api/cluster.ts';
import { RealCluster, realKubeconfig } from '../support/servers/kubernetes-api/real-cluster.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';

const can = Boolean(realKubeconfig) || hasKubernetes();
const cluster: Cluster | null = realKubeconfig
  ? new RealCluster(realKubeconfig)
  : can
    ? await KubernetesServer.start()
    : null;
const named = (what: string): string => `caucus-test-${what}-${randomBytes(4).toString('hex')}`;
const cleanUp: (() => unknown)[] = [];

afterEach(async () => {
  for (const each of cleanUp.splice(0)) await each();
  vi.restoreAllMocks();
});
afterAll(() => cluster?.close());

function caucus(election: string, options: KubernetesOptions = {}): Election {
  const engine = kubernetes(cluster!.url, { ...cluster!.options(), leaseMs: 3000, ...options });
  cleanUp.push(() => engine.close());
  return new Election(election, engine);
}

function clientGo(election: string, identity = 'go_4d1f3a'): ClientGoElector {
  const times = { leaseDurationSeconds: 3, renewDeadlineMs: 2000, retryPeriodMs: 200 };
  const elector = new ClientGoElector(cluster!, election, { identity, ...times });
  const running = elector.run();
  cleanUp.push(() => {
    elector.cancel();
    return running;
  });
  return elector;
}

const leaseOf = async (election: string) => (await cluster!.request('GET', `leases/${election}`)).body;

describe.runIf(can)('a Lease beside electors of client-go', () => {
  it('has the fields that client-go writes, in its form', async () => {
    const name = named('fields');
    const election = caucus(name, { name: 'worker-7' });
    const first = await won(election);
    const micro = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;
    const held = await leaseOf(name);
    expect(held.spec).toEqual({
      holderIdentity: expect.stringMatching(/^worker-7_[0-9a-f-]{36}$/),
      leaseDurationSeconds: 3,
      acquireTime: expect.stringMatching(micro),
      renewTime: expect.stringMatching(micro),
      leaseTransitions: 0,
    });
    expect(held.metadata.annotations).toEqual({
      'caucus/token': String(first.token),
      'caucus/holder': held.spec.holderIdentity,
    });
    await expect
      .poll(async () => (await leaseOf(name)).spec.renewTime, { timeout: 5000 })
      .not.toBe(held.spec.renewTime);
    const renewed = await leaseOf(name);
    expect(renewed.spec).toEqual({ ...held.spec, renewTime: renewed.spec.renewTime });
    await first.resign();
    const released = await leaseOf(name);
    const { renewTime } = released.spec;
    expect(released.spec).toEqual({
      holderIdentity: '',
      leaseDurationSeconds: 1,
      acquireTime: renewTime,
      renewTime,
      leaseTransitions: 0,
    });
    const second = await won(election);
    expect((await leaseOf(name)).spec).toMatchObject({ leaseDurationSeconds: 3, leaseTransitions: 1 });
    await second.resign();
  });

  it('waits for one that leads, and takes over when it releases', async () => {
    const name = named('go-releases');
    const go = clientGo(name);
    await go.started();
    const election = caucus(name);
    await seen(election, 'the elector', ({ leader, token }) => leader === go.identity && token === null);
    const winning = won(election);
    await sleep(3500);
    expect([go.isLeading, election.leadership]).toEqual([true, null]);
    go.cancel();
    const leadership = await winning;
    expect(go.isLeading).toBe(false);
    expect(leadership.token).toBeGreaterThan(0n);
    expect((await leaseOf(name)).spec.leaseTransitions).toBe(1);
    await leadership.resign();
  });

  it('is taken over by one when it releases, not before', async () => {
    const name = named('we-release');
    const election = caucus(name);
    const leadership = await won(election);
    const go = clientGo(name);
    await sleep(3500);
    expect([go.isLeading, leadership.isValid()]).toEqual([false, true]);
    await leadership.resign();
    await election.close();
    await go.started();
    expect(leadership.isValid()).toBe(false);
    expect((await leaseOf(name)).spec.leaseTransitions).toBe(1);
  });

  it('is taken over by one when it vanishes, after it has stopped', async () => {
    const name = named('we-vanish');
    const proxy = await startTcpProxy(cluster!.server);
    cleanUp.push(() => proxy.close());
    const election = caucus(name, cluster!.options(Number(new URL(proxy.url).port)));
    const leadership = await won(election);
    const go = clientGo(name);
    let wasValid: boolean | null = null;
    go.once('started', () => {
      wasValid = leadership.isValid();
    });
    await sleep(500);
    proxy.freeze();
    await go.started();
    expect(wasValid).toBe(false);
    // On a busy machine this process itself may be late: then it says that.
    const { cause } = leadership.signal.reason as LeadershipLost;
    expect(['store-unreachable', 'event-loop-blocked']).toContain(cause);
    await leadership.resign().catch(() => {});
    proxy.refuse();
  });

  it('takes over from one that vanished, not before its lease is over, and gets a greater token each time', async () => {
    const name = named('in-turn');
    const tokens: bigint[] = [];
    const lead = async (election: Election): Promise<void> => {
      const leadership = await won(election);
      tokens.push(leadership.token);
      await leadership.resign();
      await election.close();
    };
    await lead(caucus(name));
    const go = clientGo(name);
    await go.started();
    const b = caucus(name);
    await seen(b, 'the elector', ({ leader }) => leader === go.identity);
    go.kill();
    const sinceMs = performance.now();
    const winning = lead(b).then(() => performance.now() - sinceMs);
    // Its last renewal was a retry period ago at most.
    expect(await winning).toBeGreaterThan(2700);
    expect((await leaseOf(name)).spec.leaseTransitions).toBe(2);
    await cluster!.deleteElection(name);
    await lead(caucus(name));
    expect((await leaseOf(name)).spec.leaseTransitions).toBe(0);
    expect(tokens).toEqual(tokens.toSorted((x, y) => Number(x - y)));
    expect(new Set(tokens).size).toBe(3);
  });

  it('never leads together with any of them', async () => {
    const name = named('mixed');
    const election = caucus(name, { retryMs: 300 });
    const done = new AbortController();
    const faults: string[] = [];
    const turns = { ours: 0, theirs: 0 };
    let electors: ClientGoElector[] = [];
    const look = (): void => {
      const theirs = electors.filter((each) => each.isLeading).length;
      if (theirs + (election.leadership === null ? 0 : 1) > 1) faults.push('two lead');
      if (turns.ours >= 3 && turns.theirs >= 3) done.abort();
    };
    const watch = setInterval(look, 1);
    cleanUp.push(() => clearInterval(watch));
    const join = (identity: string): void => {
      if (done.signal.aborted) return;
      const elector = clientGo(name, identity);
      electors = [...electors.filter((each) => each.identity !== identity), elector];
      elector.on('started', () => {
        turns.theirs += 1;
        look();
        setTimeout(() => elector.cancel(), 50);
      });
      elector.on('stopped', () => setTimeout(() => join(identity), 300));
    };
    join('go-1_x');
    join('go-2_y');
    let last = 0n;
    const working = election.lead(
      async ({ token, signal }) => {
        if (token <= last) faults.push('a token that does not grow');
        last = token;
        turns.ours += 1;
        look();
        setTimeout(() => void election.resign().catch(() => {}), 50);
        await aborted(signal);
      },
      { signal: done.signal },
    );
    await working;
    expect(faults).toEqual([]);
  });

  it('does not mind what time it is', async () => {
    const name = named('clock');
    const { now } = Date;
    vi.spyOn(Date, 'now').mockImplementation(() => now() + 3_600_000);
    const leadership = await won(caucus(name));
    // The others' clocks are an hour behind now, and then its own is set back by two.
    vi.spyOn(Date, 'now').mockImplementation(() => now());
    const other = caucus(name);
    const go = clientGo(name);
    const calledOff = new AbortController();
    const campaign = other.campaign({ signal: calledOff.signal }).then(
      () => 'won',
      () => 'did not win',
    );
    await sleep(1500);
    vi.spyOn(Date, 'now').mockImplementation(() => now() - 3_600_000);
    await sleep(3500);
    expect([leadership.isValid(), go.isLeading]).toEqual([true, false]);
    calledOff.abort();
    expect(await campaign).toBe('did not win');
    await leadership.resign();
  });
});

describe('the time of a renewal', () => {
  it('has six digits after the second', () => {
    expect(microTime(Date.UTC(2026, 0, 2, 3, 4, 5, 6))).toBe('2026-01-02T03:04:05.006000Z');
  });

  it('differs from the one before, in the second too where others look at nothing else', () => {
    vi.spyOn(Date, 'now').mockReturnValue(Date.UTC(2026, 0, 2, 3, 4, 5, 6));
    expect(timeAfter(null, true)).toBe('2026-01-02T03:04:05.006000Z');
    expect(timeAfter('2026-01-02T03:04:05.006000Z', false)).toBe('2026-01-02T03:04:05.007000Z');
    expect(timeAfter('2026-01-02T03:04:05.001000Z', true)).toBe('2026-01-02T03:04:06.000000Z');
    expect(timeAfter('2026-01-02T03:04:04.999999Z', true)).toBe('2026-01-02T03:04:05.006000Z');
    expect(timeAfter('2026-01-02T05:04:05.000000Z', true)).toBe('2026-01-02T03:04:05.006000Z');
    expect(timeAfter('nonsense', true)).toBe('2026-01-02T03:04:05.006000Z');
  });
});
