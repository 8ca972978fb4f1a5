/** Elections that are shared with the electors of Choria: a plain client of NATS that follows their convention is one of them. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type KV, Kvm } from '@nats-io/kv';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Election } from '../../src/election/index.ts';
import { aborted, seen, won } from '../../src/engines/conformance/stage.ts';
import { type NatsOptions, nats } from '../../src/engines/nats/index.ts';
import { hasNats, NatsServer } from '../support/servers/nats.ts';

/** The shortest that those electors take, and what part of it passes between their campaigns. */
const LEASE_MS = 5000;
const INTERVAL_MS = LEASE_MS * 0.75;
const BUCKET = 'CHORIA_LEADER_ELECTION';

let server: NatsServer;
let connection: NatsConnection;
let kv: KV;
const closing: { close(): Promise<void> }[] = [];

function join(name: string, options: NatsOptions = {}): Election {
  const engine = nats(server.url, { choria: true, leaseMs: LEASE_MS, ...options });
  closing.push(engine);
  return new Election(name, engine);
}

describe.runIf(hasNats())('electors of Choria', () => {
  beforeAll(async () => {
    server = await NatsServer.start();
    connection = await connect({ servers: `127.0.0.1:${server.port}` });
    kv = await new Kvm(connection).create(BUCKET, { ttl: LEASE_MS, history: 1 });
  });
  afterAll(async () => {
    await Promise.all(closing.map((each) => each.close()));
    await connection?.close();
    await server?.close();
  });

  it.concurrent('we wait for one that leads, and take over when it has gone', async () => {
    const name = 'theirs-first';
    const created = await kv.create(name, 'plain');
    const a = join(name);
    await seen(a, 'the other', ({ leader, token }) => leader === 'plain' && token === null);
    const next = won(a);
    await sleep(INTERVAL_MS);
    const updated = await kv.update(name, 'plain', created);
    const renewedMs = performance.now();
    const held = await next;
    const afterMs = performance.now() - renewedMs;
    expect(afterMs).toBeGreaterThan(LEASE_MS + INTERVAL_MS - 50);
    expect(afterMs).toBeLessThan((LEASE_MS + INTERVAL_MS) * 1.05);
    expect(held.token).toBeGreaterThan(BigInt(updated));
    expect((await kv.get(name))!.string()).toBe(a.self);
    await expect(kv.update(name, 'plain', updated)).rejects.toThrow(/wrong last sequence/);
    await expect(kv.create(name, 'plain')).rejects.toThrow(/wrong last sequence/);
  });

  it.concurrent('one waits for us, and takes over when we have gone', async () => {
    const name = 'ours-first';
    const a = join(name);
    const watcher = join(name);
    const askedMs = performance.now();
    const held = await won(a);
    expect(performance.now() - askedMs).toBeGreaterThan(INTERVAL_MS - 50);
    await seen(watcher, 'the leader', ({ leader }) => leader === a.self);
    await expect(kv.create(name, 'plain')).rejects.toThrow(/wrong last sequence/);
    await sleep(LEASE_MS); // It was renewed meanwhile.
    expect(held.isValid()).toBe(true);
    await expect(kv.create(name, 'plain')).rejects.toThrow(/wrong last sequence/);
    await expect(held.publish('value')).rejects.toMatchObject({ code: 'E_UNSUPPORTED' });
    await held.resign();
    expect(await kv.create(name, 'plain')).toBeGreaterThan(Number(held.token));
    await seen(a, 'the other', ({ leader }) => leader === 'plain');
  });

  it.concurrent('nothing is announced before it was confirmed, and what was not is given back', async () => {
    const name = 'called-off';
    const a = join(name);
    const calledOff = new AbortController();
    const campaign = a.campaign({ signal: calledOff.signal });
    for (let tries = 0; (await kv.get(name)) === null; tries++) {
      if (tries === 100) throw new Error('it never came');
      await sleep(20);
    }
    expect(a.leader()).toBeNull();
    calledOff.abort();
    await expect(campaign).rejects.toThrow();
    for (let tries = 0; (await kv.get(name))!.operation !== 'DEL'; tries++) {
      if (tries === 50) throw new Error('it was not given back');
      await sleep(20);
    }
    await kv.create(name, 'plain');
  });

  it.concurrent('an operator can evict us', async () => {
    const name = 'evicted';
    const held = await won(join(name));
    await server.deleteElection(name, BUCKET);
    await aborted(held.signal);
    expect(held.signal.reason).toMatchObject({ cause: 'deposed' });
  });

  it.concurrent('two of us under one name are still two', async () => {
    const name = 'namesakes';
    const [a, b] = [join(name, { name: 'same' }), join(name, { name: 'same' })];
    const first = await Promise.race([won(a), won(b)]);
    expect([a, b].filter((each) => each.leadership !== null)).toHaveLength(1);
    await sleep(LEASE_MS);
    expect([a, b].filter((each) => each.leadership !== null)).toHaveLength(1);
    expect(first.isValid()).toBe(true);
  });

  it.concurrent('a bucket with another TTL is refused, with the remedy', async () => {
    const a = join('other-ttl', { leaseMs: 6000 });
    a.campaign().catch(() => {});
    const { detail } = await seen(a, 'a reason', ({ cause }) => cause === 'store-unreachable');
    expect(detail).toContain('set leaseMs to 5000');
  });
});
