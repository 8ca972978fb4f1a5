import { Random } from '../src/core/index.ts';
import { quorum } from '../src/protocols/quorum/index.ts';
import { readScenario, runWorld } from '../src/simulation/index.ts';
import { printTable } from './table.ts';

interface Setting {
  readonly name: string;
  readonly timing: {
    readonly heartbeatMs: number;
    readonly timeoutMs: readonly [number, number];
    readonly leaseMs?: number;
  };
  readonly latencyMs: number | readonly [number, number];
  /** What others published, for the row beside ours. */
  readonly peer: Row | null;
}

interface Row {
  readonly who: string;
  readonly min: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly max: number;
  readonly mean: number;
}

const TRIALS = 10_000;

/**
 * The setting of the Raft thesis: five members, a broadcast and its answers take some 15 ms, the heartbeat is half of
 * the shortest time-out, and the leader dies at a moment drawn from a heartbeat interval that all received together.
 */
const SETTINGS: readonly Setting[] = [
  {
    name: '150–300 ms',
    timing: { heartbeatMs: 75, timeoutMs: [150, 300] },
    latencyMs: [6, 9],
    peer: { who: 'Raft thesis', min: 93, p50: 171, p90: 244, p99: 415, max: 603, mean: 181 },
  },
  {
    name: 'WAN, 30–40 ms one way, 300–500 ms',
    timing: { heartbeatMs: 100, timeoutMs: [300, 500], leaseMs: 240 },
    latencyMs: [30, 40],
    peer: null,
  },
];

export function benchFailover(): void {
  for (const { name, timing, latencyMs, peer } of SETTINGS) {
    const gaps: number[] = [];
    let messages = 0;
    for (let seed = 1; seed <= TRIALS; seed++) {
      const crashMs = 2000 + timing.heartbeatMs * new Random(seed, 'crash').fraction();
      const events = [{ atMs: crashMs, do: 'crash', member: 'leader' }];
      const scenario = {
        protocol: 'quorum',
        members: 5,
        timing,
        network: { latencyMs },
        untilMs: crashMs + 3000,
        events,
      };
      const world = runWorld(readScenario(scenario, { quorum }), seed);
      gaps.push(...world.coverage.gapsMs);
      for (const type of ['pre-vote', 'pre-vote/answer', 'vote', 'vote/answer'])
        messages += world.messagesByType.get(type) ?? 0;
    }
    gaps.sort((a, b) => a - b);
    const at = (p: number): number => gaps[Math.min(gaps.length - 1, Math.floor(gaps.length * p))]!;
    const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
    const ours: Row = {
      who: 'quorum',
      min: at(0),
      p50: at(0.5),
      p90: at(0.9),
      p99: at(0.99),
      max: at(1),
      mean,
    };
    const rows = [
      { ...ours, 'p99.9': at(0.999) },
      ...(peer === null ? [] : [{ ...peer, 'p99.9': '' as string | number }]),
    ];
    printTable(
      `Failover in simulation, ${name}: ms from the crash to the next that may act, ${gaps.length} trials`,
      rows as never,
    );
    process.stdout.write(
      `messages of the two elections of a trial: ${(messages / TRIALS).toFixed(1)} (4(n−1) each: ${8 * 4})\n`,
    );
  }
}
