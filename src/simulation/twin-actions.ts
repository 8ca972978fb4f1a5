/** Events of a scenario about second processes of a member. */
import { type MemberId, Random } from '../core/index.ts';
import { Host } from './host.ts';
import type { Action, Selector } from './scenario.ts';
import { select } from './select.ts';
import { skip } from './skip.ts';
import { nameOfTwin } from './twins.ts';
import type { World } from './world.ts';

export function startTwins(world: World, action: Extract<Action, { do: 'twin' }>): void {
  const { member, disk } = action;
  const peers = action.with?.flatMap((each) => select(world, each)) ?? null;
  const apart = peers === null ? {} : { with: peers };
  for (const first of chosenOf(world, 'twin', member)) {
    if (!first.alive) {
      skip(world, 'twin', { skipped: 'not-running', of: first.id });
    } else if (world.twins.of(first.id) !== undefined) {
      skip(world, 'twin', { skipped: 'has-second-process', of: first.id });
    } else {
      world.note({ do: 'twin', member: nameOfTwin(first.id), of: first.id, disk, ...apart });
      startTwin(world, first, disk, peers);
    }
  }
}

function startTwin(
  world: World,
  first: Host,
  disk: 'empty' | 'copied',
  peers: readonly MemberId[] | null,
): void {
  const random = new Random(world.seed, `second process of ${first.id} at ${world.nowUs}`);
  const twin = new Host(first.self, world.protocol, random, world, first);
  if (disk === 'copied') twin.disk.copy(first.disk);
  world.losses.double(first.id, disk);
  world.twins.add(twin, peers);
  twin.start();
  if (!twin.alive) endTwin(world, twin);
}

/** The process is gone, and its disk with it. */
export function endTwin(world: World, twin: Host): void {
  twin.crash();
  world.twins.remove(twin);
  world.losses.single(twin);
  world.reviewed(twin);
}

export function endTwins(world: World, member: Selector): void {
  const chosen = chosenOf(world, 'crash', member);
  const twins = chosen.map(({ id }) => world.twins.of(id)).filter((twin) => twin !== undefined);
  if (chosen.length > 0 && twins.length === 0) {
    skip(world, 'crash', { skipped: 'no-second-process' });
  }
  for (const twin of twins) {
    world.note({ do: 'crash', member: twin.name });
    endTwin(world, twin);
  }
}

function chosenOf(world: World, what: string, member: Selector): Host[] {
  const chosen = select(world, member).map((id) => world.hosts.get(id)!);
  if (chosen.length === 0) skip(world, what, { skipped: 'no-match', selector: member });
  return chosen;
}
