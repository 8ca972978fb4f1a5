/** What each `Action` of a scenario does to the world. All that a new kind needs is listed at `Action`, in scenario.ts. */
import { assertNever, compareIds, type Json, type MemberId, readSettings } from '../core/index.ts';
import { resetConnections, startStranger } from './connection-actions.ts';
import type { DiskDamage, DiskFault } from './disk.ts';
import { giveEvidence } from './evidence-actions.ts';
import type { Host } from './host.ts';
import { intercept, order, release } from './message-actions.ts';
import type { LinkQuality } from './network.ts';
import { type Action, commandIn, type Selector } from './scenario.ts';
import { isRunning, select, selectProcesses } from './select.ts';
import { skip } from './skip.ts';
import { endTwin, endTwins, startTwins } from './twin-actions.ts';
import type { World } from './world.ts';

/** Carries out one event of a scenario. The history records it with real ids. */
export function perform(world: World, action: Action): void {
  switch (action.do) {
    case 'crash':
      if (action.twin === true) return endTwins(world, action.member);
      return forEach(
        world,
        action,
        (host) => host.alive || host.isDue,
        (host) => crash(world, host),
      );
    case 'restart':
      return restart(world, action);
    case 'backup':
      return forEach(
        world,
        action,
        (host) => !host.disk.isEmpty,
        (host) => {
          world.note({ do: 'backup', member: host.name });
          host.disk.backUp();
        },
      );
    case 'twin':
      return startTwins(world, action);
    case 'pause':
      return forEach(
        world,
        action,
        (host) => host.alive && !host.paused,
        (host) => {
          world.note({ do: 'pause', member: host.name });
          host.pause();
          world.reviewed(host);
        },
      );
    case 'resume':
      return forEach(
        world,
        action,
        (host) => host.paused,
        (host) => {
          world.note({ do: 'resume', member: host.name });
          host.resume();
          world.reviewed(host);
        },
      );
    case 'partition': {
      const groups = disjoint(action.groups.map((group) => group.flatMap((each) => select(world, each))));
      world.note({ do: 'partition', groups });
      return world.network.partition(groups);
    }
    case 'cut':
      return forEachLink(world, 'cut', action.from, action.to, (from, to) => {
        world.note({ do: 'cut', from, to, oneWay: action.oneWay ?? false });
        world.network.cut(from, to, action.oneWay ?? false);
      });
    case 'heal':
      if (action.from === undefined || action.to === undefined) {
        world.note({ do: 'heal' });
        return world.network.healAll();
      }
      return forEachLink(world, 'heal', action.from, action.to, (from, to) => {
        world.note({ do: 'heal', from, to, oneWay: action.oneWay ?? false });
        world.network.heal(from, to, action.oneWay ?? false);
      });
    case 'network':
      return changeNetwork(world, action);
    case 'hold':
    case 'drop':
    case 'duplicate':
      return 'flight' in action ? intercept(world, action.do, action.flight) : order(world, action);
    case 'release':
      return release(world, action);
    case 'fire':
      return forEach(
        world,
        action,
        (host) => isRunning(host) && !host.paused && host.hasTimer(action.timer),
        (host) => {
          world.note({ do: 'fire', member: host.name, timer: action.timer });
          host.fire(action.timer, world.processes);
        },
      );
    case 'inject': {
      // A member ignores a message with its own id as the sender.
      const receivers = select(world, action.to).filter((to) => to !== action.from);
      if (receivers.length === 0) return skip(world, 'inject', { skipped: 'no-match', selector: action.to });
      world.broken.add('no-forgery');
      for (const to of receivers) {
        world.note({ do: 'inject', from: action.from, to, message: action.message as unknown as Json });
        world.deliver({ from: action.from, to, message: action.message }, 0);
      }
      return;
    }
    case 'clock':
      return forEach(
        world,
        action,
        () => true,
        (host) => setClock(world, host, action),
      );
    case 'disk':
      return forEach(
        world,
        action,
        ({ disk }) => !isDamage(action.fault) || !disk.isEmpty,
        (host) => harmDisk(world, host, action.fault),
      );
    case 'evidence':
      return giveEvidence(world, action);
    case 'reset':
      return resetConnections(world, action);
    case 'stranger':
      return startStranger(world, action);
    case 'campaign':
    case 'resign': {
      const what = action.do;
      return forEach(world, action, isRunning, (host) => command(world, host, { type: what }));
    }
    case 'transfer': {
      const to = select(world, action.to)[0];
      if (to === undefined) return skip(world, action.do, { skipped: 'no-match', selector: action.to });
      const asked = { do: action.do, member: action.member ?? 'leader' };
      return forEach(world, asked, isRunning, (host) => command(world, host, { type: 'transfer', to }));
    }
    case 'publish':
    case 'reconfigure': {
      const asked = { do: action.do, member: action.member ?? 'leader' };
      const given = commandIn(action, world.scenario);
      return forEach(world, asked, isRunning, (host) => command(world, host, given));
    }
    case 'add':
      return changeMembership(world, 'add', action.member);
    case 'remove':
      return forEach(
        world,
        action,
        () => true,
        (host) => changeMembership(world, 'remove', host.id),
      );
    default:
      assertNever(action);
  }
}

type About = { readonly do: string; readonly member: Selector };

function forEach(
  world: World,
  { do: what, member }: About,
  fits: (host: Host) => boolean,
  doIt: (host: Host) => void,
): void {
  const chosen = selectProcesses(world, member);
  const fitting = chosen.filter(fits);
  if (fitting.length === 0) {
    const isNone = chosen.length === 0;
    skip(world, what, isNone ? { skipped: 'no-match', selector: member } : { skipped: 'no-effect' });
  }
  for (const host of fitting) doIt(host);
}

function forEachLink(
  world: World,
  what: string,
  from: Selector,
  to: Selector,
  doIt: (from: MemberId, to: MemberId) => void,
): void {
  const begins = select(world, from);
  const ends = select(world, to);
  const links = begins.flatMap((a) => ends.filter((b) => a !== b).map((b) => [a, b] as const));
  if (links.length === 0) skip(world, what, { skipped: 'no-link', selectors: [from, to] });
  for (const [a, b] of links) doIt(a, b);
}

/** Selectors may select one member twice: it belongs to the first group that names it. */
function disjoint(groups: readonly (readonly MemberId[])[]): MemberId[][] {
  const seen = new Set<MemberId>();
  return groups.map((group) =>
    group.filter((id) => {
      const first = !seen.has(id);
      seen.add(id);
      return first;
    }),
  );
}

function crash(world: World, host: Host): void {
  world.note({ do: 'crash', member: host.name });
  if (host.isTwin) return endTwin(world, host);
  const lost = host.crash();
  if (lost !== 'nothing')
    world.note({ do: lost === 'torn' ? 'torn-record' : 'lost-record', member: host.id });
  world.reviewed(host);
}

/** Starts members that are down. A single named member (or the leader) is restarted even if it runs. */
function restart(world: World, action: Extract<Action, { do: 'restart' }>): void {
  const { member } = action;
  const found = action.disk ?? (action.amnesia === true ? 'lost' : 'kept');
  const down = [...world.hosts.values()].filter((host) => !host.alive).map((host) => host.id);
  let chosen: MemberId[];
  if (member === 'random') {
    const picked = world.eventRandom.pick(down);
    chosen = picked === undefined ? [] : [picked];
  } else if (member === 'all' || member === 'followers') {
    chosen = down;
  } else {
    chosen = select(world, member);
  }
  if (chosen.length === 0) skip(world, 'restart', { skipped: 'no-match', selector: member });
  for (const id of chosen.sort(compareIds)) {
    const host = world.hosts.get(id)!;
    if (host.alive) crash(world, host);
    const restored = {
      ...(found === 'restored' ? { disk: found } : {}),
      ...(action.address === undefined ? {} : { address: action.address }),
    };
    const isLost = found === 'lost' || (found === 'kept-or-lost' && host.disk.isRefused);
    world.note({ do: 'restart', member: id, amnesia: isLost, ...restored });
    if (isLost) world.losses.lose(host);
    if (found === 'restored') world.losses.restore(host);
    if (action.address !== undefined && world.places !== null) {
      world.places.put(id, action.address);
      host.self = world.places.selfOf(id, host.self.settings);
    }
    host.start();
  }
}

function isDamage(fault: DiskFault): fault is DiskDamage {
  return fault === 'flip' || fault === 'lose-sectors';
}

function harmDisk(world: World, host: Host, fault: DiskFault): void {
  world.note({ do: 'disk', member: host.name, fault });
  if (isDamage(fault)) host.disk.damage(fault);
  else host.setDiskFault(fault);
}

function changeNetwork(world: World, action: Extract<Action, { do: 'network' }>): void {
  const { do: _, member, from, to, ...rest } = action as typeof action & { atMs?: number };
  const { atMs: __, ...change } = rest as Partial<LinkQuality> & { atMs?: number };
  const fields = change as unknown as Record<string, Json>;
  if (member !== undefined) {
    forEach(
      world,
      { do: 'network', member },
      () => true,
      ({ id }) => {
        world.note({ do: 'network', member: id, ...fields });
        world.network.setMemberQuality(id, change);
      },
    );
  } else if (from !== undefined && to !== undefined) {
    forEachLink(world, 'network', from, to, (a, b) => {
      world.note({ do: 'network', from: a, to: b, ...fields });
      world.network.setLinkQuality(a, b, change);
    });
  } else {
    world.note({ do: 'network', ...fields });
    world.network.setQuality(change);
  }
}

function setClock(world: World, host: Host, action: Extract<Action, { do: 'clock' }>): void {
  const { rate, jumpMs } = action;
  // A jump of the wall clock is only recorded: no protocol reads it, timers run on the monotonic clock.
  world.note({ do: 'clock', member: host.name, rate: rate ?? host.clockRate, jumpMs: jumpMs ?? 0 });
  if (rate === undefined) return;
  const drift = world.scenario.options.maxDrift;
  // In binary, 1.05 is a little more than 0.05 away from 1.
  if (Math.abs(rate - 1) > (typeof drift === 'number' ? drift : 0) + 1e-9) world.broken.add('clock');
  host.setClockRate(rate);
}

function command(world: World, host: Host, asked: Parameters<World['command']>[1]): void {
  world.note({ ...(asked as unknown as Record<string, Json>), do: asked.type, member: host.name });
  world.command(host, asked);
}

function boot(world: World, id: MemberId): void {
  const ids = [...world.scenario.members.map((member) => member.id), id];
  world.note({ do: 'boot', member: id });
  const settings = readSettings(world.scenario.definition.memberSettings ?? {}, {}, '') as Record<
    string,
    Json
  >;
  world.boot({ id, startMs: 0, settings }, ids);
}

/** The leader is asked; without one, the first running member. */
function changeMembership(world: World, what: 'add' | 'remove', member: MemberId): void {
  const { name, commands } = world.scenario.definition;
  if (!commands.includes(what)) return skip(world, what, { skipped: 'fixed-membership', protocol: name });
  if (!world.hosts.has(member)) {
    boot(world, member);
    // It registers by itself: the others cannot add a member whose address they do not know.
    if (world.places !== null && what === 'add') return;
  }
  const [leader] = selectProcesses(world, 'leader');
  const asked = leader ?? [...world.hosts.values()].find((each) => each.alive && each.id !== member);
  if (asked === undefined) return skip(world, what, { skipped: 'none-running' });
  world.note({ do: what, member, asked: asked.name });
  world.command(asked, { type: what, member });
}
