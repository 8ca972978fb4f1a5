/** Events of a scenario about connections. */
import type { MemberId } from '../core/index.ts';
import type { Identity } from '../peers/index.ts';
import type { Connections } from './connections.ts';
import type { Action } from './scenario.ts';
import { select } from './select.ts';
import type { WireEnd, WireFrame, WireOwner } from './wire.ts';
import type { World } from './world.ts';

export function resetConnections(world: World, action: Extract<Action, { do: 'reset' }>): void {
  const connections = connectionsOf(world, action.do);
  if (connections === null) return;
  const isHalf = action.half ?? false;
  for (const from of select(world, action.from)) {
    for (const to of select(world, action.to)) {
      if (from === to) continue;
      const count = connections.reset(from, to, isHalf);
      world.note({ do: 'reset', from, to, half: isHalf, connections: count });
    }
  }
}

/** A process outside the cluster connects to members under the id of another, and ends after a while. */
export function startStranger(world: World, action: Extract<Action, { do: 'stranger' }>): void {
  const connections = connectionsOf(world, action.do);
  if (connections === null) return;
  const [as] = select(world, action.as);
  const identity = as === undefined ? null : connections.identityOf(as);
  if (identity === null) return world.note({ do: action.do, skipped: `"${action.as}" never ran` });
  for (const to of select(world, action.to)) {
    if (to === as) continue;
    const { says, forMs } = action;
    world.note({ do: 'stranger', as: identity.id, to, says, forMs });
    new Stranger(connections, to, identity, action).visit();
  }
}

function connectionsOf(world: World, what: string): Connections | null {
  if (world.connections === null) world.note({ do: what, skipped: 'the scenario has no connections' });
  return world.connections;
}

class Stranger implements WireOwner {
  /** In the network it is at the place of the member that it visits. */
  readonly at: MemberId;
  readonly localSocket: string;
  readonly #connections: Connections;
  readonly #identity: Identity;
  readonly #action: Extract<Action, { do: 'stranger' }>;

  constructor(
    connections: Connections,
    to: MemberId,
    real: Identity,
    action: Extract<Action, { do: 'stranger' }>,
  ) {
    this.#connections = connections;
    this.at = to;
    this.#action = action;
    // It names a pid that no process has, so that it is found dead whenever it is looked up.
    const nowhere = { ...real.process!, pid: 0, startTime: '0' };
    this.localSocket = 'caucus-stranger';
    if (action.says === 'same') this.#identity = real;
    else {
      const life = action.says === 'other-life' ? `${real.life}-stranger` : real.life;
      this.#identity = { ...real, life, process: nowhere, localSocket: this.localSocket };
    }
  }

  visit(): void {
    const end = this.#connections.connect(this, this.at);
    if (end === null) return;
    this.#connections.transmit(end.other, { type: 'hello', identity: this.#identity });
    this.#connections.after(this.#action.forMs, () => {
      if (!end.isOpen) return;
      end.isOpen = false;
      this.#connections.transmit(end.other, { type: 'close', closing: 'ended' });
    });
  }

  onFrame(end: WireEnd, frame: WireFrame): void {
    if (frame.type === 'close') end.isOpen = false;
    if (this.#action.silent === true || !end.isOpen) return;
    const answer = this.#answerTo(frame);
    if (answer !== null) this.#connections.transmit(end.other, answer);
  }

  #answerTo(frame: WireFrame): WireFrame | null {
    if (frame.type === 'ping') return { type: 'pong' };
    if (frame.type === 'probe') return { type: 'probe-answer', poll: frame.poll };
    return frame.type === 'token' ? { type: 'confirmed' } : null;
  }
}
