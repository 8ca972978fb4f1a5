/** What faults of NATS, of the network and of people do to those who stand. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Election } from '../../src/election/index.ts';
import { seen, won } from '../../src/engines/conformance/stage.ts';
import { type NatsOptions, nats } from '../../src/engines/nats/index.ts';
import { lossOf } from '../support/loss.ts';
import { hasNats, NatsServer, natsVersion } from '../support/servers/nats.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';

const LEASE_MS = 1000;
/** Nothing but what is told, and the time that a lease has left, wakes whoever has this. */
const PATIENT = { retryMs: 3_600_000 };

let server: NatsServer;
let closing: { close(): Promise<void> }[] = [];
let elections = 0;

function join(name: string, options: NatsOptions = {}, url = server.url): Election {
  const engine = nats(url, { leaseMs: LEASE_MS, ...options });
  closing.push(engine);
  return new Election(name, engine);
}

async function proxy(): Promise<TcpProxy & { readonly natsUrl: string }> {
  const made = await startTcpProxy(`http://127.0.0.1:${server.port}`);
  closing.push(made);
  return Object.assign(made, { natsUrl: made.url.replace('http', 'nats') });
}

function newName(): string {
  elections += 1;
  return `fault-${elections}`;
}

describe.runIf(hasNats())('faults of NATS', () => {
  beforeAll(async () => {
    server = await NatsServer.start();
  });
  afterEach(async () => {
    await server.recover();
    for (const each of closing.reverse()) await each.close();
    closing = [];
  });
  afterAll(async () => {
    await server?.close();
  });

  it('a server that is stopped costs the leadership in time; when it is back somebody leads, with a greater token', async () => {
    const [a, b] = [join(newName()), join(`fault-${elections}`)];
    const first = await won(a);
    const next = won(b);
    await server.stop();
    const loss = await lossOf(first);
    expect(loss.cause).toBe('store-unreachable');
    expect(loss.detail).toMatch(/no server answers at 127\.0\.0\.1:\d+/);
    await first.resign();
    await server.restart();
    expect((await next).token).toBeGreaterThan(first.token);
  });

  it('a server that is restarted within the lease costs nothing', async () => {
    const [a, b] = [
      join(newName(), { leaseMs: 4000, bucket: 'slow' }),
      join(`fault-${elections}`, { leaseMs: 4000, bucket: 'slow' }),
    ];
    const held = await won(a);
    await held.publish('kept');
    await server.stop();
    await server.restart();
    await seen(b, 'the value', ({ value, leader }) => value === 'kept' && leader === a.self);
    const calledOff = AbortSignal.timeout(4500);
    await expect(b.campaign({ signal: calledOff })).rejects.toThrow();
    expect(held.isValid()).toBe(true);
  });

  it('a server that is paused past the lease costs the leadership in time, and nobody leads beside it', async () => {
    const [a, b] = [join(newName()), join(`fault-${elections}`)];
    const first = await won(a);
    await seen(b, 'the leader', ({ leader }) => leader === a.self);
    const next = won(b);
    server.pause();
    const loss = await lossOf(first);
    expect(loss.cause).toBe('store-unreachable');
    expect(b.leadership).toBeNull();
    await first.resign();
    server.resume();
    expect((await next).token).toBeGreaterThan(first.token);
  });

  it('a connection that is cut costs nothing', async () => {
    const tunnel = await proxy();
    const a = join(newName(), {}, tunnel.natsUrl);
    const held = await won(a);
    tunnel.refuse();
    await sleep(LEASE_MS / 2);
    tunnel.restore();
    await sleep(LEASE_MS);
    expect(held.isValid()).toBe(true);
  });

  it('a key that runs out makes no event, and is taken over on time all the same', async () => {
    const tunnel = await proxy();
    const a = join(newName(), {}, tunnel.natsUrl);
    const b = join(`fault-${elections}`, PATIENT);
    const first = await won(a);
    await seen(b, 'the leader', ({ leader }) => leader === a.self);
    const next = won(b);
    await sleep(LEASE_MS); // Some renewals are seen.
    tunnel.freeze();
    const frozenMs = performance.now();
    const second = await next;
    // Newer servers take their time to remove what has run out, and we look ever less often.
    const lateMs = natsVersion().startsWith('2.9.') ? 100 : 700;
    expect(performance.now() - frozenMs).toBeLessThan(LEASE_MS * 1.05 + lateMs);
    expect(first.isValid()).toBe(false);
    expect(second.token).toBeGreaterThan(first.token);
  });

  it('a lease that is deleted behind our back is taken by the next at once, and its holder is told', async () => {
    const a = join(newName(), { leaseMs: 30_000, bucket: 'long' });
    const other = join(a.name, { leaseMs: 30_000, bucket: 'long', ...PATIENT });
    const first = await won(a);
    await seen(other, 'the leader', ({ leader }) => leader === a.self);
    const next = won(other);
    await server.deleteElection(a.name, 'long');
    expect((await next).token).toBeGreaterThan(first.token);
    expect((await lossOf(first)).cause).toBe('deposed');
  });

  it('a bucket that is deleted is made anew; who has seen the leader waits for its lease, and tokens go on', async () => {
    const tunnel = await proxy();
    const bucket = 'short-lived';
    const a = join(newName(), { bucket }, tunnel.natsUrl);
    const b = join(a.name, { bucket });
    const c = join(`${a.name}-before`, { bucket });
    for (let turn = 0; turn < 3; turn++) await (await won(c)).resign(); // Revisions that the new bucket has not.
    const first = await won(a);
    await seen(b, 'the leader', ({ token }) => token === first.token);
    const next = won(b);
    let wasAlone = true;
    const watching = next.then(() => {
      wasAlone = !first.isValid();
    });
    await sleep(LEASE_MS / 2); // A renewal is seen.
    tunnel.freeze();
    await server.deleteBucket(bucket);
    expect((await next).token).toBeGreaterThan(first.token);
    await watching;
    expect(wasAlone).toBe(true);
    expect((await lossOf(first)).cause).toBe('store-unreachable');
  });

  it('a leader whose bucket is deleted is told, and can win again with a greater token', async () => {
    const bucket = 'deleted';
    const a = join(newName(), { bucket });
    const first = await won(a);
    await server.deleteBucket(bucket);
    expect((await lossOf(first)).cause).toBe('deposed');
    await first.resign();
    expect((await won(a)).token).toBeGreaterThan(first.token);
  });

  it('tokens grow even if the bucket with the values is deleted', async () => {
    const bucket = 'valueless';
    const a = join(newName(), { bucket });
    const first = await won(a);
    await first.publish(1);
    await first.resign();
    await server.deleteBucket(`${bucket}-values`);
    expect((await won(a)).token).toBeGreaterThan(first.token);
    expect(a.value).toBeNull();
  });

  it('what somebody else wrote there is not taken for a lease', async () => {
    const bucket = 'foreign';
    await won(join(newName(), { bucket }));
    const name = newName();
    await server.inBucket(bucket, (kv) => kv.put(name, 'something else'));
    const a = join(name, { bucket });
    const { detail } = await seen(a, 'a reason', ({ cause }) => cause === 'store-unreachable');
    expect(detail).toMatch(/what is there is not ours.*option bucket/);
    await won(a); // It has run out.
  });

  it('a bucket with another TTL is refused, with the remedy', async () => {
    await won(join(newName(), { bucket: 'of-1000' }));
    const a = join(newName(), { bucket: 'of-1000', leaseMs: 2000 });
    const winning = won(a);
    const { detail } = await seen(a, 'a reason', ({ cause }) => cause === 'store-unreachable');
    expect(detail).toContain(
      'the bucket of-1000 has a TTL of 1000 ms, not leaseMs 2000: set leaseMs to 1000, or',
    );
    await server.deleteBucket('of-1000');
    await winning;
  });

  it('a bucket with other replicas is refused, with the remedy', async () => {
    await won(join(newName(), { bucket: 'one' }));
    const b = join(newName(), { bucket: 'one', replicas: 3 });
    b.campaign().catch(() => {});
    const other = await seen(b, 'a reason', ({ cause }) => cause === 'store-unreachable');
    expect(other.detail).toContain('the bucket one is kept 1 times, not 3: leave the option replicas out');
  });

  it('those who only look make no bucket, take it as it is, and can ask its leader to resign', async () => {
    const bucket = 'looked-at';
    const name = newName();
    const observer = join(name, { bucket, ...PATIENT, leaseMs: 15_000 });
    await seen(observer, 'nobody', ({ leader, cause }) => leader === null && cause === 'started');
    await expect(server.inBucket(bucket, (kv) => kv.status())).rejects.toThrow(/not found/);
    const held = await won(join(name, { bucket, leaseMs: 60_000 }));
    await seen(observer, 'the leader', ({ token }) => token === held.token);
    await observer.askToResign({ reason: 'it was seen' });
    expect((await lossOf(held)).detail).toBe('its resignation was requested: it was seen');
    await held.resign();
    await seen(observer, 'nobody', ({ leader }) => leader === null);
  });

  it('a leader that makes the bucket is told at once of what happens in it', async () => {
    const bucket = 'made-late';
    const [a, b] = [join(newName(), { bucket }), join(`fault-${elections}`, { bucket, ...PATIENT })];
    for (const each of [a, b]) await seen(each, 'nobody', ({ detail }) => detail === 'there is no leader');
    const first = await won(a);
    const next = won(b, 5000);
    await seen(b, 'the leader', ({ token }) => token === first.token);
    await first.resign();
    expect((await next).token).toBeGreaterThan(first.token);
  });

  it('a token after which there is none is refused, and stays as it is', async () => {
    const [a, name] = [join(newName()), newName()];
    await won(a); // The buckets are there.
    const kept = {
      token: '9999999999999999999',
      name: 'n',
      incarnation: 'i',
      attempt: 1,
      version: 1,
      value: 7,
    };
    await server.inBucket('caucus-values', (kv) => kv.put(name, JSON.stringify(kept)));
    const b = join(name);
    b.campaign().catch(() => {});
    await seen(b, 'a reason', ({ detail }) => detail.includes('no token comes after 9999999999999999999'));
    expect(
      await server.inBucket('caucus-values', (kv) => kv.get(name).then((entry) => entry?.json())),
    ).toEqual(kept);
  });

  it('a server that accepts connections and says nothing is left with none', async () => {
    const open = new Set<Socket>();
    let asked = 0;
    const silent = createServer((socket) => {
      asked += 1;
      open.add(socket);
      socket.on('error', () => {}).on('close', () => open.delete(socket));
      if (asked === 3) silent.emit('third');
    });
    await once(silent.listen(0, '127.0.0.1'), 'listening');
    const third = once(silent, 'third');
    const engine = nats(`nats://127.0.0.1:${(silent.address() as AddressInfo).port}`, { leaseMs: LEASE_MS });
    try {
      const election = new Election(newName(), engine);
      election.campaign().catch(() => {});
      await third;
      expect(open.size).toBeLessThanOrEqual(2); // One of them may not have heard of its end yet.
      await engine.close();
      await expect.poll(() => open.size).toBe(0);
    } finally {
      await engine.close();
      for (const socket of open) socket.destroy();
      silent.close();
    }
  });

  it('a process that has closed its engine ends by itself', async () => {
    const source = `
      import { Election } from './dist/election/index.js';
      import { nats } from './dist/engines/nats/index.js';
      const engine = nats('${server.url}', { leaseMs: ${LEASE_MS} });
      const held = await new Election('${newName()}', engine).campaign();
      console.log(typeof held.token);
      await held.resign();
      await engine.close();`;
    const args = ['--input-type=module', '-e', source];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'], timeout: 20_000 });
    let said = '';
    child.stdout.on('data', (data) => {
      said += data;
    });
    const [code] = await once(child, 'exit');
    expect({ code, said }).toEqual({ code: 0, said: 'bigint\n' });
  });
});
