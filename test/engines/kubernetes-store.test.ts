/** Single acts on a Lease whose answers are lost or late, against a real API server process. */
import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import { processClock } from '../../src/election/index.ts';
import { Api } from '../../src/engines/kubernetes/api.ts';
import { Connection } from '../../src/engines/kubernetes/connection.ts';
import type { Lease } from '../../src/engines/kubernetes/lease-object.ts';
import { KubernetesStore } from '../../src/engines/kubernetes/store.ts';
import { findWay } from '../../src/engines/kubernetes/ways.ts';
import { leaseTimes } from '../../src/engines/lease/settings.ts';
import { hasKubernetes, KubernetesServer } from '../support/servers/kubernetes.ts';

const can = hasKubernetes();
const server = can ? await KubernetesServer.start() : null;
const apis: Api[] = [];
afterAll(async () => {
  for (const api of apis) api.close();
  await server?.close();
});

const call = { signal: new AbortController().signal };
const named = (): string => `caucus-test-${randomBytes(4).toString('hex')}`;

/** The network between us and the API server: the next update is lost, or its answer, or it comes late. */
class BadApi extends Api {
  next: 'fine' | 'answer lost' | 'late' = 'fine';
  /** Lets what is late arrive. */
  arrive: () => Promise<Lease | null> = async () => null;

  /** How many streams were asked for; the first ones say nothing, and do not end. */
  streams = 0;
  deadStreams = 0;

  override async watch(...args: Parameters<Api['watch']>): Promise<void> {
    this.streams += 1;
    if (this.streams > this.deadStreams) return super.watch(...args);
    const signal = args[2];
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  }

  override async update(lease: Lease, signal: AbortSignal): Promise<Lease | null> {
    const how = this.next;
    this.next = 'fine';
    if (how === 'late') {
      this.arrive = () => super.update(lease, signal);
      throw new Error('no answer');
    }
    const answer = await super.update(lease, signal);
    if (how === 'answer lost') throw new Error('no answer');
    return answer;
  }
}

function participant(election: string, leaseMs = 1000): { api: BadApi; store: KubernetesStore } {
  const api = new BadApi(new Connection(findWay(server!.options(), server!.namespace)));
  apis.push(api);
  const around = { api, clock: processClock, times: leaseTimes({ leaseMs }) };
  return { api, store: new KubernetesStore(around, election, `p_${randomUUID()}`) };
}

/** As a client of another kind does it. */
async function write(election: string, holderIdentity: string): Promise<void> {
  const lease = await leaseOf(election);
  const fresh = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: election } };
  const spec = { holderIdentity, leaseDurationSeconds: 60 };
  if (lease.kind === 'Lease') await server!.request('PUT', `leases/${election}`, { ...lease, spec });
  else await server!.request('POST', 'leases', { ...fresh, spec });
}

const leaseOf = async (election: string) => (await server!.request('GET', `leases/${election}`)).body;

describe.runIf(can)('a Lease as a store', () => {
  it('takes over what an attempt has got that was never answered, with a new token', async () => {
    const election = named();
    const { api, store } = participant(election);
    api.next = 'answer lost';
    await expect(store.take(call)).rejects.toThrow('no answer');
    const { annotations } = (await leaseOf(election)).metadata;
    expect((await store.read(call)).leader).toBe(null);
    const { grant } = await store.take(call);
    expect(grant!.token).toBeGreaterThan(BigInt(annotations['caucus/token']));
    expect((await leaseOf(election)).spec.leaseTransitions).toBe(0);
  });

  it('gives that back when it is no longer wanted', async () => {
    const election = named();
    const { api, store } = participant(election);
    api.next = 'answer lost';
    await expect(store.take(call)).rejects.toThrow('no answer');
    expect((await leaseOf(election)).spec.holderIdentity).not.toBe('');
    await store.leave(call);
    expect((await leaseOf(election)).spec.holderIdentity).toBe('');
  });

  it('does nothing with a take, a renewal, a release or a value that comes after somebody else has it', async () => {
    const election = named();
    const [late, other] = [participant(election), participant(election)];
    const attempts = [
      () => late.store.take(call),
      (grant: { token: bigint }) => late.store.renew(grant, call),
      (grant: { token: bigint }) => late.store.release(grant, call),
      (grant: { token: bigint }) => late.store.publish(grant, 'late', call),
    ];
    for (const [index, attempt] of attempts.entries()) {
      const grant = index === 0 ? { token: 0n } : (await late.store.take(call)).grant!;
      late.api.next = 'late';
      await expect(attempt(grant)).rejects.toThrow('no answer');
      await server!.deleteElection(election);
      const { grant: newer } = await other.store.take(call);
      expect(newer).not.toBe(null);
      const before = await leaseOf(election);
      expect(await late.api.arrive()).toBe(null);
      expect(await leaseOf(election)).toEqual(before);
      if (index > 0) expect(await late.store.renew(grant, call)).toBe(null);
      await late.store.release(grant, call);
      expect(await late.store.publish(grant, 'late', call)).toBe(null);
      expect(await leaseOf(election)).toEqual(before);
      await other.store.release(newer!, call);
      expect((await leaseOf(election)).spec).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1 });
    }
  });

  it('does not make a Lease again by renewing it', async () => {
    const election = named();
    const { store } = participant(election);
    const { grant } = await store.take(call);
    await server!.deleteElection(election);
    expect(await store.renew(grant!, call)).toBe(null);
    await store.release(grant!, call);
    expect((await leaseOf(election)).code).toBe(404);
  });

  it('knows one grant of its own from another', async () => {
    const election = named();
    const { store } = participant(election);
    const { grant: older } = await store.take(call);
    const { grant: newer } = await store.take(call);
    expect(newer!.token).toBeGreaterThan(older!.token);
    expect(await store.renew(older!, call)).toBe(null);
    expect(await store.publish(older!, 'late', call)).toBe(null);
    await store.release(older!, call);
    expect(await store.renew(newer!, call)).toEqual(newer);
  });

  it('does not take what it saw renewed in the meantime, however old the times in it are', async () => {
    const election = named();
    const [a, b] = [participant(election), participant(election)];
    const { grant } = await a.store.take(call);
    expect((await b.store.take(call)).grant).toBe(null);
    for (let i = 0; i < 6; i++) {
      await new Promise((resolve) => setTimeout(resolve, 250));
      expect(await a.store.renew(grant!, call)).toEqual(grant);
      const lease = await leaseOf(election);
      // Whatever the wall clock of the holder says is irrelevant.
      const spec = { ...lease.spec, renewTime: `1999-12-31T23:59:0${i}.000000Z`, acquireTime: null };
      expect((await server!.request('PUT', `leases/${election}`, { ...lease, spec })).status).toBe(200);
      expect((await b.store.take(call)).grant).toBe(null);
    }
    await new Promise((resolve) => setTimeout(resolve, 1010));
    expect((await b.store.take(call)).grant!.token).toBeGreaterThan(grant!.token);
  });

  it('goes on from the last token where the Lease was carried to a cluster with lower versions', async () => {
    const election = named();
    const last = 10n ** 18n;
    const annotations = { 'caucus/token': String(last), 'caucus/holder': 'old_1' };
    const metadata = { name: election, annotations };
    const spec = { holderIdentity: '' };
    await server!.request('POST', 'leases', {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata,
      spec,
    });
    const { store } = participant(election);
    const { grant } = await store.take(call);
    expect(grant!.token).toBe(last + 1n);
    expect(await store.renew(grant!, call)).toEqual(grant);
  });

  it('goes on renewing when somebody else only put a label on it', async () => {
    const election = named();
    const { store } = participant(election);
    const { grant } = await store.take(call);
    const lease = await leaseOf(election);
    const metadata = { ...lease.metadata, labels: { app: 'x' } };
    await server!.request('PUT', `leases/${election}`, { ...lease, metadata });
    expect(await store.renew(grant!, call)).toEqual(grant);
    expect((await leaseOf(election)).metadata.labels).toEqual({ app: 'x' });
  });

  it('counts its own lease where another client has left the fields out', async () => {
    const election = named();
    const metadata = { name: election };
    const body = {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata,
      spec: { holderIdentity: 'someone' },
    };
    await server!.request('POST', 'leases', body);
    const { store } = participant(election);
    const reading = await store.read(call);
    expect(reading).toMatchObject({ leader: 'someone', token: null, value: null, version: 0 });
    expect(reading.freeInMs).toBeGreaterThan(900);
    await new Promise((resolve) => setTimeout(resolve, 1010));
    expect((await store.take(call)).grant).not.toBe(null);
    expect((await leaseOf(election)).spec.leaseTransitions).toBe(1);
  });

  it('takes a Lease that has no spec at all', async () => {
    const election = named();
    const body = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: election } };
    await server!.request('POST', 'leases', body);
    const { store } = participant(election);
    expect((await store.take(call)).grant).not.toBe(null);
    expect((await leaseOf(election)).spec.leaseTransitions).toBe(0);
  });

  it('refuses what is too long to be published, and keeps what was', async () => {
    const election = named();
    const { store } = participant(election);
    const { grant } = await store.take(call);
    expect(await store.publish(grant!, 'x'.repeat(64 * 1024 - 2), call)).toBe(1);
    await expect(store.publish(grant!, 'x'.repeat(64 * 1024), call)).rejects.toThrow('at most 65536');
    expect(await store.publish(grant!, null, call)).toBe(2);
  });

  it('replaces a stream that has died without a word', async () => {
    const election = named();
    const [a, b] = [participant(election, 60_000), participant(election)];
    const { grant } = await a.store.take(call);
    b.api.deadStreams = 1;
    let hints = 0;
    const stop = b.store.watch(() => {
      hints += 1;
    });
    await b.store.read(call);
    await expect.poll(() => b.store.read(call).then(() => b.api.streams), { interval: 20 }).toBe(2);
    await expect.poll(() => hints, { interval: 10 }).toBe(1);
    hints = 0;
    await a.store.release(grant!, call);
    await expect.poll(() => hints, { interval: 10 }).toBe(1);
    stop();
  });

  it('says nothing of renewals to those who watch, and all the rest at once', async () => {
    const election = named();
    const [a, b] = [participant(election, 60_000), participant(election)];
    const hints: string[] = [];
    const stop = [
      a.store.watch((news) => hints.push(`a ${news}`)),
      b.store.watch((news) => hints.push(`b ${news}`)),
    ];
    await expect.poll(() => hints.toSorted()).toEqual(['a changed', 'b changed']); // Both watch now.
    await b.store.read(call);
    hints.length = 0;
    const { grant } = await a.store.take(call);
    // It was made, and then taken.
    await expect.poll(() => hints.filter((hint) => hint === 'b changed').length).toBe(2);
    hints.length = 0;
    for (let i = 0; i < 5; i++) await a.store.renew(grant!, call);
    await a.store.publish(grant!, 'news', call);
    await expect.poll(() => hints).toEqual(['b changed']);
    await server!.deleteElection(election);
    await expect.poll(() => hints.toSorted()).toEqual(['a ours', 'b changed', 'b changed']);
    await write(election, 'someone-else');
    await write(election, 'a-third');
    await expect.poll(() => hints.filter((hint) => hint === 'b changed').length).toBe(4);
    for (const each of stop) each();
  });

  it('refuses to go on from a token that is none, or the last that there is', async () => {
    const election = named();
    const { store } = participant(election);
    const { grant } = await store.take(call);
    await store.release(grant!, call);
    for (const text of ['9'.repeat(40), '9223372036854775808', '9223372036854775807', '-1', 'seven']) {
      const lease = await leaseOf(election);
      const annotations = { ...lease.metadata.annotations, 'caucus/token': text };
      const metadata = { ...lease.metadata, annotations };
      expect((await server!.request('PUT', `leases/${election}`, { ...lease, metadata })).status).toBe(200);
      const message = `the annotation caucus/token of the Lease ${election} holds no token that could be followed`;
      await expect(store.take(call), text).rejects.toThrow(message);
    }
  });

  it('takes a Lease whose transitions cannot be counted any further', async () => {
    const election = named();
    const { store } = participant(election);
    const { grant } = await store.take(call);
    await store.release(grant!, call);
    const lease = await leaseOf(election);
    const spec = { ...lease.spec, leaseTransitions: 2 ** 31 - 1 };
    expect((await server!.request('PUT', `leases/${election}`, { ...lease, spec })).status).toBe(200);
    expect((await store.take(call)).grant!.token).toBeGreaterThan(grant!.token);
    expect((await leaseOf(election)).spec!.leaseTransitions).toBe(2 ** 31 - 1);
  });

  it('leaves a Lease to the control plane that manages it', async () => {
    const election = named();
    const { store } = participant(election);
    const { grant } = await store.take(call);
    const lease = await leaseOf(election);
    const spec = { ...lease.spec, strategy: 'OldestEmulationVersion', preferredHolder: 'another' };
    expect((await server!.request('PUT', `leases/${election}`, { ...lease, spec })).status).toBe(200);
    expect(await store.renew(grant!, call)).toBe(null);
    await expect(store.take(call)).rejects.toThrow(
      `the Lease ${election} is managed by the control plane (strategy OldestEmulationVersion): use another name`,
    );
    expect((await leaseOf(election)).spec).toEqual(spec);
  });
});
