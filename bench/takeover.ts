/**
 * Takeovers of real processes on the loopback, ours beside those of others, in one run: until the next candidate acts after
 * kill -9 of the leader, after its resignation, and after SIGSTOP; and what candidates cost at rest.
 * `CAUCUS_BENCH_TRIALS=5` holds fewer trials, `CAUCUS_BENCH_PEERS=none` only our own. `CAUCUS_BENCH_AUTH=none,secret,tls` and
 * `CAUCUS_BENCH_MEMBERS=3,5,9` measure more of our own.
 */
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Blow, Takeover } from './candidates.ts';
import { opens, using } from './closing.ts';
import { at, FloorServer, saves } from './floors.ts';
import type { Rest, Rivals } from './rivals.ts';
import { show } from './table.ts';
import { type Auth, Cluster } from './takeover-cluster.ts';
import {
  advisoryLocks,
  bareMembers,
  caucus,
  etcd3s,
  etcdRaft,
  type Kind,
  liferaft,
  redlocks,
} from './takeover-kinds.ts';
import { phasesOf, phasesOfDeputy } from './takeover-profile.ts';
import { reportTakeovers } from './takeover-report.ts';

const TRIALS = Number(process.env.CAUCUS_BENCH_TRIALS ?? 30);
const HAS_PEERS = process.env.CAUCUS_BENCH_PEERS !== 'none';
const AUTHS = (process.env.CAUCUS_BENCH_AUTH ?? 'none').split(',') as Auth[];
const SIZES = (process.env.CAUCUS_BENCH_MEMBERS ?? '3').split(',').map(Number);

/**
 * V8 compiles what runs often, a function after the other. In a process that does little this takes minutes, in which it needs
 * up to twice as much as later; and it is larger in its first seconds. Only at rest that is to be seen.
 */
const WARM_S = 180;
const REST_S = 30;
/** A leader without a lease is not replaced while it is paused; it is tried once. */
const NEVER_MS = 5000;
const BLOWS: readonly Blow[] = ['kill', 'resign', 'pause'];

/** What was measured of a kind. */
export interface Measured {
  readonly kind: Kind;
  readonly times: Readonly<Record<Blow, number[]>>;
  /** The floor, in turns with its trials: kill -9 of a bare process until its peer sees the socket closed. */
  readonly floors: number[];
  /** Write, fsync and rename, in turns with its trials. */
  readonly saves: number[];
  /** How long each phase of a takeover took, of members. */
  readonly profiles: (readonly number[])[];
  /** The memory of bare processes. */
  bareMb: number;
  rest: Rest | null;
  /** Why it was not measured, or not to the end. */
  leftOut: string | null;
}

export async function benchTakeover(): Promise<void> {
  const own = SIZES.flatMap((members) => AUTHS.map((auth) => caucus(members, auth)));
  const [first, ...more] = own;
  const ours = [first!, caucus(SIZES[0]!, AUTHS[0]!, true), bareMembers];
  const measured = [
    ...(await inTurns(HAS_PEERS ? [...ours, advisoryLocks] : ours)),
    ...(await oneByOne(more)),
    ...(HAS_PEERS ? await oneByOne([etcdRaft(10, 100), etcdRaft(1, 10)]) : []),
    // These wait for their leases nearly all the time, so they do not disturb each other.
    ...(HAS_PEERS ? (await Promise.all([inTurns([redlocks]), inTurns([etcd3s])])).flat() : []),
    ...(HAS_PEERS ? await inTurns([liferaft]) : []),
  ];
  reportTakeovers(measured, TRIALS);
}

async function oneByOne(kinds: readonly Kind[]): Promise<Measured[]> {
  const all: Measured[] = [];
  for (const kind of kinds) all.push(...(await inTurns([kind])));
  return all;
}

/** Measures kinds at the same time: the trials of all, and of the floor, take turns. */
async function inTurns(kinds: readonly Kind[]): Promise<Measured[]> {
  // The floors of all kinds that take turns are the same ones.
  const shared = { floors: [], saves: [] };
  const all = kinds.map((kind) => unmeasured(kind, shared));
  await using(FloorServer.open(), async (floor) => {
    await withRivals(all, [], async (opened) => {
      if (opened.some(({ result }) => result.kind.isCompiled !== true)) await sleep(WARM_S * 1000);
      await Promise.all(
        opened.map(({ result, rivals }) =>
          attempt(result, async () => {
            result.rest = await rivals.rest(REST_S);
          }),
        ),
      );
      for (let round = 0; round < TRIALS; round++)
        for (const blow of BLOWS)
          for (const each of opened) if (each.result.kind.isFloor !== true) await oneTrial(each, blow, floor);
    });
    for (const each of all) each.bareMb = at(floor.sizesMb, 0.5);
  });
  for (const { kind, times, leftOut } of all) {
    const medians = BLOWS.map((blow) => `${blow} ${show(at(times[blow], 0.5))}`).join(', ');
    const load = loadavg()[0]!.toFixed(1);
    process.stderr.write(
      `takeover: ${kind.name}: ${leftOut === null ? medians : `left out: ${leftOut}`} (load ${load})\n`,
    );
  }
  return all;
}

function unmeasured(kind: Kind, shared: Pick<Measured, 'floors' | 'saves'>): Measured {
  return {
    kind,
    times: { kill: [], resign: [], pause: [] },
    ...shared,
    profiles: [],
    bareMb: Number.NaN,
    rest: null,
    leftOut: kind.missing(),
  };
}

interface Opened {
  readonly result: Measured;
  readonly rivals: Rivals;
}

/** Opens those that can be, one inside the other, so that each is closed whatever happens. */
async function withRivals(
  [result, ...others]: readonly Measured[],
  opened: readonly Opened[],
  use: (opened: readonly Opened[]) => Promise<void>,
): Promise<void> {
  if (result === undefined) return await use(opened);
  if (result.leftOut !== null) return await withRivals(others, opened, use);
  const opening = opens(result.kind.open());
  const rivals = await attempt(result, () => opening);
  if (rivals === null) return await withRivals(others, opened, use);
  await using(opening, () => withRivals(others, [...opened, { result, rivals }], use));
}

/** A kind that fails is left out from then on, with the reason, and the others go on. */
async function attempt<T>(result: Measured, act: () => Promise<T>): Promise<T | null> {
  if (result.leftOut !== null) return null;
  try {
    return await act();
  } catch (error) {
    result.leftOut = error instanceof Error ? error.message : String(error);
    return null;
  }
}

async function oneTrial({ result, rivals }: Opened, blow: Blow, floor: FloorServer): Promise<void> {
  const { kind, times, profiles } = result;
  const isForEver = blow === 'pause' && kind.leaseMs === null;
  if (isForEver && times.pause.length > 0) return;
  await attempt(result, async () => {
    if (blow === 'kill') {
      result.floors.push(await floor.kill());
      result.saves.push(...saves(5));
    }
    const took = await rivals.trial(blow, isForEver ? NEVER_MS : undefined);
    times[blow].push(took.ms);
    if (blow !== 'kill' || !(rivals instanceof Cluster)) return;
    const read = kind.hasDeputies ? phasesOfDeputy : phasesOf;
    const phases = await read(rivals, took as Takeover);
    if (phases !== null) profiles.push(phases);
  });
}
