import type { MemberId, Random } from '../src/core/index.ts';
import type { Bounds } from '../src/exploration/index.ts';
import type { Action, LinkQuality, WorldEvent } from '../src/simulation/index.ts';
import { drawQuality } from '../src/simulation/swarm/cluster.ts';

/** What a fault is drawn for. */
interface Place {
  readonly random: Random;
  readonly ids: readonly MemberId[];
  /** The one that comes back again and again; null: the leader of the moment. */
  readonly preferred: MemberId | null;
  readonly timeoutMs: number;
}

/** One kind of trouble, and no other: what falls in such a run falls by it. */
export interface Fault {
  /** Also the second part of the names of its counterexamples. */
  readonly name: string;
  readonly title: string;
  /** The assumption of `quorum` that it breaks, if it does. */
  readonly breaks: string | null;
  /** Other kinds that it comes with: what falls by those falls here too, and is shown there. */
  readonly includes: readonly string[];
  /** The same for the explorer, where it has such a fault. There, messages are always late, lost and doubled. */
  readonly bounds: Partial<Bounds> | null;
  readonly network?: (place: Place) => Partial<LinkQuality>;
  draw(place: Place): readonly WorldEvent[];
}

/** Trouble begins when all members have agreed, and ends while there is time to see what comes of it. In timeouts. */
const FROM = 10;
const TO = 35;
export const STOP = 40;

function someTime({ random, timeoutMs }: Place): number {
  return timeoutMs * (FROM + (TO - FROM) * random.fraction());
}

function aWhile({ random, timeoutMs }: Place): number {
  return timeoutMs * random.pick([0.5, 1, 2, 5])! * (0.5 + random.fraction());
}

/** Each of some faults at its own time; the parts of a fault come one after the other. */
function several(place: Place, most: number, fault: () => readonly Action[]): readonly WorldEvent[] {
  return Array.from({ length: place.random.between(1, most) }, () => {
    let atMs = someTime(place);
    return fault().map((action): WorldEvent => {
      const event = { atMs, ...action };
      atMs += aWhile(place);
      return event;
    });
  }).flat();
}

function anyMember({ random, ids }: Place): MemberId | 'leader' {
  return random.chance(0.5) ? 'leader' : random.pick(ids)!;
}

function split({ random, ids }: Place): Action {
  const one = random.pick(ids)!;
  const alone = random.chance(0.5);
  const side = ids.map((id) => (alone ? id === one : random.chance(0.5)));
  return { do: 'partition', groups: [ids.filter((_, i) => side[i]), ids.filter((_, i) => !side[i])] };
}

/** The leader cannot be heard, its own clock is slow and those of the others are fast. */
function slowLeader(place: Place, slow: number, fast: number): readonly WorldEvent[] {
  return several(place, 3, () => [
    { do: 'clock', member: 'all', rate: fast },
    { do: 'clock', member: 'leader', rate: slow },
    split(place),
    { do: 'heal' },
    { do: 'clock', member: 'all', rate: 1 },
  ]);
}

function told(place: Place, proof: boolean): readonly WorldEvent[] {
  return several(place, 4, () => [
    {
      do: 'evidence',
      member: place.random.pick(['all', 'followers', 'random'])!,
      peer: 'leader',
      gone: true,
      proof,
    },
  ]);
}

function lostDisks(place: Place, members: readonly MemberId[]): readonly WorldEvent[] {
  const atMs = someTime(place);
  return members.flatMap((member, i): WorldEvent[] => [
    { atMs: atMs + i * aWhile(place) * 0.1, do: 'restart', member, amnesia: true },
    ...several(place, 1, () => [split(place), { do: 'heal' }]),
  ]);
}

export const faults: readonly Fault[] = [
  {
    name: 'network',
    title: 'messages lost, doubled, reordered, late',
    breaks: null,
    includes: [],
    bounds: { crashes: 0 },
    network: ({ random, timeoutMs }) => drawQuality(1, timeoutMs, 0.7, random),
    draw: () => [],
  },
  {
    name: 'crash',
    title: 'crashes and restarts',
    breaks: null,
    includes: ['network'],
    bounds: { crashes: 1 },
    draw: (place) =>
      several(place, 5, () => [
        { do: 'crash', member: anyMember(place) },
        { do: 'restart', member: 'all' },
      ]),
  },
  {
    name: 'partition',
    title: 'partitions',
    breaks: null,
    includes: [],
    bounds: null,
    draw: (place) => several(place, 3, () => [split(place), { do: 'heal' }]),
  },
  {
    name: 'link',
    title: 'one broken link, both ways or one',
    breaks: null,
    includes: [],
    bounds: null,
    draw(place) {
      const to = place.random.pick([...place.ids, 'followers' as const])!;
      const link = place.random.chance(0.5)
        ? { from: 'leader' as const, to }
        : { from: to, to: 'leader' as const };
      return [{ atMs: someTime(place), do: 'cut', ...link, oneWay: place.random.chance(0.5) }];
    },
  },
  {
    name: 'pause',
    title: 'processes that stop and go on',
    breaks: null,
    includes: [],
    bounds: null,
    draw: (place) =>
      several(place, 4, () => [
        { do: 'pause', member: anyMember(place) },
        { do: 'resume', member: 'all' },
      ]),
  },
  {
    name: 'returns',
    title: 'the preferred id, or else the leader, dies and returns, again and again',
    breaks: null,
    includes: [],
    bounds: null,
    draw: ({ random, preferred, timeoutMs }) =>
      Array.from({ length: 4 }, (_, i): WorldEvent[] => {
        const atMs = timeoutMs * (FROM + i * 6 + random.fraction());
        return [
          { atMs, do: 'crash', member: preferred ?? 'leader' },
          { atMs: atMs + 3 * timeoutMs, do: 'restart', member: preferred ?? 'all' },
        ];
      }).flat(),
  },
  {
    name: 'disk',
    title: 'one lost disk, with partitions',
    breaks: null,
    includes: ['network', 'partition'],
    bounds: { crashes: 1, amnesia: 1 },
    draw: (place) => lostDisks(place, [place.random.pick(place.ids)!]),
  },
  {
    name: 'disks',
    title: 'two lost disks, with partitions',
    breaks: 'one-disk',
    includes: ['network', 'partition', 'disk'],
    bounds: { crashes: 2, amnesia: 2 },
    draw(place) {
      const at = place.random.below(place.ids.length - 1);
      return lostDisks(place, place.ids.slice(at, at + 2));
    },
  },
  {
    name: 'evidence',
    title: 'false evidence that the leader is gone',
    breaks: null,
    includes: ['network'],
    bounds: { crashes: 0, evidence: 1 },
    draw: (place) => told(place, false),
  },
  {
    name: 'proof',
    title: 'false proof that the leader is gone',
    breaks: 'proof',
    includes: ['network', 'evidence'],
    bounds: { crashes: 0, evidence: 1, falseProof: true },
    draw: (place) => told(place, true),
  },
  {
    name: 'drift',
    title: 'clocks off by 1 %, with partitions',
    breaks: null,
    includes: ['partition'],
    bounds: null,
    draw: (place) => slowLeader(place, 0.99, 1.01),
  },
  {
    name: 'clock',
    title: 'clocks at half and double speed, with partitions',
    breaks: 'clock',
    includes: ['partition', 'drift'],
    bounds: null,
    draw: (place) => slowLeader(place, 0.5, 2),
  },
];
