import { at, type Floors, measureFloors } from './floors.ts';
import { printTable } from './table.ts';
import { type Auth, Cluster } from './takeover-cluster.ts';

const TRIALS = 30;
const IDLE_S = 3;
/** How many elections, and how patient they are: a thousand with the usual times would be 80,000 messages a second. */
const CROWDS = [
  [1, [150, 300]],
  [100, [150, 300]],
  [100, [1500, 3000]],
  [1000, [1500, 3000]],
] as const;
/** How members authenticate: `CAUCUS_BENCH_AUTH=none,secret,tls` measures all in one run; `CAUCUS_BENCH_MEMBERS=3` only such clusters. */
const AUTHS = (process.env.CAUCUS_BENCH_AUTH ?? 'none').split(',') as Auth[];
const SIZES = (process.env.CAUCUS_BENCH_MEMBERS ?? '3,5,9').split(',').map(Number);
/** Of the preset `lan`. */
const LEASE_MS = 125;

/** Real processes on the loopback. Every figure stands beside the floor that this machine set a moment before. */
export async function benchTakeover(): Promise<void> {
  const floors = await measureFloors();
  printTable('Floors of this machine, this minute: ms, median', [
    { what: 'kill -9 of a process to its peer seeing the socket closed', ms: floors.killMs },
    { what: 'round trip of a line over TCP', ms: floors.roundTripMs },
    { what: 'write, fsync, rename', ms: floors.saveMs },
    { what: 'the slowest of 300 of them', ms: floors.slowestSaveMs },
  ]);
  for (const members of SIZES) for (const auth of AUTHS) await benchMembers(members, floors, auth);
  const rows = [];
  for (const [elections, timeoutMs] of CROWDS)
    for (const auth of AUTHS) rows.push(await idleRow(elections, timeoutMs, auth));
  printTable('Idle, 3 members: per member', rows);
}

async function benchMembers(members: number, floors: Floors, auth: Auth): Promise<void> {
  const cluster = await Cluster.open(members, 1, undefined, auth);
  try {
    const killed: number[] = [];
    const paused: number[] = [];
    const resigned: number[] = [];
    for (let i = 0; i < TRIALS; i++) {
      let victim = 0;
      let ended: Promise<void> = Promise.resolve();
      killed.push(
        await cluster.takeover((leader) => {
          victim = leader.id;
          ended = cluster.kill(leader);
        }),
      );
      await ended;
      await cluster.start(victim);
      resigned.push(await cluster.takeover((leader) => leader.child.send('resign')));
      let stopped: { kill(signal: NodeJS.Signals): boolean } | undefined;
      paused.push(
        await cluster.takeover((leader) => {
          stopped = leader.child;
          leader.child.kill('SIGSTOP');
        }),
      );
      stopped!.kill('SIGCONT');
    }
    const row = (
      what: string,
      times: number[],
      floorMs: number,
      floor: string,
    ): Record<string, string | number> => ({
      what,
      p50: at(times, 0.5),
      p90: at(times, 0.9),
      max: at(times, 1),
      'p50 / floor': at(times, 0.5) / floorMs,
      floor,
    });
    const by = auth === 'none' ? '' : ` with ${auth}`;
    printTable(`Takeover, ${members} members${by}, ${TRIALS} trials: ms until the next may act`, [
      row('kill -9 of the leader, proof of death', killed, floors.killMs, 'socket closed'),
      row('the leader resigns', resigned, 2 * floors.roundTripMs + floors.saveMs, '2 round trips, a save'),
      row('SIGSTOP of the leader, no proof', paused, LEASE_MS, 'the lease'),
    ]);
  } finally {
    cluster.close();
  }
}

async function idleRow(
  elections: number,
  timeoutMs: readonly [number, number],
  auth: Auth,
): Promise<Record<string, string | number>> {
  const cluster = await Cluster.open(3, elections, timeoutMs, auth);
  try {
    await cluster.allLed();
    const { cpuMs, messages, bytes, rssMb } = await cluster.idle(IDLE_S);
    return {
      elections: auth === 'none' ? String(elections) : `${elections}, ${auth}`,
      'timeouts ms': timeoutMs.join('–'),
      'CPU %': cpuMs / 10,
      'memory MB': rssMb,
      'messages/s': messages,
      'bytes/s': bytes,
      'CPU % per election': cpuMs / 10 / elections,
    };
  } finally {
    cluster.close();
  }
}
