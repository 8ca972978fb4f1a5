import type { MemberId } from '../core/index.ts';
import type { Host } from './host.ts';
import type { Selector } from './scenario.ts';
import type { World } from './world.ts';

export const isRunning = (host: Host): boolean => host.alive;

/** The members that a selector means now. Of several leaders, the one with the newest term. */
export function select(world: World, selector: Selector): MemberId[] {
  switch (selector) {
    case 'leader':
      return leading(world).map((host) => host.id);
    case 'followers': {
      const leader = leading(world)[0]?.id;
      return running(world).filter((id) => id !== leader);
    }
    case 'random': {
      const picked = world.eventRandom.pick(running(world));
      return picked === undefined ? [] : [picked];
    }
    case 'all':
      return [...world.hosts.keys()];
    default:
      return world.hosts.has(selector) ? [selector] : [];
  }
}

/**
 * The processes that a selector means now: for `leader` the process that leads, first or second; else the first
 * processes.
 */
export function selectProcesses(world: World, selector: Selector): Host[] {
  return selector === 'leader' ? leading(world) : select(world, selector).map((id) => world.hosts.get(id)!);
}

function running(world: World): MemberId[] {
  return [...world.hosts.values()].filter(isRunning).map((host) => host.id);
}

function leading(world: World): Host[] {
  const name = world.leaders[0];
  return name === undefined ? [] : [world.process(name)!];
}
