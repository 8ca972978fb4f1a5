/** Events of a scenario in which members are told that a process of a peer is gone, or back. */
import type { MemberId } from '../core/index.ts';
import type { Host } from './host.ts';
import type { Action } from './scenario.ts';
import { select, selectProcesses } from './select.ts';
import { skip } from './skip.ts';
import { nameOfTwin } from './twins.ts';
import type { World } from './world.ts';

type Evidence = Extract<Action, { do: 'evidence' }>;

export function giveEvidence(world: World, action: Evidence): void {
  const proof = action.proof ?? false;
  const peers = select(world, action.peer);
  if (peers.length === 0) skip(world, 'evidence', { skipped: 'no-match', selector: action.peer });
  for (const peer of peers) {
    const life = lifeIn(world, peer, action);
    if (life === undefined) {
      const never = action.earlier === true ? 'no-earlier-process' : 'never-had-second-process';
      skip(world, 'evidence', { skipped: never, of: peer });
      continue;
    }
    if (action.gone && proof && isAlive(world, peer, action)) world.broken.add('proof');
    const chosen = selectProcesses(world, action.member);
    const told = chosen.filter((host) => host.alive && host.id !== peer);
    if (told.length === 0) {
      const isNone = chosen.length === 0;
      skip(
        world,
        'evidence',
        isNone ? { skipped: 'no-match', selector: action.member } : { skipped: 'no-effect' },
      );
    }
    for (const host of told) tell(world, host, peer, life, action);
  }
}

/** The process that it is about. Undefined: there never was one. */
function lifeIn(world: World, peer: MemberId, { twin, earlier }: Evidence): string | undefined {
  if (twin === true) return world.twins.lifeOf(peer);
  const { life, incarnation } = world.hosts.get(peer)!;
  if (earlier !== true) return life;
  return incarnation > 1 ? String(incarnation - 1) : undefined;
}

/** No earlier process of a member lives. */
function isAlive(world: World, peer: MemberId, { twin, earlier }: Evidence): boolean {
  if (twin === true) return world.twins.of(peer) !== undefined;
  return earlier !== true && world.hosts.get(peer)!.alive;
}

function tell(world: World, host: Host, peer: MemberId, life: string, action: Evidence): void {
  const { gone, proof = false, twin, earlier } = action;
  const named = twin === true ? nameOfTwin(peer) : peer;
  const late = earlier === true ? { earlier } : {};
  world.note({ do: action.do, member: host.name, peer: named, gone, proof, ...late });
  host.give(gone ? { type: 'peer-gone', peer, proof, life } : { type: 'peer-back', peer });
}
