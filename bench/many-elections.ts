/**
 * A thousand elections of one process at rest: renewals that the store gets, and the processor of the client, before renewals were
 * shared and now. Both processes run at once, on two servers of the same kind, so that they find the same machine.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { EnginesBefore, Holder } from '../test/support/holder.ts';
import { etcdSite, postgresSite, type RenewalSite, redisSite } from '../test/support/renewal-sites.ts';
import { printTable } from './table.ts';

const ELECTIONS = Number(process.env.CAUCUS_BENCH_ELECTIONS ?? 1000);
const REST_MS = Number(process.env.CAUCUS_BENCH_REST_MS ?? 60_000);
const LEASE_MS = 15_000;

interface Measured {
  readonly requests: number;
  readonly cpu: number;
  readonly valid: number;
}

export async function benchManyElections(): Promise<void> {
  const before = new EnginesBefore();
  const rows: Record<string, string | number>[] = [];
  for (const [store, open] of [
    ['PostgreSQL', postgresSite],
    ['Redis', redisSite],
    ['etcd', etcdSite],
  ] as const) {
    const sites = await Promise.all([open(), open()]);
    const builds = [before.folder, null];
    const started = await Promise.all(sites.map((site, index) => Holder.start(planAt(site, builds[index]!))));
    const holders = started.map(({ holder }) => holder);
    await sleep(LEASE_MS); // By now those of one process are renewed together.
    const measured = await Promise.all(sites.map((site, index) => measure(site, holders[index]!)));
    for (const [index, { requests, cpu, valid }] of measured.entries()) {
      const name = `${store}, ${index === 0 ? 'before' : 'now'}`;
      rows.push({ store: name, 'requests per lease/3': requests, 'processor, %': cpu, 'still held': valid });
    }
    for (const holder of holders) await holder.kill();
    for (const site of sites) await site.close();
  }
  before.remove();
  printTable(`${ELECTIONS} elections of one process at rest, a lease of ${LEASE_MS / 1000} s`, rows);
}

function planAt(site: RenewalSite, build: string | null) {
  const elections = Array.from({ length: ELECTIONS }, (_, i) => `many-${i}`);
  return { url: site.urlAt(site.port), options: { leaseMs: LEASE_MS }, elections, build };
}

async function measure(site: RenewalSite, holder: Holder): Promise<Measured> {
  const [from, requests] = [await holder.count(), await site.requests()];
  const fromMs = performance.now();
  await sleep(REST_MS);
  const [until, more] = [await holder.count(), await site.requests()];
  const tookMs = performance.now() - fromMs;
  return {
    requests: ((more - requests) / tookMs) * (LEASE_MS / 3),
    cpu: ((until.cpuMs - from.cpuMs) / tookMs) * 100,
    valid: until.valid,
  };
}
