/** `once` beside a bare write of the same store, in the same run; and a thousand schedules at rest. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Etcd3 } from 'etcd3';
import { Redis } from 'ioredis';
import pg from 'pg';
import { Election, type Engine } from '../src/election/index.ts';
import { openEngine } from '../src/engines/open.ts';
import { join } from '../src/member/index.ts';
import { freePorts } from '../test/support/free-ports.ts';
import { Members } from '../test/support/servers/members.ts';
import { type Bed, etcdBed, medianOf, postgresBed, redisBed } from './engines.ts';
import { printTable } from './table.ts';

const OCCASIONS = 40;
/** Renewals are not what is measured. */
const QUIET = { leaseMs: 60_000, retryMs: 10_000 };
/** A participant that wants to lead again before its release is over lets the others go first, for a poll's interval. */
const RELEASE_MS = 50;
const SCHEDULES = 1000;
const REST_MS = 10_000;

/** A store, and what a program without Caucus does to claim a key there. */
interface Store {
  readonly name: string;
  /** A participant of its own. */
  engine(): Promise<Engine & { close(): Promise<void> }>;
  /** How many requests the server has had; null if it does not count. */
  readonly requests: (() => Promise<number>) | null;
  readonly claimed: string;
  claim(key: string): Promise<unknown>;
  close(): Promise<void>;
}

type CountedBed = Omit<Bed, 'requests'> & Pick<Store, 'requests'>;

export async function benchOnce(): Promise<void> {
  for (const open of [postgresStore, redisStore, etcdStore, memberStore, joinedStore]) {
    const store = await open();
    try {
      const title = `once on ${store.name}, ${OCCASIONS} occasions, medians; a claim is ${store.claimed}`;
      printTable(title, [await benchStore(store)]);
    } finally {
      await store.close();
    }
  }
  printTable('schedules at rest, in one process', [await atRest()]);
}

async function benchStore(store: Store): Promise<Record<string, string | number>> {
  let keys = 0;
  const engine = await store.engine();
  const election = new Election(`bench-once-${process.pid}`, engine);
  await election.once(0, () => {});
  await released(election);
  const before = (await store.requests?.()) ?? 0;
  let occasion = 0;
  const claims: number[] = [];
  const onceMs = await medianOf(OCCASIONS, async () => {
    // In turns, since the machine may be busier at one time than at another.
    claims.push(await took(() => store.claim(`key-${++keys}`)));
    const ms = await took(() => election.once(++occasion, () => {}));
    await released(election);
    return ms;
  });
  const claimMs = await medianOf(OCCASIONS, async () => claims.pop()!);
  const made = store.requests === null ? null : (await store.requests()) - before;
  const rowMs = await medianOf(OCCASIONS, () => took(() => election.once(++occasion, () => {})));
  await engine.close();
  return {
    'claim ms': claimMs,
    'once ms': onceMs,
    'in claims': onceMs / claimMs,
    'one after the other ms': rowMs,
    'of these in claims': rowMs / claimMs,
    'requests, with the release': made === null ? '-' : made / OCCASIONS,
  };
}

async function released(election: Election): Promise<void> {
  for await (const { leader } of election.observe()) if (leader === null) break;
  await sleep(RELEASE_MS);
}

async function took(act: () => Promise<unknown>): Promise<number> {
  const fromMs = performance.now();
  await act();
  return performance.now() - fromMs;
}

async function atRest(): Promise<Record<string, string | number>> {
  const engine = await openEngine('local:');
  const election = new Election(`bench-schedules-${process.pid}`, engine);
  const stop = new AbortController();
  const all = Array.from({ length: SCHEDULES }, (_, i) =>
    election.schedule('0 3 1 1 *', () => {}, { series: `job-${i}`, signal: stop.signal }),
  );
  await sleep(3000);
  const cpu = process.cpuUsage();
  await sleep(REST_MS);
  const { user, system } = process.cpuUsage(cpu);
  stop.abort();
  await Promise.all(all);
  await engine.close();
  return { schedules: SCHEDULES, 'CPU %': (user + system) / 10 / REST_MS };
}

async function postgresStore(): Promise<Store> {
  const bed = await postgresBed();
  const client = new pg.Client({ connectionString: bed.url });
  await client.connect();
  await client.query('CREATE TABLE claims (key text PRIMARY KEY)');
  return store(bed, 'INSERT … ON CONFLICT DO NOTHING', {
    claim: (key) => client.query('INSERT INTO claims VALUES ($1) ON CONFLICT DO NOTHING', [key]),
    close: () => client.end(),
  });
}

async function redisStore(): Promise<Store> {
  const bed = await redisBed();
  const client = new Redis(bed.port);
  // Redis counts the commands within scripts, not requests.
  return store({ ...bed, requests: null }, 'SET … NX PX', {
    claim: (key) => client.set(key, '1', 'PX', 60_000, 'NX'),
    close: async () => client.disconnect(),
  });
}

async function etcdStore(): Promise<Store> {
  const bed = await etcdBed();
  const client = new Etcd3({ hosts: `http://127.0.0.1:${bed.port}` });
  return store(bed, 'a transaction with one put', {
    claim: (key) => client.if(key, 'Create', '==', 0).then(client.put(key).value('1')).commit(),
    close: async () => client.close(),
  });
}

/** No other client writes there, so a published value stands for a claim. */
async function memberStore(): Promise<Store> {
  const members = await Members.start();
  const engine = await openEngine(members.url, QUIET);
  const election = new Election('claims', engine);
  const leadership = await election.campaign();
  return {
    name: 'caucus://, three members',
    engine: () => openEngine(members.url, QUIET),
    requests: null,
    claimed: 'a published value',
    // On a busy machine the members may have to elect another manager in between: medians do not notice.
    claim: (key) => leadership.publish(key).catch(() => {}),
    async close() {
      await leadership.resign();
      await engine.close();
      await members.close();
    },
  };
}

/** Three members with data folders, one of which does the work; a leader's publication stands for a claim. */
async function joinedStore(): Promise<Store> {
  const folder = mkdtempSync(path.join(tmpdir(), 'caucus-bench-once-'));
  const ids = ['a', 'b', 'c'];
  const ports = await freePorts(ids.length);
  const peers = ids.map((id, i) => ({ id, url: `http://127.0.0.1:${ports[i]}` }));
  const members = await Promise.all(
    ids.map((id, i) =>
      join({ id, peers, listen: { port: ports[i]! }, data: path.join(folder, id), log: () => {} }),
    ),
  );
  const all = members.map((member) => new Election('claims', member));
  const leadership = await all[0]!.campaign();
  return {
    name: 'three joined members',
    engine: async () => ({ seat: (name) => members[0]!.seat(name), close: async () => {} }),
    requests: null,
    claimed: 'a published value',
    claim: (key) => leadership.publish(key).catch(() => {}),
    async close() {
      await leadership.resign();
      await Promise.all(members.map((member) => member.close()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function store(bed: CountedBed, claimed: string, { claim, close }: Pick<Store, 'claim' | 'close'>): Store {
  return {
    name: bed.name,
    engine: () => openEngine(bed.url, QUIET),
    requests: bed.requests,
    claimed,
    claim,
    async close() {
      await close();
      await bed.close();
    },
  };
}
