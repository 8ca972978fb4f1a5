import { catalogue } from '../src/protocols/index.ts';
import { type Result, readScenario, simulate } from '../src/simulation/index.ts';
import { printTable } from './table.ts';

function sent(result: Result, ...types: string[]): number {
  return types.reduce((sum, type) => sum + (result.messages.byType[type] ?? 0), 0);
}

/** A permutation of 1…n drawn by a small generator of its own. */
function shuffled(n: number, seed: number): number[] {
  const ids = Array.from({ length: n }, (_, i) => i + 1);
  let x = seed * 2654435761;
  for (let i = n - 1; i > 0; i--) {
    x = (Math.imul(x, 1664525) + 1013904223) >>> 0;
    const j = x % (i + 1);
    [ids[i], ids[j]] = [ids[j]!, ids[i]!];
  }
  return ids;
}

/** Everybody starts at once; nothing goes wrong; the run ends before the first timeout could start another election. */
function changRoberts(ring: readonly number[]): Result {
  const scenario = {
    protocol: 'chang-roberts',
    members: ring.length,
    options: { ring },
    timing: { heartbeatMs: 1_000_000, timeoutMs: 10_000_000 },
    network: { latencyMs: 1 },
    untilMs: 100_000,
  };
  return simulate(readScenario(scenario, catalogue), 1);
}

/** The leader dies, and the lowest id finds out first: every election starts every other. */
function bullyWorst(n: number): Record<string, number> {
  const members = Array.from({ length: n }, (_, i) =>
    i + 1 === n ? { id: n } : { id: i + 1, startMs: 2 * (i + 2) },
  );
  const run = (events: object[]): Result => {
    const given = { protocol: 'bully', members, network: { latencyMs: 1 }, untilMs: 2000, events };
    return simulate(readScenario(given, catalogue), 1);
  };
  const calm = run([]).messages.byType;
  const crashed = run([{ atMs: 900, do: 'crash', member: n }]).messages.byType;
  const types = ['election', 'ok', 'coordinator'];
  return Object.fromEntries(types.map((type) => [type, (crashed[type] ?? 0) - (calm[type] ?? 0)]));
}

export function benchMessages(): void {
  const rings = [5, 10, 20, 50, 101].map((n) => {
    const harmonic = Array.from({ length: n }, (_, i) => 1 / (i + 1)).reduce((a, b) => a + b, 0);
    const up = Array.from({ length: n }, (_, i) => i + 1);
    const draws = 200;
    let total = 0;
    for (let seed = 1; seed <= draws; seed++) total += sent(changRoberts(shuffled(n, seed)), 'election');
    return {
      members: n,
      'best 2n−1': 2 * n - 1,
      'measured best': sent(changRoberts(up), 'election'),
      'average n·H_n': n * harmonic,
      'measured average': total / draws,
      'worst n(n+1)/2': (n * (n + 1)) / 2,
      'measured worst': sent(changRoberts([...up].reverse()), 'election'),
      'announce n': n,
      'measured announce': sent(changRoberts(up), 'elected'),
    };
  });
  printTable('Chang–Roberts, all start at once: messages per election against theory (acks aside)', rings);

  const bullies = [3, 5, 10, 20, 50, 101].map((n) => {
    const { election = 0, ok = 0, coordinator = 0 } = bullyWorst(n);
    return {
      members: n,
      'election n(n−1)/2': (n * (n - 1)) / 2,
      measured: election,
      'ok (n−1)(n−2)/2': ((n - 1) * (n - 2)) / 2,
      'measured ok': ok,
      'coordinator n−2': n - 2,
      'measured coordinator': coordinator,
      'worst n²−n−1': n * n - n - 1,
      'measured worst': election + ok + coordinator,
    };
  });
  printTable(
    'Bully, worst case (the announcement to the dead leader is one more than theory counts)',
    bullies,
  );
}
