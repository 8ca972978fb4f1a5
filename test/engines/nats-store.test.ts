/** Calls to the store that come late, or whose answer was lost, against a real NATS. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Clock, processClock } from '../../src/election/index.ts';
import type { LeaseStore } from '../../src/engines/lease/lease-store.ts';
import { parseAddress } from '../../src/engines/nats/address.ts';
import { ChoriaStore } from '../../src/engines/nats/choria.ts';
import type { NatsGrant } from '../../src/engines/nats/grant.ts';
import { Session } from '../../src/engines/nats/session.ts';
import { type NatsOptions, settingsOf } from '../../src/engines/nats/settings.ts';
import { type Around, NatsStore } from '../../src/engines/nats/store.ts';
import { Watches } from '../../src/engines/nats/watches.ts';
import { hasNats, NatsServer } from '../support/servers/nats.ts';

const LEASE_MS = 500;
const call = { signal: new AbortController().signal };

let server: NatsServer;
let sessions: Session[] = [];

function around(name: string, options: NatsOptions, clock: Clock = processClock): Around {
  const address = parseAddress(server.url);
  const settings = settingsOf(options, address);
  const session = new Session(address, settings, name);
  sessions.push(session);
  let attempts = 0;
  return {
    session,
    settings,
    watches: new Watches([], clock),
    clock,
    incarnation: randomUUID(),
    nextAttempt: () => ++attempts,
  };
}

function open(election: string, name: string, leaseMs = LEASE_MS): NatsStore {
  return new NatsStore(around(name, { leaseMs, bucket: `of-${leaseMs}` }), election, name);
}

const taken = async (store: LeaseStore<NatsGrant>): Promise<NatsGrant> => {
  const { grant } = await store.take(call);
  if (grant === null) throw new Error('it was not free');
  return grant;
};

describe.runIf(hasNats())('the store on NATS', () => {
  beforeAll(async () => {
    server = await NatsServer.start();
  });
  afterEach(async () => {
    for (const session of sessions) await session.close();
    sessions = [];
  });
  afterAll(async () => {
    await server?.close();
  });

  it('does nothing for a grant whose lease is over', async () => {
    const [a, b] = [open('over', 'a'), open('over', 'b')];
    const old = await taken(a);
    expect(await a.publish(old, 'early', call)).toBe(1);
    expect((await b.take(call)).grant).toBeNull();
    await expect.poll(async () => (await b.read(call)).leader, { timeout: 10_000 }).toBeNull();
    const grant = await taken(b);
    expect(grant.token).toBeGreaterThan(old.token);
    expect(await a.renew(old, call)).toBeNull();
    expect(await a.publish(old, 'late', call)).toBeNull();
    await a.release(old, call);
    expect(await b.read(call)).toMatchObject({ leader: 'b', token: grant.token, value: 'early', version: 1 });
    expect(await b.renew(grant, call)).toMatchObject({ token: grant.token });
  });

  it('does not renew what has run out, though nobody else has it', async () => {
    const a = open('run-out', 'a');
    const grant = await taken(a);
    await expect.poll(async () => (await a.read(call)).leader, { timeout: 10_000 }).toBeNull();
    expect(await a.renew(grant, call)).toBeNull();
    expect(await a.publish(grant, 'late', call)).toBeNull();
  });

  it('renews and releases although the answer to a renewal was lost', async () => {
    const a = open('lost', 'a', 10_000);
    const grant = await taken(a);
    const renewed = await a.renew(grant, call);
    expect(renewed!.revision).toBeGreaterThan(grant.revision);
    const again = await a.renew(grant, call);
    expect(again!.revision).toBeGreaterThan(renewed!.revision);
    await a.release(grant, call);
    expect((await a.read(call)).leader).toBeNull();
  });

  it('takes over what an attempt of its own got, with a new token, and the old grant is worth nothing', async () => {
    const a = open('own', 'a', 10_000);
    const lost = await taken(a);
    const grant = await taken(a);
    expect(grant.token).toBeGreaterThan(lost.token);
    expect(await a.renew(lost, call)).toBeNull();
    expect(await a.publish(lost, 1, call)).toBeNull();
    await a.release(lost, call);
    expect(await a.renew(grant, call)).not.toBeNull();
  });

  it('does not publish over a greater token, though the lease still looks like ours', async () => {
    const a = open('fenced', 'a', 10_000);
    const grant = await taken(a);
    await a.publish(grant, 'ours', call);
    const next = { token: String(grant.token + 1n), name: 'b', incarnation: randomUUID(), attempt: 1 };
    const text = JSON.stringify({ ...next, version: 2, value: 'theirs' });
    await server.inBucket('of-10000-values', (kv) => kv.put('fenced', text));
    expect(await a.publish(grant, 'late', call)).toBeNull();
    expect(await a.read(call)).toMatchObject({ value: 'theirs', version: 2 });
  });

  it('tells namesakes apart where only a name is written', async () => {
    let aheadMs = 0;
    const clock: Clock = { ...processClock, now: () => performance.now() + aheadMs };
    const options = { choria: true, leaseMs: 60_000, bucket: 'namesakes' };
    const [a, b] = [0, 0].map(() => new ChoriaStore(around('same', options, clock), 'x', 'same'));
    expect((await a!.take(call)).grant).toBeNull();
    aheadMs += 45_000;
    const old = await taken(a!);
    await server.deleteElection('x', 'namesakes');
    expect((await b!.take(call)).grant).toBeNull();
    expect(await a!.renew(old, call)).toBeNull();
    await a!.release(old, call);
    aheadMs += 45_000;
    expect((await taken(b!)).token).toBeGreaterThan(old.token);
  });

  it('shows nobody while the winner has not written its token yet', async () => {
    const a = open('half', 'a', 10_000);
    await a.release(await taken(a), call);
    const half = JSON.stringify({ name: 'b', incarnation: randomUUID(), attempt: 1 });
    await server.inBucket('of-10000', (kv) => kv.put('half', half));
    expect(await a.read(call)).toMatchObject({ leader: null, token: null });
    expect((await a.take(call)).grant).toBeNull();
  });

  it('gives up when nobody waits any more', async () => {
    const a = open('aborted', 'a', 10_000);
    await a.read(call);
    const given = new AbortController();
    server.pause();
    try {
      const reading = a.read({ signal: given.signal });
      given.abort(new Error('no answer within 1 ms'));
      await expect(reading).rejects.toThrow('no answer within 1 ms');
    } finally {
      server.resume();
    }
    expect(await a.read(call)).toMatchObject({ leader: null });
  });

  it('takes back, when it leaves, what an attempt without an answer got late', async () => {
    const [a, b] = [open('left', 'a', 10_000), open('left', 'b', 10_000)];
    await a.release(await taken(a), call);
    await lateAttempt(a, 'left');
    expect((await b.take(call)).grant).toBeNull();
    await a.leave(call);
    expect((await b.take(call)).grant).not.toBeNull();
  });

  it('wins with what an attempt without an answer got late', async () => {
    const a = open('late', 'a', 10_000);
    const first = await taken(a);
    await a.release(first, call);
    await lateAttempt(a, 'late');
    expect((await taken(a)).token).toBeGreaterThan(first.token);
  });
});

/** An attempt that is given up, and that the server gets to see only afterwards. */
async function lateAttempt(store: NatsStore, name: string): Promise<void> {
  const given = new AbortController();
  server.pause();
  try {
    const attempt = store.take({ signal: given.signal });
    await sleep(50); // It is on its way.
    given.abort(new Error('too late'));
    await expect(attempt).rejects.toThrow('too late');
  } finally {
    server.resume();
  }
  await server.inBucket('of-10000', async (kv) => {
    for (let tries = 0; (await kv.get(name))?.operation !== 'PUT'; tries++) {
      if (tries === 100) throw new Error('it never came');
      await sleep(20);
    }
  });
}
