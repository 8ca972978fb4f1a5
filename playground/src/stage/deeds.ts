import type { MemberId } from '../../../src/core/index.ts';
import type { Action } from '../../../src/simulation/index.ts';
import type { Flight } from '../game/history/flights.ts';
import type { MemberShot, TimerShot } from '../game/history/history.ts';
import { timerWord } from '../game/history/timers.ts';

/** Something that can be done to what is selected, as a button. */
export interface Deed {
  readonly name: string;
  readonly actions: readonly Action[];
  /** It already applies: the clock runs at this rate. */
  readonly isOn?: boolean;
}

type Blocked = ReadonlySet<string>;

export function killOrRestart({ id, alive }: MemberShot): Deed {
  return alive
    ? { name: 'Kill', actions: [{ do: 'crash', member: id }] }
    : { name: 'Restart', actions: [{ do: 'restart', member: id }] };
}

export function pauseOrResume({ id, paused }: MemberShot): Deed {
  return paused
    ? { name: 'Resume', actions: [{ do: 'resume', member: id }] }
    : { name: 'Pause', actions: [{ do: 'pause', member: id }] };
}

export function isolateOrReconnect({ id }: MemberShot, ids: readonly MemberId[], blocked: Blocked): Deed {
  const others = ids.filter((each) => each !== id);
  const isAlone = others.every((each) => blocked.has(`${id}>${each}`) && blocked.has(`${each}>${id}`));
  return isAlone
    ? { name: 'Reconnect', actions: [{ do: 'heal', from: id, to: 'all' }] }
    : { name: 'Isolate', actions: [{ do: 'cut', from: id, to: 'all' }] };
}

export function fire(id: MemberId, { timer, name }: TimerShot): Deed {
  const word = timerWord(name);
  return {
    name: `Fire ${word === name ? name : `${word} (${name})`}`,
    actions: [{ do: 'fire', member: id, timer }],
  };
}

/** More timers than this are too many to choose from. */
const MOST_TIMERS = 5;
const RATES = [0.5, 1, 2];
const COMMANDS = { campaign: 'Campaign', resign: 'Resign' } as const;

/** The most frequent actions, and the others. */
export function memberDeeds(
  shot: MemberShot,
  timers: readonly TimerShot[],
  commands: readonly string[],
  ids: readonly MemberId[],
  blocked: Blocked,
): { readonly first: readonly Deed[]; readonly more: readonly Deed[] } {
  const { id, alive, paused, clockRate } = shot;
  const first = [killOrRestart(shot)];
  if (alive) first.push(pauseOrResume(shot));
  first.push(isolateOrReconnect(shot, ids, blocked));
  const fires = alive && !paused ? timers.slice(0, MOST_TIMERS).map((timer) => fire(id, timer)) : [];
  if (fires[0] !== undefined) first.push(fires[0]);
  const more: Deed[] = [
    { name: 'Restart with amnesia', actions: [{ do: 'restart', member: id, amnesia: true }] },
    ...fires.slice(1),
  ];
  if (alive) {
    for (const [command, name] of Object.entries(COMMANDS))
      if (commands.includes(command))
        more.push({ name, actions: [{ do: command as keyof typeof COMMANDS, member: id }] });
  }
  for (const rate of RATES) {
    more.push({
      name: `Clock ×${rate}`,
      actions: [{ do: 'clock', member: id, rate }],
      isOn: clockRate === rate,
    });
  }
  more.push(...diskDeeds(shot));
  return { first, more };
}

function diskDeeds({ id, disk }: MemberShot): Deed[] {
  if (disk !== 'none') return [{ name: 'Mend disk', actions: [{ do: 'disk', member: id, fault: 'none' }] }];
  return [
    { name: 'Stall disk', actions: [{ do: 'disk', member: id, fault: 'stall' }] },
    { name: 'Fill disk', actions: [{ do: 'disk', member: id, fault: 'full' }] },
  ];
}

/** Cuts a working link and heals a cut one, in both directions or only from the first to the second. */
export function cutOrHeal(from: MemberId, to: MemberId, blocked: Blocked, oneWay: boolean): Action {
  const isCut = blocked.has(`${from}>${to}`) || (!oneWay && blocked.has(`${to}>${from}`));
  return { do: isCut ? 'heal' : 'cut', from, to, ...(oneWay ? { oneWay } : {}) };
}

export function linkDeeds(from: MemberId, to: MemberId, blocked: Blocked): Deed[] {
  const there = blocked.has(`${from}>${to}`);
  const back = blocked.has(`${to}>${from}`);
  const deeds: Deed[] = [];
  if (there || back) deeds.push({ name: 'Heal', actions: [{ do: 'heal', from, to }] });
  if (!there || !back) deeds.push({ name: 'Cut both ways', actions: [{ do: 'cut', from, to }] });
  if (!there) deeds.push({ name: `Cut ${from} → ${to}`, actions: [{ do: 'cut', from, to, oneWay: true }] });
  if (!back)
    deeds.push({ name: `Cut ${to} → ${from}`, actions: [{ do: 'cut', from: to, to: from, oneWay: true }] });
  return deeds;
}

export function isInAir({ id, sentMs, endMs }: Flight, ms: number): boolean {
  return id >= 0 && sentMs <= ms && ms < endMs;
}

export function flightDeeds({ id }: Flight): Deed[] {
  return [
    { name: 'Drop', actions: [{ do: 'drop', flight: id }] },
    { name: 'Hold', actions: [{ do: 'hold', flight: id }] },
    { name: 'Duplicate', actions: [{ do: 'duplicate', flight: id }] },
  ];
}

/** Splits these from all others. Null if that would split nothing. */
export function splitOff(chosen: readonly MemberId[], ids: readonly MemberId[]): Action | null {
  const rest = ids.filter((id) => !chosen.includes(id));
  return chosen.length === 0 || rest.length === 0 ? null : { do: 'partition', groups: [chosen, rest] };
}
