import { Random } from '../../src/core/index.ts';

/** When the faults stop, and how long everybody then has to agree. */
export const CALM_MS = 20_000;
export const SETTLE_MS = 30_000;

type Event = { atMs: number; do: string; [field: string]: unknown };

/**
 * A faulty run, drawn from its seed: 10 % loss, 10 % duplication, crashes and restarts. `harsh` adds pauses,
 * partitions, one-way cuts and failing disks. All faults end at CALM_MS; then everybody runs and hears everybody.
 */
export function chaos(base: object, seed: number, harsh = false): object {
  const random = new Random(seed, 'chaos');
  const events: Event[] = [];
  for (let i = random.between(2, 8); i > 0; i--) {
    const atMs = random.between(0, CALM_MS - 1);
    const member = random.pick(['leader', 'random', 'random', 'followers'])!;
    if (!harsh || random.chance(0.5)) {
      const target = member === 'followers' && random.chance(0.7) ? 'random' : member;
      events.push({ atMs, do: 'crash', member: target });
      events.push({ atMs: atMs + random.between(1, 6000), do: 'restart', member: 'random' });
      continue;
    }
    switch (random.below(4)) {
      case 0:
        events.push(
          { atMs, do: 'pause', member },
          { atMs: atMs + random.between(1, 6000), do: 'resume', member: 'all' },
        );
        break;
      case 1:
        events.push({ atMs, do: 'partition', groups: [['leader', 'random'], ['followers']] });
        events.push({ atMs: atMs + random.between(1, 6000), do: 'heal' });
        break;
      case 2:
        events.push({
          atMs,
          do: 'disk',
          member,
          fault: random.pick(['stall', 'full', 'torn', 'lose-unsynced']),
        });
        events.push({ atMs: atMs + random.between(1, 3000), do: 'crash', member });
        break;
      default:
        events.push({ atMs, do: 'cut', from: member, to: 'random', oneWay: random.chance(0.5) });
    }
  }
  const calm: Event[] = [
    { atMs: CALM_MS, do: 'network', loss: 0, duplicate: 0, reorder: 0 },
    { atMs: CALM_MS, do: 'heal' },
    { atMs: CALM_MS, do: 'disk', member: 'all', fault: 'none' },
    { atMs: CALM_MS, do: 'resume', member: 'all' },
    { atMs: CALM_MS, do: 'restart', member: 'all' },
  ];
  return {
    members: 5,
    ...base,
    network: { loss: 0.1, duplicate: 0.1, reorder: harsh ? 0.1 : 0 },
    untilMs: CALM_MS + SETTLE_MS,
    events: [...events.filter((event) => event.atMs < CALM_MS), ...calm],
  };
}
