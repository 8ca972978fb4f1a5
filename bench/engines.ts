/** Our engines beside the clients that people use today, on the same real servers, in the same run. */
import { setTimeout as sleep } from 'node:timers/promises';
import { EtcdServer } from '../test/support/servers/etcd.ts';
import { PostgresServer } from '../test/support/servers/postgres.ts';
import { RedisServer } from '../test/support/servers/redis.ts';
import { startTcpProxy } from '../test/support/tcp-proxy.ts';
import { advisoryLock, type Contender, closeAsking, etcd3Election, redlockLock } from './contenders.ts';
import { ours } from './our-contender.ts';
import { printTable } from './table.ts';

const LEASE_MS = 3000;
const HAND_OVERS = 20;
const CRASHES = 3;
const IDLE_MS = 9000;

export interface Bed {
  readonly name: string;
  readonly url: string;
  readonly port: number;
  /** Of the server. */
  readonly pid: number;
  /** One cheap question, which takes a round trip. */
  ask(): Promise<unknown>;
  /** How many requests the server has had. */
  requests(): Promise<number>;
  readonly kinds: Readonly<Record<string, (port: number, election: string) => Promise<Contender>>>;
  close(): Promise<void>;
}

export async function benchEngines(): Promise<void> {
  for (const open of [etcdBed, () => postgresBed(), redisBed]) {
    const bed = await open();
    try {
      await benchBed(bed);
    } finally {
      await bed.close();
    }
  }
  await closeAsking();
}

async function benchBed(bed: Bed): Promise<void> {
  const roundTripMs = await medianOf(20, async () => {
    const fromMs = performance.now();
    await bed.ask();
    return performance.now() - fromMs;
  });
  const rows = [];
  for (const [what, make] of Object.entries(bed.kinds)) {
    const handOverMs = await handOvers(bed, make);
    const crashMs = await crashes(bed, make);
    const idle = await idling(bed, make);
    rows.push({
      client: what,
      'hand-over ms': handOverMs,
      'in round trips': handOverMs / roundTripMs,
      'crash ms': crashMs,
      'crash / lease': crashMs / LEASE_MS,
      'idle requests/s': idle.requests,
      'idle CPU %': idle.cpu,
    });
  }
  const title = `${bed.name}: a lease of ${LEASE_MS / 1000} s, a round trip of ${roundTripMs.toFixed(2)} ms; idle: one leads, two wait`;
  printTable(title, rows);
}

type Make = (port: number, election: string) => Promise<Contender>;

let elections = 0;
const nextElection = (): string => `bench-${process.pid}-${++elections}`;

/** From the resignation of the leader until the candidate that waits leads. */
async function handOvers({ port }: Bed, make: Make): Promise<number> {
  const election = nextElection();
  let [one, other] = [await make(port, election), await make(port, election)];
  await one.lead();
  const ms = await medianOf(HAND_OVERS, async () => {
    const leads = other.lead();
    await sleep(50); // It waits by now.
    const fromMs = performance.now();
    const released = one.release();
    await leads;
    const tookMs = performance.now() - fromMs;
    await released;
    [one, other] = [other, one];
    return tookMs;
  });
  await Promise.all([one.close(), other.close()]);
  return ms;
}

/** From the moment the leader's connection is reset, as by its death, until the one who waits leads. */
async function crashes({ port }: Bed, make: Make): Promise<number> {
  return await medianOf(CRASHES, async () => {
    const election = nextElection();
    const proxy = await startTcpProxy(`http://127.0.0.1:${port}`);
    const doomed = await make(Number(new URL(proxy.url).port), election);
    const heir = await make(port, election);
    await doomed.lead();
    const leads = heir.lead();
    await sleep(LEASE_MS / 2);
    const fromMs = performance.now();
    proxy.refuse();
    await leads;
    const tookMs = performance.now() - fromMs;
    await Promise.all([doomed.close(), heir.close()]);
    await proxy.close();
    return tookMs;
  });
}

async function idling({ port, requests }: Bed, make: Make): Promise<{ requests: number; cpu: number }> {
  const election = nextElection();
  const all = await Promise.all([1, 2, 3].map(() => make(port, election)));
  await all[0]!.lead();
  for (const each of all.slice(1)) void each.lead();
  await sleep(1000);
  const [before, cpu] = [await requests(), process.cpuUsage()];
  await sleep(IDLE_MS);
  const used = process.cpuUsage(cpu);
  const made = (await requests()) - before;
  await Promise.all(all.map((each) => each.close()));
  return { requests: made / (IDLE_MS / 1000), cpu: (used.user + used.system) / 10 / IDLE_MS };
}

export async function medianOf(times: number, measure: () => Promise<number>): Promise<number> {
  const found: number[] = [];
  for (let i = 0; i < times; i++) found.push(await measure());
  return found.sort((a, b) => a - b)[Math.floor(times / 2)]!;
}

export async function etcdBed(): Promise<Bed> {
  const server = await EtcdServer.start();
  const at = `http://127.0.0.1:${server.port}`;
  return {
    name: 'etcd',
    url: server.url,
    port: server.port,
    pid: server.pid!,
    ask: async () => (await fetch(`${at}/health`)).text(),
    async requests() {
      const text = await (await fetch(`${at}/metrics`)).text();
      const counts = [...text.matchAll(/^grpc_server_msg_received_total\{.*\} (\S+)$/gm)];
      return counts.reduce((sum, [, count]) => sum + Number(count), 0);
    },
    kinds: {
      caucus: (port, election) => ours(`etcd://127.0.0.1:${port}`, election, LEASE_MS),
      'etcd3, Election': (port, election) => etcd3Election(port, election, LEASE_MS),
    },
    close: () => server.close(),
  };
}

export async function postgresBed(settings: Readonly<Record<string, string>> = {}): Promise<Bed> {
  const server = await PostgresServer.start(settings);
  return {
    name: 'PostgreSQL',
    url: server.url,
    port: server.port,
    pid: server.pid!,
    ask: () => advisoryLock.ask(server.url),
    requests: async () =>
      Number(await server.sql('select sum(xact_commit + xact_rollback) from pg_stat_database')),
    kinds: {
      caucus: (port, election) => ours(server.urlAt(port), election, LEASE_MS),
      'pg, advisory lock': (port, election) => advisoryLock.open(server.urlAt(port), election),
    },
    close: () => server.close(),
  };
}

export async function redisBed(): Promise<Bed> {
  const server = await RedisServer.start();
  return {
    name: 'Redis',
    url: server.url,
    port: server.port,
    pid: server.pid!,
    ask: () => redlockLock.ask(server.port),
    async requests() {
      const info = await server.cli(['info', 'stats']);
      return Number(/total_commands_processed:(\d+)/.exec(info)![1]);
    },
    kinds: {
      caucus: (port, election) => ours(`redis://127.0.0.1:${port}`, election, LEASE_MS),
      redlock: (port, election) => redlockLock.open(port, election, LEASE_MS),
    },
    close: () => server.close(),
  };
}
