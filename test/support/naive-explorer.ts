import type { Effect, Input, Json, MemberId, Message, Protocol, View } from '../../src/core/index.ts';

interface Member {
  alive: boolean;
  state: unknown;
  record: Json;
  timers: string[];
  view: View | null;
  term: number | null;
}

interface World {
  members: Member[];
  /** Everything that was ever sent: each may arrive any number of times. */
  messages: { from: MemberId; to: MemberId; message: Message }[];
  /** By term, who has led it. */
  won: Record<string, MemberId[]>;
  crashes: number;
}

/**
 * The explorer as one would write it in an hour: whole states as texts, nothing interned, nothing left out and nothing
 * taken for the same. It is the measure for the quick one.
 */
export function exploreNaively(
  protocol: Protocol,
  ids: readonly MemberId[],
  bounds: { terms: number; crashes: number },
): { states: number; twoWinners: boolean } {
  const seen = new Set<string>();
  const queue: World[] = [];
  let twoWinners = false;

  function reach(world: World): void {
    if (world.members.some((member) => (member.view?.term ?? 0) > bounds.terms)) return;
    world.messages.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
    const text = JSON.stringify(world);
    if (seen.has(text)) return;
    seen.add(text);
    queue.push(world);
  }

  function take(world: World, i: number, input: Input): World {
    const next = structuredClone(world);
    const member = next.members[i]!;
    const effects: Effect[] = [];
    protocol.step(member.state, structuredClone(input), effects);
    for (const effect of effects) perform(next, i, effect);
    return next;
  }

  function perform(world: World, i: number, effect: Effect): void {
    const member = world.members[i]!;
    switch (effect.type) {
      case 'send': {
        const envelope = { from: ids[i]!, to: effect.to, message: structuredClone(effect.message) };
        const text = JSON.stringify(envelope);
        if (!world.messages.some((each) => JSON.stringify(each) === text)) world.messages.push(envelope);
        return;
      }
      case 'set-timer':
        member.timers = [...new Set([...member.timers, effect.timer])].sort();
        return;
      case 'cancel-timer':
        member.timers = member.timers.filter((timer) => timer !== effect.timer);
        return;
      case 'save':
        member.record = structuredClone(effect.record);
        return;
      case 'report':
        return report(world, i, structuredClone(effect.view));
      case 'call':
      case 'draw':
      case 'answer':
        throw new Error('not for this explorer');
    }
  }

  function report(world: World, i: number, view: View): void {
    const member = world.members[i]!;
    if (view.role === 'leader' && view.term !== null) {
      const winners = new Set([...(world.won[view.term] ?? []), ids[i]!]);
      world.won[view.term] = [...winners].sort();
      twoWinners ||= winners.size > 1;
    }
    member.view = view;
    if (view.term !== null) member.term = view.term;
  }

  function start(world: World, i: number): World {
    const next = structuredClone(world);
    const member = next.members[i]!;
    member.alive = true;
    member.state = protocol.init({ id: ids[i]!, members: ids, settings: {} });
    const incarnation = 1 + world.crashes;
    return take(next, i, {
      type: 'start',
      saved: structuredClone(member.record),
      incarnation,
      life: String(incarnation),
    });
  }

  const unborn: Member = { alive: false, state: null, record: null, timers: [], view: null, term: null };
  let root: World = { members: ids.map(() => ({ ...unborn })), messages: [], won: {}, crashes: 0 };
  ids.forEach((_, i) => {
    root = start(root, i);
  });
  reach(root);
  for (let world = queue.shift(); world !== undefined; world = queue.shift()) {
    for (let i = 0; i < ids.length; i++) {
      const member = world.members[i]!;
      if (!member.alive) {
        reach(start(world, i));
        continue;
      }
      for (const timer of member.timers) {
        const fired = structuredClone(world);
        fired.members[i]!.timers = member.timers.filter((each) => each !== timer);
        reach(take(fired, i, { type: 'timer', timer }));
      }
      for (const { from, to, message } of world.messages) {
        if (to === ids[i]) reach(take(world, i, { type: 'message', from, message }));
      }
      if (world.crashes < bounds.crashes) {
        const crashed = structuredClone(world);
        crashed.members[i] = { ...unborn, record: member.record, term: member.term };
        crashed.crashes += 1;
        reach(crashed);
      }
    }
  }
  return { states: seen.size, twoWinners };
}
