/** What faults of etcd, of the network and of people do to those who stand. */
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Election } from '../../src/election/index.ts';
import { aborted, seen, won } from '../../src/engines/conformance/stage.ts';
import { etcd } from '../../src/engines/etcd/index.ts';
import { hasEtcd } from '../support/servers/etcd.ts';
import { EtcdBed, PATIENT, until } from '../support/servers/etcd-bed.ts';

let bed: EtcdBed;

/** A way to etcd on which the answer to one request can be held back, while the watches go on. */
async function holdAnswers(port: number) {
  let [heldPath, chunk] = ['', ''];
  const [held, release, told] = [gateway(), gateway(), gateway()];
  const server = createServer((near, answer) => {
    const { method, headers, url } = near;
    const far = request({ port, method, headers, path: url }, async (response) => {
      if (url === heldPath) {
        heldPath = '';
        const body = await response.toArray();
        held.open();
        await release.opened;
        answer.writeHead(response.statusCode!, response.headers).end(Buffer.concat(body));
        return;
      }
      answer.writeHead(response.statusCode!, response.headers).flushHeaders();
      response.on('data', (data: Buffer) => {
        answer.write(data);
        if (chunk !== '' && data.includes(chunk)) told.open();
      });
      response.on('end', () => answer.end());
      response.on('error', () => answer.destroy());
    });
    far.on('error', () => answer.destroy());
    answer.on('close', () => far.destroy());
    near.pipe(far);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `etcd://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hold(path: string): void {
      heldPath = path;
    },
    held: held.opened,
    release: release.open,
    /** Until this text has passed in an answer, and was read at the other end, which is in this process. */
    async told(text: string): Promise<void> {
      chunk = text;
      await told.opened;
      await bed.keysOf('nothing');
    },
    async close(): Promise<void> {
      server.close();
      server.closeAllConnections();
    },
  };
}

function gateway(): { readonly opened: Promise<void>; open(): void } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

describe.runIf(hasEtcd())('etcd, when things go wrong', () => {
  beforeAll(async () => {
    bed = await EtcdBed.start();
  });
  afterEach(() => bed.clear());
  afterAll(() => bed?.close());

  it('stopped and started again: the leader stops in time and says why, and somebody leads again', async () => {
    const name = bed.newName();
    const [a, b] = [bed.join(name), bed.join(name)];
    const leadership = await won(a);
    await seen(b, 'the leader', ({ leader }) => leader === a.self);
    const next = Promise.race([won(a), won(b)]);
    await bed.server.stop();
    await aborted(leadership.signal);
    expect(leadership.signal.reason).toMatchObject({ cause: 'store-unreachable' });
    await seen(
      b,
      'that etcd is gone',
      ({ cause, leader }) => cause === 'store-unreachable' && leader === null,
    );
    await leadership.resign();
    await bed.server.restart();
    expect((await next).token).toBeGreaterThan(leadership.token);
  });

  it('paused for longer than the lease: the leader stops in time, and nobody leads at the same time', async () => {
    const name = bed.newName();
    const [a, b] = [bed.join(name), bed.join(name)];
    const leadership = await won(a);
    await seen(b, 'the leader', ({ leader }) => leader === a.self);
    const next = won(b);
    bed.server.pause();
    await aborted(leadership.signal);
    expect(leadership.signal.reason).toMatchObject({ cause: 'store-unreachable' });
    await leadership.resign().catch(() => {});
    bed.server.resume();
    expect((await next).token).toBeGreaterThan(leadership.token);
  });

  it('observers tell a crash from a resignation, also where the next candidate leads at once', async () => {
    const name = bed.newName();
    const observer = bed.join(name);
    const changes: string[] = [];
    void (async () => {
      for await (const { cause, detail } of observer.observe()) changes.push(`${cause}: ${detail}`);
    })();
    const told = (change: string): Promise<void> => until(change, () => changes.includes(change));
    const resigning = async (): Promise<void> => {
      const election = bed.join(name, { name: 'r' });
      const first = await won(election);
      await told('won: r leads'); // An observer that starts later sees neither its beginning nor its end.
      await first.resign();
      await told('resigned: r resigned');
      const engine = bed.closing.pop()!;
      const waiting = bed.join(name, { name: 'w' });
      const again = await won(election);
      const next = waiting.campaign();
      await until('the queue', async () => (await bed.keysOf(`${name}/`)).length === 2);
      void again.resign();
      await engine.close(); // Its lease is gone with its key.
      await told('won: w leads: r resigned');
      await (await next).resign();
      await told('resigned: w resigned');
    };
    await resigning();
    const tunnel = await bed.proxy();
    await won(bed.join(name, { name: 'c' }, tunnel.etcdUrl));
    await told('won: c leads');
    tunnel.refuse();
    await told('lease-expired: the lease of c ran out');
    tunnel.restore();
  });

  it('a key that is deleted behind our back: we learn of it at once, and lead again with a greater token', async () => {
    const name = bed.newName();
    const a = bed.join(name, PATIENT);
    const leadership = await won(a);
    await bed.server.deleteElection(name);
    await aborted(leadership.signal);
    expect(leadership.signal.reason).toMatchObject({ cause: 'deposed' });
    await leadership.resign();
    expect((await won(a)).token).toBeGreaterThan(leadership.token);
  });

  it('a key that is deleted while the watch is cut: the next renewal finds out', async () => {
    const name = bed.newName();
    const tunnel = await bed.proxy();
    const a = bed.join(name, { leaseMs: 6000, renewMs: 300, callMs: 300 }, tunnel.etcdUrl);
    const leadership = await won(a);
    tunnel.refuse();
    await bed.server.deleteElection(name);
    tunnel.restore();
    await aborted(leadership.signal);
    expect(leadership.signal.reason).toMatchObject({ cause: 'deposed' });
    await leadership.resign();
  });

  it('a key that is deleted while the watch is open and silent: the next renewal finds out', async () => {
    const name = bed.newName();
    const tunnel = await bed.proxy();
    // Whoever waited for the lease to end would not hear of it in this test.
    const a = bed.join(name, { leaseMs: 600_000, renewMs: 300, callMs: 3000 }, tunnel.etcdUrl);
    const leadership = await won(a);
    tunnel.hold('/v3/watch');
    await bed.server.deleteElection(name);
    await aborted(leadership.signal, 20_000);
    expect(leadership.signal.reason).toMatchObject({ cause: 'deposed' });
    await leadership.resign();
  });

  it('a request to resign while the watch is open and silent: the next renewal finds out, and the watch is opened anew', async () => {
    const name = bed.newName();
    const tunnel = await bed.proxy();
    const a = bed.join(name, { leaseMs: 600_000, renewMs: 300, callMs: 3000 }, tunnel.etcdUrl);
    const leadership = await won(a);
    const b = bed.join(name);
    await seen(b, 'the leader', ({ token }) => token === leadership.token);
    tunnel.hold('/v3/watch');
    const opened = tunnel.asked;
    await b.askToResign({ reason: 'an upgrade' });
    await aborted(leadership.signal, 20_000);
    await until('another stream is asked for', () => tunnel.asked > opened);
    tunnel.restore();
    await leadership.resign();
  });

  it('a key that is deleted while etcd is late to confirm the lease: nobody leads with it', async () => {
    const name = bed.newName();
    const tunnel = await bed.proxy();
    const engine = etcd(tunnel.etcdUrl, { leaseMs: 12_000, renewMs: 4000, callMs: 5000 });
    bed.closing.push(engine);
    await won(new Election(bed.newName(), engine)); // There is a lease, which has to be confirmed for the next one.
    await sleep(1200); // A renewal of a quarter of `renewMs` ago would do.
    const election = new Election(name, engine);
    await seen(election, 'nobody', ({ cause, leader }) => cause === 'started' && leader === null);
    tunnel.hold('/v3/lease/keepalive', '/v3/watch');
    const winning = won(election);
    await until('it stands', async () => (await bed.keysOf(`${name}/`)).length === 1);
    await bed.server.deleteElection(name);
    await sleep(700); // Later than what counts as late.
    tunnel.hold('/v3/watch');
    const { token } = await winning;
    const { kvs } = JSON.parse(await bed.server.ctl(['get', '--prefix', `${name}/`, '-w', 'json']));
    expect(kvs?.map((each: { create_revision: number }) => BigInt(each.create_revision))).toEqual([token]);
  });

  it('a leader that leaves while an older answer is on its way to us: we lead', async () => {
    const name = bed.newName();
    const put = (value: string) => bed.server.ctl(['put', `${name}/1`, value]);
    await put('host-7');
    const gate = await holdAnswers(bed.server.port);
    bed.closing.push(gate);
    const ours = bed.join(name, PATIENT, gate.url);
    await seen(ours, 'the leader', ({ leader }) => leader === 'host-7');
    const next = won(ours);
    await until('2 stand', async () => (await bed.keysOf(`${name}/`)).length === 2);
    gate.hold('/v3/kv/txn');
    await put('host-8'); // So we look at the queue, and the renewal that goes with it tells the same revision.
    await gate.held;
    const told = gate.told('DELETE');
    await bed.server.ctl(['del', `${name}/1`]);
    await told;
    gate.release();
    await next;
  });

  it('a session that is lost while we wait: we wait again with a new one', async () => {
    const name = bed.newName();
    const [a, b] = [bed.join(name, PATIENT), bed.join(name, PATIENT)];
    const leadership = await won(a);
    const [first] = await bed.keysOf(`${name}/`);
    const next = won(b);
    let waiting = '';
    await until('b waits', async () => {
      [waiting = ''] = (await bed.keysOf(`${name}/`)).filter((key) => key !== first);
      return waiting !== '';
    });
    await bed.server.ctl(['lease', 'revoke', waiting.split('/')[1]!]);
    // It learns of it by the watch, long before its next renewal.
    await until('b waits again', async () => {
      const keys = await bed.keysOf(`${name}/`);
      return keys.length === 2 && !keys.includes(waiting);
    });
    await leadership.resign();
    expect((await next).token).toBeGreaterThan(leadership.token);
  });

  it('a session that is lost while we lead: we stop, and lead again with a greater token', async () => {
    const name = bed.newName();
    const a = bed.join(name, PATIENT);
    const leadership = await won(a);
    const [key] = await bed.keysOf(`${name}/`);
    await bed.server.ctl(['lease', 'revoke', key!.split('/')[1]!]);
    await aborted(leadership.signal);
    await leadership.resign();
    expect((await won(a)).token).toBeGreaterThan(leadership.token);
  });

  it('whoever no longer wants to lead is out of the queue, whether waiting or closed', async () => {
    const name = bed.newName();
    const [a, b, c, d] = [
      bed.join(name, PATIENT),
      bed.join(name, PATIENT),
      bed.join(name, PATIENT),
      bed.join(name, PATIENT),
    ];
    const leadership = await won(a);
    const calledOff = new AbortController();
    const second = b.campaign({ signal: calledOff.signal });
    await until('b waits', async () => (await bed.keysOf(`${name}/`)).length === 2);
    const third = c.campaign();
    await until('c waits', async () => (await bed.keysOf(`${name}/`)).length === 3);
    const fourth = won(d);
    await until('d waits', async () => (await bed.keysOf(`${name}/`)).length === 4);
    calledOff.abort();
    await expect(second).rejects.toThrow();
    await Promise.all([c.close(), expect(third).rejects.toThrow()]);
    await until('b and c are out', async () => (await bed.keysOf(`${name}/`)).length === 2);
    await leadership.resign();
    await fourth;
  });

  it('a candidacy that comes to etcd after it was called off: no key of it stays', async () => {
    const [held, wanted] = [bed.newName(), bed.newName()];
    const other = await won(bed.join(wanted));
    const tunnel = await bed.proxy();
    const engine = etcd(tunnel.etcdUrl, { leaseMs: 8000, renewMs: 700, callMs: 300 });
    bed.closing.push(engine);
    const leadership = await won(new Election(held, engine));
    const election = new Election(wanted, engine);
    await seen(election, 'the leader', ({ leader }) => leader !== null);
    tunnel.freeze();
    const calledOff = new AbortController();
    const campaign = election.campaign({ signal: calledOff.signal });
    await seen(election, 'that etcd is silent', ({ cause }) => cause === 'store-unreachable');
    calledOff.abort();
    await expect(campaign).rejects.toThrow();
    await sleep(800); // Until the attempt to leave has failed too.
    tunnel.restore();
    await until('it has left', async () => (await bed.keysOf(`${wanted}.left.`)).length === 1);
    expect(await bed.keysOf(`${wanted}/`)).toHaveLength(1);
    expect(leadership.isValid()).toBe(true);
    // The mark does not keep us from standing again.
    const next = won(election);
    await until('it waits', async () => (await bed.keysOf(`${wanted}/`)).length === 2);
    await other.resign();
    await next;
  });

  it('a candidacy that could not be taken back when it was called off: it is, as soon as etcd answers', async () => {
    const [held, wanted] = [bed.newName(), bed.newName()];
    await won(bed.join(wanted));
    const tunnel = await bed.proxy();
    const engine = etcd(tunnel.etcdUrl, { leaseMs: 8000, renewMs: 400, callMs: 300 });
    bed.closing.push(engine);
    const leadership = await won(new Election(held, engine));
    const election = new Election(wanted, engine);
    const calledOff = new AbortController();
    const campaign = election.campaign({ signal: calledOff.signal });
    await until('it waits', async () => (await bed.keysOf(`${wanted}/`)).length === 2);
    tunnel.refuse();
    calledOff.abort();
    await expect(campaign).rejects.toThrow();
    await seen(election, 'that etcd is gone', ({ cause }) => cause === 'store-unreachable');
    tunnel.restore();
    await until('it has left', async () => (await bed.keysOf(`${wanted}/`)).length === 1);
    expect(leadership.isValid()).toBe(true);
  });

  it('an election that is opened again after a release that failed: its key is given up first, and no token comes twice', async () => {
    const name = bed.newName();
    const tunnel = await bed.proxy();
    const engine = etcd(tunnel.etcdUrl, { leaseMs: 8000, renewMs: 700, callMs: 300 });
    bed.closing.push(engine);
    const other = await won(new Election(bed.newName(), engine)); // Keeps the session alive, and with it the key.
    const first = new Election(name, engine);
    const leadership = await won(first);
    const b = bed.join(name, PATIENT);
    const next = won(b);
    await until('b waits', async () => (await bed.keysOf(`${name}/`)).length === 2);
    tunnel.refuse();
    await leadership.resign();
    await first.close();
    tunnel.restore();
    const again = won(new Election(name, engine));
    const successor = await next;
    expect(successor.token).toBeGreaterThan(leadership.token);
    await successor.resign();
    const last = await again;
    expect(last.token).toBeGreaterThan(successor.token);
    // What is left of the first one must not take it away.
    await sleep(2 * 700);
    expect([last.isValid(), other.isValid()]).toEqual([true, true]);
  });

  it('nothing of a closed engine stays in etcd but what was published', async () => {
    const name = bed.newName();
    const election = bed.join(name, PATIENT);
    await (await won(election)).publish('kept');
    expect(await bed.server.ctl(['get', `${name}.value`, '--print-value-only'])).toBe('"kept"');
    const [key] = await bed.keysOf(`${name}/`);
    await bed.closing.pop()!.close();
    expect(await bed.keysOf(name)).toEqual([`${name}.value`]);
    expect(await bed.server.ctl(['lease', 'timetolive', key!.split('/')[1]!])).toMatch(/already expired/);
  });
});
