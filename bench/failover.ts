import { Random } from '../src/core/index.ts';
import { quorum } from '../src/protocols/quorum/index.ts';
import { type Percentiles, readScenario, World } from '../src/simulation/index.ts';
import { percentiles } from '../src/simulation/runs.ts';
import { toMs, toUs } from '../src/simulation/time.ts';
import { printTable } from './table.ts';

interface Setting {
  readonly name: string;
  readonly given: { readonly timing?: object; readonly options?: object };
  readonly heartbeatMs: number;
  readonly longestTimeoutMs: number;
  readonly latencyMs: readonly [number, number];
  readonly others: readonly Row[];
}

type Row = Readonly<Record<string, string | number>>;

const TRIALS = 10_000;
const MEMBERS = 5;
const ELECTION = ['pre-vote', 'pre-vote/answer', 'vote', 'vote/answer'];

/**
 * The setting of the Raft thesis: five members, a broadcast and its answers take some 15 ms, the heartbeat is half of
 * the shortest timeout, and the leader dies at a moment drawn from a heartbeat interval that all received together.
 */
const SETTINGS: readonly Setting[] = [
  {
    name: 'timeouts 150–300 ms, 6–9 ms one way',
    given: { timing: { heartbeatMs: 75, timeoutMs: [150, 300] } },
    heartbeatMs: 75,
    longestTimeoutMs: 300,
    latencyMs: [6, 9],
    others: [
      { who: 'Raft thesis', min: 93, mean: 181, p50: 171, p90: 244, p99: 415, 'p99.9': '', max: 603 },
      { who: 'aim', min: '', mean: '', p50: 160, p90: '', p99: 220, 'p99.9': '', max: 350 },
    ],
  },
  {
    name: 'preset steady, 1–10 ms one way',
    given: { options: { preset: 'steady' } },
    heartbeatMs: 600,
    longestTimeoutMs: 3000,
    latencyMs: [1, 10],
    others: [],
  },
  {
    name: 'preset lan, 1–10 ms one way',
    given: { options: { preset: 'lan' } },
    heartbeatMs: 50,
    longestTimeoutMs: 300,
    latencyMs: [1, 10],
    others: [],
  },
  {
    name: 'preset wan, 30–40 ms one way',
    given: { options: { preset: 'wan' } },
    heartbeatMs: 85,
    longestTimeoutMs: 800,
    latencyMs: [30, 40],
    others: [
      { who: 'Raft thesis', min: '', mean: 475, p50: '', p90: '', p99: '', 'p99.9': 1500, max: '' },
      { who: 'aim', min: '', mean: 420, p50: '', p90: '', p99: '', 'p99.9': 900, max: '' },
    ],
  },
  {
    name: 'preset fast, 0.1–0.3 ms one way',
    given: { options: { preset: 'fast' } },
    heartbeatMs: 5,
    longestTimeoutMs: 30,
    latencyMs: [0.1, 0.3],
    others: [
      { who: 'Raft thesis, 12–24 ms', min: 15, mean: 35, p50: 30, p90: 53, p99: 87, 'p99.9': '', max: 152 },
      { who: 'aim', min: '', mean: 35, p50: '', p90: '', p99: 60, 'p99.9': '', max: '' },
    ],
  },
];

/** The time from the death of a leader that could act to the next that can, and the messages of that election. */
function failover(setting: Setting, seed: number): { gapMs: number; messages: number } | null {
  const { given, heartbeatMs, longestTimeoutMs, latencyMs } = setting;
  const untilMs = 40 * longestTimeoutMs;
  const scenario = { protocol: 'quorum', members: MEMBERS, ...given, network: { latencyMs }, untilMs };
  const world = new World(readScenario(scenario, { quorum }), seed);
  world.runUntil(10 * longestTimeoutMs + heartbeatMs * new Random(seed, 'crash').fraction());
  if (world.acting.size === 0) return null;
  const diedUs = world.nowUs;
  const before = electionMessages(world);
  world.act({ do: 'crash', member: 'leader' });
  while (world.acting.size === 0) if (!world.step(toUs(untilMs))) return null;
  const gapMs = toMs(world.nowUs - diedUs);
  // Votes that were late belong to the election too.
  world.runUntil(toMs(world.nowUs) + 2 * latencyMs[1]);
  return { gapMs, messages: electionMessages(world) - before };
}

function electionMessages({ messagesByType }: World): number {
  return ELECTION.reduce((sum, type) => sum + (messagesByType.get(type) ?? 0), 0);
}

export function benchFailover(): void {
  for (const setting of SETTINGS) {
    const gapsMs: number[] = [];
    const messages: number[] = [];
    for (let seed = 1; seed <= TRIALS; seed++) {
      const trial = failover(setting, seed);
      if (trial === null) continue;
      gapsMs.push(trial.gapMs);
      messages.push(trial.messages);
    }
    printTable(
      `Failover in simulation, ${setting.name}: ms from the crash to the next that may act, ${gapsMs.length} of ${TRIALS} trials`,
      [{ who: 'quorum', ...spread(gapsMs) }, ...setting.others],
    );
    const { p50, p99, max } = percentiles(messages);
    process.stdout.write(
      `messages of the election: mean ${meanOf(messages).toFixed(1)}, p50 ${p50}, p99 ${p99}, max ${max}; 4(n−1) is ${4 * (MEMBERS - 1)}\n`,
    );
  }
}

function spread(gapsMs: readonly number[]): Row {
  const { p50, p90, p99, max }: Percentiles = percentiles(gapsMs);
  const sorted = [...gapsMs].sort((a, b) => a - b);
  const rare = sorted[Math.ceil(sorted.length * 0.999) - 1]!;
  return { min: sorted[0]!, mean: meanOf(gapsMs), p50: p50!, p90: p90!, p99: p99!, 'p99.9': rare, max: max! };
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
