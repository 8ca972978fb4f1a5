import { Random } from '../../src/core/index.ts';

const CALM_MS = 15_000;

/**
 * Five voters that know only seeds, two of which are dead, start in a random order, while messages are lost, links are
 * cut one way or both, and voters crash. From CALM_MS on nothing is wrong. For simulations with `quorum`.
 */
export function randomStart(seed: number): Record<string, unknown> {
  const random = new Random(seed, 'random starts');
  const ids = ['v1', 'v2', 'v3', 'v4', 'v5'];
  const events: object[] = [];
  for (let i = random.between(0, 15); i > 0; i--) {
    const atMs = random.between(0, CALM_MS - 1);
    const [from, to] = [random.pick(ids)!, random.pick(ids)!];
    switch (random.below(5)) {
      case 0:
        events.push({ atMs, do: 'crash', member: from });
        break;
      case 1:
        events.push({ atMs, do: 'restart', member: 'all' });
        break;
      case 2: {
        const others = ids.filter((id) => id !== from && id !== to);
        events.push({ atMs, do: 'partition', groups: [[...new Set([from, to])], others] });
        break;
      }
      case 3:
        events.push({ atMs, do: 'pause', member: from }, { atMs: atMs + 500, do: 'resume', member: 'all' });
        break;
      default:
        if (from !== to) events.push({ atMs, do: 'cut', from, to, oneWay: random.chance(0.5) });
    }
  }
  const calm = [
    { do: 'heal' },
    { do: 'network', loss: 0 },
    { do: 'resume', member: 'all' },
    { do: 'restart', member: 'all' },
  ].map((event) => ({ atMs: CALM_MS, ...event }));
  return {
    protocol: 'draw',
    options: { quorum: true, voters: 5 },
    members: ids.map((id, i) => ({
      id,
      address: `http://10.0.0.${((3 * i) % 7) + 1}`,
      startMs: random.between(0, 8000),
    })),
    seeds: Array.from({ length: 7 }, (_, i) => `http://10.0.0.${i + 1}`),
    network: { loss: random.pick([0, 0.1, 0.3])! },
    untilMs: CALM_MS + 20_000,
    events: [...events, ...calm].sort((a, b) => (a as { atMs: number }).atMs - (b as { atMs: number }).atMs),
  };
}
