import type { Json } from '../core/index.ts';
import type { Match } from './network.ts';
import type { Action, Selector } from './scenario.ts';
import { select } from './select.ts';
import { skip } from './skip.ts';
import type { World } from './world.ts';

type Order = Exclude<Extract<Action, { do: 'hold' | 'drop' | 'duplicate' }>, { flight: number }>;

/** An order about the next messages that match. */
export function order(world: World, action: Order): void {
  const match = matchOf(world, action);
  if (match === null) return;
  world.note({ do: action.do, next: action.count ?? 1, ...(match as Record<string, Json>) });
  world.network.order(action.do, match, action.count ?? 1);
}

export function release(world: World, action: Extract<Action, { do: 'release' }>): void {
  const { count = 1, nth = 1, copy = false } = action;
  const match = matchOf(world, action);
  if (match === null) return;
  const released = world.network.release(match, count, nth, copy);
  if (released.length === 0) skip(world, 'release', { skipped: 'not-held' });
  for (const envelope of released) {
    world.note({ do: 'release', from: envelope.from, to: envelope.to, type: envelope.message.type });
    world.deliver(envelope, 0);
  }
}

/** Acts on one message in flight. */
export function intercept(world: World, what: 'hold' | 'drop' | 'duplicate', flight: number): void {
  const caught = world.intercept(flight, what === 'duplicate');
  if (caught === null) return skip(world, what, { skipped: 'not-in-flight', flight });
  const { from, to, message } = caught;
  const became = { hold: 'held', drop: 'dropped', duplicate: 'duplicated' }[what];
  world.note({ do: became, from, to, type: message.type, flight });
  if (what === 'hold') world.network.hold(caught);
}

/** The messages that an order matches; null, and a note, if one of its ends selects no member. */
function matchOf(
  world: World,
  action: { do: string; from?: Selector; to?: Selector; type?: string },
): Match | null {
  const from = action.from === undefined ? undefined : select(world, action.from);
  const to = action.to === undefined ? undefined : select(world, action.to);
  if (from?.length === 0 || to?.length === 0) {
    const selector = (from?.length === 0 ? action.from : action.to)!;
    skip(world, action.do, { skipped: 'no-match', selector });
    return null;
  }
  return {
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    ...(action.type === undefined ? {} : { type: action.type }),
  };
}
