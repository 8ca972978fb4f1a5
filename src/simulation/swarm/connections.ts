/**
 * Runs with connections: some seeds are drawn as they would be without, and then get connections between their
 * processes, and faults of these. All of it comes from a separate random stream, so that the other seeds stay as they
 * are.
 */
import { type Json, type MemberId, Random } from '../../core/index.ts';
import type { Selector, WorldEvent } from '../scenario.ts';
import { tidyMs } from '../time.ts';
import type { Storm } from './storm.ts';

/** One seed in this many. */
const ONE_IN = 8;
const REST = 7;

const MOST_FAULTS = 12;

interface Place {
  readonly random: Random;
  readonly ids: readonly MemberId[];
  readonly timeoutMs: number;
  readonly pingMs: number;
  readonly atMs: number;
}

type Draw = (place: Place) => readonly WorldEvent[];

export function hasConnections(seed: number): boolean {
  return seed % ONE_IN === REST;
}

export function withConnections(storm: Storm, seed: number): Storm {
  const random = new Random(seed, 'swarm of connections');
  const between = whereOf(seed, random);
  const pingMs = tidyMs(Math.max(1, storm.timeoutMs / random.pick([2, 4, 8])!));
  const ids = storm.members.map(({ id }) => id);
  const { timeoutMs, stopMs } = storm;
  // A reset breaks the assumption of trusted connections: then little is promised, so it is rare.
  const mayReset = between !== 'trusted' || random.chance(0.1);
  const draws = Object.entries(KINDS).filter(([name]) => name !== 'reset' || mayReset);
  const faults: WorldEvent[] = [];
  for (let left = random.between(2, MOST_FAULTS); left > 0 && ids.length > 1; left--) {
    const atMs = tidyMs(stopMs * random.fraction());
    faults.push(...random.pick(draws)![1]({ random, ids, timeoutMs, pingMs, atMs }));
  }
  // Evidence about other processes comes only from the connections.
  const own = storm.faults.filter((fault) => fault.do !== 'evidence');
  const all = [...own, ...faults].filter((fault) => fault.atMs < stopMs);
  const connections: Readonly<Record<string, Json>> = { between, pingMs };
  return { ...storm, connections, faults: all.sort((a, b) => a.atMs - b.atMs) };
}

/** Most runs whose members are apart have witnesses, by a stream of their own: no other seed changes. */
function whereOf(seed: number, random: Random): string {
  const between = random.pick(['one-host', 'one-host', 'clones', 'apart', 'trusted', 'trusted'])!;
  return between === 'apart' && new Random(seed, 'swarm of witnesses').chance(0.7) ? 'witnessed' : between;
}

const KINDS: Readonly<Record<string, Draw>> = {
  /** Killed and restarted, sooner or later than the others can notice. */
  'quick-restart'(place) {
    const { random, atMs, pingMs } = place;
    const member = who(place);
    const backMs = pingMs * random.pick([0, 0.02, 0.2, 2])! * random.fraction();
    return [
      { atMs, do: 'crash', member },
      { atMs: tidyMs(atMs + backMs), do: 'restart', member: member === 'leader' ? 'all' : member },
    ];
  },
  /** Paused for longer or shorter than its connections last. */
  stop(place) {
    const { random, atMs, pingMs } = place;
    const untilMs = pingMs * random.pick([0.5, 2, 5, 10])! * (0.5 + random.fraction());
    return [
      { atMs, do: 'pause', member: who(place) },
      { atMs: tidyMs(atMs + untilMs), do: 'resume', member: 'all' },
    ];
  },
  reset(place) {
    const { random, atMs } = place;
    const [from, to] = pair(place);
    return [{ atMs, do: 'reset', from, to, ...(random.chance(0.4) ? { half: true } : {}) }];
  },
  /** Cut for longer than a connection lasts, so that one side closes it before the other. */
  cut(place) {
    const { random, atMs, pingMs } = place;
    const [from, to] = pair(place);
    const untilMs = pingMs * random.pick([1, 4, 8])! * (0.5 + random.fraction());
    return [
      { atMs, do: 'cut', from, to },
      { atMs: tidyMs(atMs + untilMs), do: 'heal', from, to },
    ];
  },
  /** A second process that connects where the first one is connected, and ends. */
  twin(place) {
    const { random, atMs, timeoutMs } = place;
    const member = who(place);
    const endMs = tidyMs(atMs + timeoutMs * random.pick([0.1, 0.5, 2])! * random.fraction());
    const meanwhile: readonly WorldEvent[] = [
      { atMs, do: 'pause', member },
      { atMs: tidyMs((atMs + endMs) / 2), do: 'crash', member },
    ];
    return [
      ...(random.chance(0.5) ? [random.pick(meanwhile)!] : []),
      { atMs, do: 'twin', member, disk: 'empty' },
      { atMs: endMs, do: 'crash', member: 'all', twin: true },
    ];
  },
  /** Another process greets under the id of a member, either alone or after that member was cut off or paused. */
  stranger(place) {
    const { random, atMs, timeoutMs, pingMs } = place;
    const as = random.chance(0.5) ? 'leader' : random.pick(place.ids)!;
    const forMs = tidyMs(1 + timeoutMs * random.pick([0.1, 0.5, 2])! * random.fraction());
    const says = random.pick(['same', 'same', 'other-life', 'other-pid', 'other-pid'] as const)!;
    const silent = random.chance(0.2) ? { silent: true } : {};
    const comesMs = tidyMs(atMs + pingMs * random.pick([0, 5, 5])! * (1 + random.fraction()));
    const endMs = tidyMs(comesMs + forMs + pingMs * random.fraction());
    const meanwhile: readonly (readonly WorldEvent[])[] = [
      [],
      [
        { atMs, do: 'pause', member: as },
        { atMs: endMs, do: 'resume', member: 'all' },
      ],
      [
        { atMs, do: 'cut', from: as, to: 'all' },
        { atMs: endMs, do: 'heal', from: as, to: 'all' },
      ],
    ];
    const to = random.chance(0.5) ? 'all' : 'followers';
    return [...random.pick(meanwhile)!, { atMs: comesMs, do: 'stranger', as, to, says, forMs, ...silent }];
  },
};

/** The leader more often than others: its death matters most. */
function who({ random, ids }: Place): Selector {
  return random.chance(0.5) ? 'leader' : random.pick(ids)!;
}

function pair({ random, ids }: Place): readonly [Selector, Selector] {
  if (random.chance(0.5)) return random.chance(0.5) ? ['leader', 'followers'] : ['followers', 'leader'];
  const from = random.pick(ids)!;
  return [from, random.pick(ids.filter((id) => id !== from))!];
}
