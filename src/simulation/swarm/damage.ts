/**
 * Faults that only the store of a member has to survive, drawn from a separate random stream, so that the rest of a
 * seed's storm stays as it is: bits that flip and sectors that are lost while a member runs or is down, and power
 * failures in the middle of a save.
 */
import { type Definition, type MemberId, Random } from '../../core/index.ts';
import type { Action, WorldEvent } from '../scenario.ts';
import { tidyMs } from '../time.ts';
import { survivesLosses } from './fault-kinds.ts';
import type { Storm } from './storm.ts';

/** The share of runs of a protocol that survives lost disks. */
const CHANCE = 0.2;
/** How long a save takes at most, if the storm does not say. */
const USUAL_SYNC_MS = 1;

export function withDamage(storm: Storm, definition: Definition): Storm {
  const random = new Random(storm.seed, 'swarm disks');
  if (!survivesLosses(definition) || !random.chance(CHANCE)) return storm;
  const ids = storm.members.map(({ id }) => id);
  const unlucky = random.pick(ids)!;
  const events: WorldEvent[] = [];
  for (let times = random.between(1, 3); times > 0; times--) {
    // Most of it hits one member, so that one at a time is without its disk.
    const member = random.chance(0.8) ? unlucky : random.pick(ids)!;
    const atMs = storm.stopMs * random.fraction();
    events.push(
      ...(random.chance(0.5) ? rot(storm, member, atMs, random) : powerCut(storm, member, atMs, random)),
    );
  }
  const within = events.filter((event) => event.atMs < storm.stopMs);
  return { ...storm, faults: [...storm.faults, ...within].sort((a, b) => a.atMs - b.atMs) };
}

/** The content of the disk changes, and the next start finds it; an operator replaces the disk sooner or later. */
function rot({ timeoutMs }: Storm, member: MemberId, atMs: number, random: Random): WorldEvent[] {
  const fault = random.pick(['flip', 'flip', 'lose-sectors'] as const)!;
  const againMs = atMs + timeoutMs * random.pick([0, 0.01, 0.3, 3])! * random.fraction();
  const mendedMs = againMs + 4 * timeoutMs * random.fraction();
  return [
    at(atMs, { do: 'disk', member, fault }),
    at(againMs, { do: 'restart', member }),
    ...(random.chance(0.6) ? [at(mendedMs, { do: 'restart', member, disk: 'kept-or-lost' })] : []),
  ];
}

/** A member that starts saves that it did. So a crash right afterwards hits it in the middle of a save. */
function powerCut({ syncMs }: Storm, member: MemberId, atMs: number, random: Random): WorldEvent[] {
  const saveMs = syncMs?.[1] || USUAL_SYNC_MS;
  const crashes = random.between(2, 4);
  const first = random.below(crashes);
  const fault = random.pick(['torn', 'torn', 'lose-unsynced'] as const)!;
  let nowMs = atMs;
  return Array.from({ length: crashes }, (_, i) => {
    nowMs += saveMs * random.fraction();
    // Earlier crashes only kill the process: the system still has what it wrote.
    const power: readonly WorldEvent[] = i === first ? [at(nowMs, { do: 'disk', member, fault })] : [];
    return [...power, at(nowMs, { do: 'restart', member })];
  }).flat();
}

export function at(atMs: number, action: Action): WorldEvent {
  return { atMs: tidyMs(atMs), ...action };
}

/** May a disk be refused when its member starts again? */
export function hasDamage(faults: readonly WorldEvent[]): boolean {
  return faults.some(
    (each) => each.do === 'disk' && (each.fault === 'flip' || each.fault === 'lose-sectors'),
  );
}
