import type { MemberId } from '../core/index.ts';
import type { Host } from './host.ts';
import type { Selector } from './scenario.ts';
import type { World } from './world.ts';

export const isRunning = (host: Host): boolean => host.alive;

/** Whom a selector means now. Several leaders: the one with the newest term. */
export function select(world: World, selector: Selector): MemberId[] {
  const alive = [...world.hosts.values()].filter(isRunning).map((host) => host.id);
  switch (selector) {
    case 'leader':
      return world.leaders.slice(0, 1);
    case 'followers':
      return alive.filter((id) => id !== world.leaders[0]);
    case 'random': {
      const picked = world.eventRandom.pick(alive);
      return picked === undefined ? [] : [picked];
    }
    case 'all':
      return [...world.hosts.keys()];
    default:
      return world.hosts.has(selector) ? [selector] : [];
  }
}
