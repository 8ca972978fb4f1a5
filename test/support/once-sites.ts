/** Where the replicas of three crews meet, for the trials of schedules: node-cron, NestJS and `caucus cron`. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { Election, type Run } from '../../src/election/index.ts';
import { openEngine } from '../../src/engines/open.ts';
import { sites } from '../engines/safety/sites.ts';
import { compiled } from './compiled.ts';
import { freePorts } from './free-ports.ts';
import type { CrewPlan } from './once-crew.ts';
import { instantOf } from './once-journal.ts';
import type { ReplicaPlan } from './once-replica.ts';

export const DRIVERS = ['node-cron', 'nestjs', 'cron'] as const;
type Driver = (typeof DRIVERS)[number];

export interface OnceSite {
  readonly crews: readonly CrewPlan[];
  /** Of the table of results: what is there more or less than once. */
  readonly check: (driver: string, occasions: readonly string[]) => Promise<string[]>;
  close(): Promise<void>;
}

const REPLICAS = ['r1', 'r2', 'r3'] as const;
const LINE = '* * * * * *';
const BUSY_MS = 600;
const SCRIPT = path.resolve(import.meta.dirname, 'once-replica.ts');
const COMMAND = path.resolve(import.meta.dirname, '../../dist/cli/main.js');
/** The work of `caucus cron`: $0 is the journal. */
const WORK =
  'r=$CAUCUS_MEMBER; a="$CAUCUS_OCCASION $CAUCUS_TOKEN $CAUCUS_ATTEMPT $r"; echo "begin $a" >> "$0"; sleep 0.$(($$ % 5))5; echo "end $a" >> "$0"';

/** How one replica reaches the others. */
type Way = Pick<ReplicaPlan, 'engine' | 'member'>;

interface CrewOf {
  readonly driver: Driver;
  readonly folder: string;
  readonly way: (replica: string) => Way;
  readonly record: CrewPlan['record'];
  readonly isTransacted?: boolean;
}

async function crewOf({ driver, folder, way, record, isTransacted = false }: CrewOf): Promise<CrewPlan> {
  const journal = path.join(folder, `${driver}.journal`);
  const script = driver === 'cron' ? '' : await compiled(SCRIPT);
  const plan = (name: string): ReplicaPlan => ({
    ...{ driver: driver as ReplicaPlan['driver'], name, election: driver, line: LINE, journal, isTransacted },
    busyMs: BUSY_MS,
    ...way(name),
  });
  const command = (name: string): string[] => [
    ...[COMMAND, 'cron', LINE, '--election', driver, '--id', name, '--catch-up', 'all', '--quiet'],
    ...flagsOf(way(name)),
    ...['--', 'sh', '-c', WORK, journal],
  ];
  const args = (name: string): string[] =>
    driver === 'cron' ? command(name) : [script, JSON.stringify(plan(name))];
  return {
    driver: driver === 'cron' ? 'caucus cron' : driver,
    replicas: Object.fromEntries(REPLICAS.map((name) => [name, args(name)])),
    journal,
    record,
    catchesUp: driver !== 'node-cron',
  };
}

/** As the command line has it. */
function flagsOf({ engine, member }: Way): string[] {
  if (engine !== undefined) {
    const { leaseMs } = engine.options as { leaseMs?: number };
    return ['--engine', engine.url, ...(leaseMs === undefined ? [] : ['--lease', String(leaseMs / 1000)])];
  }
  const { listen, peers, data } = member!;
  const listed = peers!.map((peer) => `${peer.id}=${peer.url}`).join(',');
  const at = `127.0.0.1:${listen!.port}`;
  return ['--listen', at, '--peers', listed, '--data', data!];
}

async function onStore(name: string, drivers: readonly Driver[]): Promise<OnceSite> {
  const site = await sites[name]!();
  const folder = mkdtempSync(path.join(tmpdir(), 'caucus-once-'));
  const { url, options } = site.way(site.ports ?? []);
  const times = name === 'local' ? {} : { leaseMs: Math.max(site.leaseMs, 2000) };
  const engine = await openEngine(url, { ...options, ...times, name: 'observer' });
  const results = name === 'postgres' ? await openResults(url) : null;
  const crews = drivers.map((driver) => {
    const election = new Election(driver, engine);
    return crewOf({
      driver,
      folder,
      way: (replica) => ({ engine: { url, options: { ...options, ...times, name: replica } } }),
      record: async () => election.runs.runs,
      isTransacted: driver === 'nestjs' && results !== null,
    });
  });
  return {
    crews: await Promise.all(crews),
    check: async (driver, occasions) =>
      driver === 'nestjs' && results !== null ? results.check(occasions) : [],
    async close() {
      await results?.close();
      await engine.close();
      await site.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The table of results of work that is done in the transaction that records the occasion. */
async function openResults(
  url: string,
): Promise<{ check(occasions: readonly string[]): Promise<string[]>; close(): Promise<void> }> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query('CREATE TABLE results (occasion text NOT NULL, token numeric NOT NULL)');
  return {
    async check(occasions) {
      const { rows } = await client.query<{ occasion: string; count: number }>(
        'SELECT occasion, count(*)::int AS count FROM results GROUP BY occasion',
      );
      const counts = new Map(rows.map(({ occasion, count }) => [instantOf(occasion), count]));
      return [...new Set([...counts.keys(), ...occasions])]
        .filter((each) => counts.get(each) !== 1 || !occasions.includes(each))
        .map((each) => `${each} has ${counts.get(each) ?? 0} results`);
    },
    close: () => client.end(),
  };
}

/** Each replica is a member, with a data folder; each crew is a cluster of its own. */
async function amongMembers(drivers: readonly Driver[]): Promise<OnceSite> {
  const folder = mkdtempSync(path.join(tmpdir(), 'caucus-once-'));
  const crews = drivers.map(async (driver) => {
    const ports = await freePorts(REPLICAS.length);
    const peers = REPLICAS.map((id, i) => ({ id, url: `http://127.0.0.1:${ports[i]}` }));
    const urls = peers.map(({ url }) => `${url}/elections/${driver}/runs`);
    return crewOf({
      driver,
      folder,
      way: (replica) => ({
        member: {
          id: replica,
          listen: { port: ports[REPLICAS.indexOf(replica as 'r1')]! },
          peers,
          data: path.join(folder, driver, replica),
        },
      }),
      record: async () => (await Promise.all(urls.map(runsAt))).flat(),
    });
  });
  return {
    crews: await Promise.all(crews),
    check: async () => [],
    close: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** None of a member that is down or stopped. */
async function runsAt(url: string): Promise<readonly Run[]> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(1000) });
    return answer.ok ? ((await answer.json()) as { runs: readonly Run[] }).runs : [];
  } catch {
    return [];
  }
}

type OpenSite = (drivers?: readonly Driver[]) => Promise<OnceSite>;

const stores = ['postgres', 'redis', 'etcd', 'local'];

export const onceSites: Readonly<Record<string, OpenSite>> = {
  ...Object.fromEntries(
    stores.map((name): [string, OpenSite] => [name, (drivers = DRIVERS) => onStore(name, drivers)]),
  ),
  members: (drivers = DRIVERS) => amongMembers(drivers),
};
