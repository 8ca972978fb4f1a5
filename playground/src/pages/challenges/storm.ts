import { type MemberId, Random } from '../../../../src/core/index.ts';
import type { Action, WorldEvent } from '../../../../src/simulation/index.ts';
import type { Run } from '../../game/run/run.ts';

const STORM_MS = 20_000;

/**
 * The run with some forty faults of all kinds that a promise has to survive, drawn from a seed: what a patient
 * visitor might do by hand. One disk may be lost, since that is promised too.
 */
export function stormOf(run: Run, seed: number, faults = 40): Run {
  const random = new Random(seed, 'storm');
  const ids = Array.from({ length: run.members as number }, (_, i): MemberId => i + 1);
  const one = (): MemberId => random.pick(ids)!;
  let mayLoseDisk = true;
  const draw = (): Action => {
    const [from, to] = [one(), one()];
    switch (random.below(10)) {
      case 0:
        return { do: 'crash', member: random.pick<MemberId | 'leader'>([from, 'leader'])! };
      case 1:
      case 2: {
        const amnesia = mayLoseDisk && random.chance(0.25);
        if (amnesia) mayLoseDisk = false;
        return { do: 'restart', member: from, ...(amnesia && { amnesia }) };
      }
      case 3:
        return { do: 'pause', member: random.pick<MemberId | 'leader'>([from, 'leader'])! };
      case 4:
        return { do: 'resume', member: 'all' };
      case 5:
        return {
          do: 'partition',
          groups: random.chance(0.5) ? [['leader'], ['followers']] : halves(ids, from),
        };
      case 6:
        return from === to ? { do: 'heal' } : { do: 'cut', from, to, oneWay: random.chance(0.5) };
      case 7:
        return { do: 'network', loss: random.below(4) / 10, duplicate: random.below(4) / 10 };
      case 8:
        return {
          do: 'disk',
          member: from,
          fault: random.pick(['none', 'stall', 'torn', 'lose-unsynced'] as const)!,
        };
      default:
        return { do: 'heal' };
    }
  };
  const events: WorldEvent[] = [];
  for (let i = 0; i < faults; i++) events.push({ atMs: random.below(STORM_MS), ...draw() });
  events.sort((a, b) => a.atMs - b.atMs);
  return { ...run, seed, events };
}

function halves(ids: readonly MemberId[], from: MemberId): MemberId[][] {
  const at = ids.indexOf(from);
  const turned = [...ids.slice(at), ...ids.slice(0, at)];
  const middle = turned.length >> 1;
  return [turned.slice(0, middle), turned.slice(middle)];
}
