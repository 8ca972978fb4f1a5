import type { Host } from './host.ts';
import type { Surroundings } from './surroundings.ts';
import { toMs } from './time.ts';

/**
 * A process starts: the store of real members reads its disk. False if it refuses the disk; then the member is
 * without one until it starts on an empty disk. An error of the store itself, whatever happened to the disk, breaks
 * the property D1.
 */
export function openDisk(world: Surroundings, host: Host): boolean {
  const { found, defect } = host.disk.open();
  if (defect !== null) {
    const detail = `${host.name} ${defect}`;
    const at = { atMs: toMs(world.nowUs), members: [host.name] };
    world.violations.push({ property: 'D1', claimed: true, ...at, detail });
  }
  if (found.is !== 'refused') return true;
  world.note({ do: 'refused', member: host.name, reason: found.reason });
  world.losses.refuse(host);
  return false;
}
