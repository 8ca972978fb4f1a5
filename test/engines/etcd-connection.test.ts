/** What carries the elections of an engine: endpoints, one lease and its renewals, one stream that watches. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Election, processClock } from '../../src/election/index.ts';
import { seen, won } from '../../src/engines/conformance/stage.ts';
import { parseAddress } from '../../src/engines/etcd/address.ts';
import { Client } from '../../src/engines/etcd/client.ts';
import { etcd } from '../../src/engines/etcd/index.ts';
import { type KeyToRenew, renewKeys } from '../../src/engines/etcd/renewals.ts';
import { Sessions } from '../../src/engines/etcd/sessions.ts';
import { type EtcdGrant, EtcdStore } from '../../src/engines/etcd/store.ts';
import { Watches } from '../../src/engines/etcd/watches.ts';
import { leaseTimes } from '../../src/engines/lease/settings.ts';
import { renewalsOf } from '../../src/engines/lease/shared-renewal.ts';
import { hasEtcd } from '../support/servers/etcd.ts';
import { EtcdBed, LEASE_MS, PATIENT, until } from '../support/servers/etcd-bed.ts';

/** How often etcd was asked, by method, since it was started. */
async function asked(): Promise<{ keepAlives: number; others: number }> {
  const text = await (await fetch(`http://127.0.0.1:${bed.server.port}/metrics`)).text();
  const count = (method: string): number =>
    Number(
      new RegExp(`^grpc_server_msg_received_total{grpc_method="${method}".*} (\\d+)`, 'm').exec(text)?.[1] ??
        0,
    );
  return { keepAlives: count('LeaseKeepAlive'), others: count('Txn') + count('Range') + count('LeaseGrant') };
}

let bed: EtcdBed;

describe.runIf(hasEtcd())('etcd, as it is connected to', () => {
  beforeAll(async () => {
    bed = await EtcdBed.start();
  });
  afterEach(() => bed.clear());
  afterAll(() => bed?.close());

  it('a watch that breaks goes on where it ended, and from now where that was compacted away', async () => {
    const name = bed.newName();
    const tunnel = await bed.proxy();
    const client = new Client(parseAddress(tunnel.etcdUrl), {});
    const watches = new Watches(client, processClock, 1000);
    const told: string[] = [];
    const hears = (what: string): Promise<void> => until(`told of ${what}`, async () => told.includes(what));
    watches.add(`${name}/`, `${name}0`, {
      onEvent: ({ key, isDelete }) => told.push(`${isDelete ? 'del' : 'put'} ${key.slice(name.length)}`),
      onLive: () => told.push('live'),
    });
    try {
      await hears('live');
      await bed.server.ctl(['put', `${name}/1`, 'x']);
      await hears('put /1');
      told.length = 0;
      tunnel.refuse();
      await bed.server.ctl(['put', `${name}/2`, 'x']);
      tunnel.restore();
      await hears('put /2');
      expect(told).toEqual(['put /2']);
      tunnel.refuse();
      await bed.server.ctl(['put', `${name}/3`, 'x']);
      const status = JSON.parse(await bed.server.ctl(['endpoint', 'status', '-w', 'json']));
      await bed.server.ctl(['put', `${name}/4`, 'x']);
      await bed.server.ctl(['compact', `${status[0].Status.header.revision + 1}`]);
      tunnel.restore();
      await hears('live');
      await bed.server.ctl(['del', `${name}/1`]);
      await hears('del /1');
      expect(told).toEqual(['put /2', 'live', 'del /1']);
    } finally {
      watches.close();
      client.transport.close();
    }
  });

  it('what happened while our watch was cut and is compacted away: we see it all the same', async () => {
    const name = bed.newName();
    const tunnel = await bed.proxy();
    const [a, b, watcher] = [
      bed.join(name, PATIENT),
      bed.join(name, PATIENT),
      bed.join(name, PATIENT, tunnel.etcdUrl),
    ];
    const leadership = await won(a);
    await seen(watcher, 'the leader', ({ leader }) => leader === a.self);
    const next = won(b);
    await until('b waits', async () => (await bed.keysOf(`${name}/`)).length === 2);
    tunnel.refuse();
    await leadership.resign();
    const { token } = await next;
    await bed.server.ctl(['put', 'something', 'else']);
    await bed.server.ctl(['compact', `${token + 2n}`]);
    tunnel.restore();
    await seen(watcher, 'the next leader', ({ leader }) => leader === b.self);
  });

  it('one of two endpoints falls silent: the leadership goes on over the other', async () => {
    const name = bed.newName();
    const [one, two] = [await bed.proxy(), await bed.proxy()];
    const url = `${one.etcdUrl},${two.etcdUrl.replace('etcd://', '')}`;
    const [a, watcher] = [bed.join(name, {}, url), bed.join(name)];
    const leadership = await won(a);
    await seen(watcher, 'the leader', ({ leader }) => leader === a.self);
    one.freeze();
    await sleep(2 * LEASE_MS);
    expect(leadership.isValid()).toBe(true);
    expect(two.asked).toBeGreaterThan(0);
    const next = won(watcher);
    await leadership.resign();
    await next;
  });

  it('one that refuses is passed over at once', async () => {
    const dead = await bed.proxy();
    dead.refuse();
    await won(bed.join(bed.newName(), {}, `${dead.etcdUrl},127.0.0.1:${bed.server.port}`));
    expect(dead.asked).toBeGreaterThan(0);
  });

  it('the renewals of all elections are one, and those who wait need none of their own', async () => {
    const names = Array.from({ length: 5 }, () => bed.newName());
    const times = { leaseMs: 6000, renewMs: 500, retryMs: 500 };
    const [leader, other] = [etcd(bed.server.url, times), etcd(bed.server.url, times)];
    bed.closing.push(leader, other);
    const held = [];
    for (const name of names) {
      held.push(await won(new Election(name, leader)));
      await sleep(60); // So that each would have its own rhythm.
    }
    const waiting = names.map((name) => new Election(name, other));
    for (const election of waiting) void election.campaign().catch(() => {});
    for (const election of waiting) await seen(election, 'the leader', ({ token }) => token !== null);
    await sleep(700);
    const before = await asked();
    await sleep(2500);
    const after = await asked();
    // Five renewals of each engine, and one that is under way.
    expect(after.keepAlives - before.keepAlives).toBeLessThanOrEqual(12);
    expect(after.keepAlives - before.keepAlives).toBeGreaterThanOrEqual(6);
    expect(after.others - before.others).toBe(0);
    for (const each of held) expect(each.isValid()).toBe(true);
  });

  it('a renewal that is shared counts from when it was sent, and one that is too old is not shared', async () => {
    const times = leaseTimes({ leaseMs: 6000, renewMs: 400 });
    const client = new Client(parseAddress(bed.server.url), {});
    const around = {
      client,
      clock: processClock,
      times,
      sessions: new Sessions(client, processClock, times),
      watches: new Watches(client, processClock, 1000),
      places: new Map(),
      renewals: renewalsOf<KeyToRenew, EtcdGrant>(processClock, times, (keys, signal) => {
        return renewKeys({ client, clock: processClock, times }, keys, signal);
      }),
    };
    const [one, two] = [
      new EtcdStore(around, bed.newName(), 'me'),
      new EtcdStore(around, bed.newName(), 'me'),
    ];
    const call = { signal: AbortSignal.timeout(10_000) };
    try {
      const first = (await one.take(call)).grant!;
      await sleep(times.renewMs / 4 + 20); // A renewal of less ago would do for the second.
      const beforeMs = performance.now();
      const second = (await two.take(call)).grant!;
      expect(second.place.session).toBe(first.place.session);
      const afterMs = performance.now();
      expect((await one.renew(first, call))!.askedMs).toBeGreaterThanOrEqual(beforeMs);
      expect((await one.renew(first, call))!.askedMs).toBeLessThanOrEqual(afterMs);
      await sleep(times.renewMs / 2 + 10);
      const nowMs = performance.now();
      const renewed = (await one.renew(first, call))!;
      expect(renewed.askedMs).toBeGreaterThan(afterMs);
      expect(renewed.askedMs).toBeLessThan(performance.now());
      expect((await two.renew(second, call))!.askedMs).toBe(renewed.askedMs);
      expect(nowMs).toBeLessThan(renewed.askedMs! + times.renewMs);
    } finally {
      around.watches.close();
      await around.sessions.close();
      client.transport.close();
    }
  });
});
