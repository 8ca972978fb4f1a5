import { type Definition, type MemberId, type Random, readSettings } from '../../core/index.ts';
import type { Action, Selector } from '../scenario.ts';
import { type Cluster, drawQuality, leaseOf } from './cluster.ts';
import { drawTopology } from './topologies.ts';

/** An event some time after its fault began. */
export type Part = Action & { readonly afterMs?: number };
export type Fault = readonly Part[];

/** What a fault is drawn for. */
export interface Place {
  readonly definition: Definition;
  readonly cluster: Cluster;
  readonly random: Random;
  readonly ids: readonly MemberId[];
  /** Ids that no member has yet. */
  readonly newIds: readonly MemberId[];
  /** The member that loses most disks in this run. */
  readonly unlucky: MemberId;
  /** How long a leader may act after one round of answers, if the protocol has leases. */
  readonly leaseMs: number;
  /** A short time, or about a timeout, or a long time. */
  aWhile(): number;
  who(): Selector;
  link(): { readonly from: Selector; readonly to: Selector };
}

/**
 * Every kind of fault by name. A run has some of the kinds, and none of the others. An entry more makes other runs of all seeds; faults
 * that are drawn apart (damage.ts, connections.ts) leave the rest of a run as it is.
 */
export const KINDS: Readonly<Record<string, (place: Place) => Fault>> = {
  crash({ random, ids, who, aWhile }) {
    const member = random.chance(0.2) ? 'all' : who();
    const again: Selector = ids.includes(member) ? member : random.pick(['random', 'all'])!;
    return [
      { do: 'crash', member },
      ...maybe(random, 0.8, { afterMs: aWhile(), do: 'restart', member: again }),
    ];
  },
  restart: ({ random, ids }) => [
    { do: 'restart', member: random.chance(0.3) ? 'leader' : random.pick(ids)! },
  ],
  /** A crash with proof for the others, as the host can give when a process on the same machine is gone. */
  proof({ random, ids, aWhile }) {
    const member = random.pick(ids)!;
    const told = aWhile() / 10;
    return [
      { do: 'crash', member },
      { afterMs: told, do: 'evidence', member: 'all', peer: member, gone: true, proof: true },
      ...maybe(random, 0.8, { afterMs: told + aWhile(), do: 'restart', member }),
    ];
  },
  /** The leader is cut off and others campaign at once, helped by members that have just come back. */
  takeover({ random, ids, aWhile }) {
    const shortly = aWhile() / 10;
    const comeBack: readonly Fault[] = [
      [],
      [{ do: 'restart', member: random.pick(ids)! }],
      [
        { do: 'crash', member: 'followers' },
        { do: 'restart', member: 'all' },
      ],
    ];
    return [
      { do: 'partition', groups: [['leader'], ['followers']] },
      ...random.pick(comeBack)!,
      { afterMs: shortly, do: 'campaign', member: random.chance(0.5) ? 'followers' : random.pick(ids)! },
      { afterMs: shortly + aWhile(), do: 'heal' },
    ];
  },
  usurper: (place) => usurper(place, false),
  pause: ({ random, who, aWhile }) => [
    { do: 'pause', member: who() },
    ...maybe(random, 0.8, { afterMs: aWhile(), do: 'resume', member: 'all' }),
  ],
  partition: ({ random, ids, aWhile }) => [
    ...drawTopology(ids, random),
    ...maybe(random, 0.7, { afterMs: aWhile(), do: 'heal' }),
  ],
  cut({ random, link, aWhile }) {
    const cut = { ...link(), oneWay: random.chance(0.6) };
    return [{ do: 'cut', ...cut }, ...maybe(random, 0.6, { afterMs: aWhile(), do: 'heal', ...cut })];
  },
  network({ random, who, link, cluster, aWhile }) {
    const where = random.pick([{}, { member: who() }, link()])!;
    const bad = drawQuality(cluster.calmLatencyMs[0], cluster.timeoutMs, 0.6, random);
    const good = { latencyMs: cluster.calmLatencyMs, loss: 0, duplicate: 0, reorder: 0 };
    return [
      { do: 'network', ...where, ...bad },
      ...maybe(random, 0.6, { afterMs: aWhile(), do: 'network', ...where, ...good }),
    ];
  },
  messages({ random, definition, who, aWhile }) {
    const what = random.pick(['hold', 'hold', 'drop', 'duplicate'] as const)!;
    const match = {
      ...(random.chance(0.4) ? { from: who() } : {}),
      ...(random.chance(0.4) ? { to: who() } : {}),
      ...(random.chance(0.7) ? { type: random.pick(Object.keys(definition.messages))! } : {}),
    };
    const count = random.between(1, 6);
    const release = what === 'hold' ? maybe(random, 0.7, { afterMs: aWhile(), do: 'release', count }) : [];
    return [{ do: what, ...match, count }, ...release];
  },
  /** A command is given, and the resulting messages arrive late. */
  late({ random, definition, who, ids, aWhile }) {
    const type = random.chance(0.7) ? { type: random.pick(Object.keys(definition.messages))! } : {};
    const count = random.between(1, 8);
    const commands: readonly Part[] = [
      { do: 'transfer', to: random.pick(ids)! },
      { do: 'publish', value: random.below(100) },
      { do: 'resign', member: 'leader' },
      { do: 'campaign', member: who() },
    ];
    const asked = random.pick(commands.filter((each) => definition.commands.some((one) => one === each.do)));
    const released: Part = { afterMs: aWhile(), do: 'release', count };
    return [{ do: 'hold', ...type, count }, ...(asked === undefined ? [] : [asked]), released];
  },
  clock({ random, definition, cluster, who }) {
    const allowed = cluster.options.maxDrift ?? definition.options.maxDrift?.default;
    const drift = typeof allowed === 'number' ? allowed : 0.01;
    if (random.chance(0.3)) {
      // The worst drift that is allowed: a leader whose lease lasts too long among members whose promises end too
      // soon.
      return [
        { do: 'clock', member: 'followers', rate: 1 + drift },
        { do: 'clock', member: 'leader', rate: 1 - drift },
      ];
    }
    const rate = random.chance(0.05)
      ? random.pick([0.5, 1.5, 2])!
      : 1 + drift * random.pick([-1, -0.5, 0, 0.5, 1])!;
    return [{ do: 'clock', member: who(), rate, ...(random.chance(0.2) ? { jumpMs: -3_600_000 } : {}) }];
  },
  disk: ({ random, who, aWhile }) => [
    { do: 'disk', member: who(), fault: random.pick(['stall', 'full', 'torn', 'lose-unsynced'] as const)! },
    ...maybe(random, 0.7, { afterMs: aWhile(), do: 'disk', member: 'all', fault: 'none' }),
  ],
  evidence({ random, who, aWhile }) {
    const [member, peer] = [random.chance(0.5) ? 'all' : who(), random.chance(0.5) ? 'leader' : who()];
    return [
      { do: 'evidence', member, peer, gone: true, ...(random.chance(0.05) ? { proof: true } : {}) },
      ...maybe(random, 0.3, { afterMs: aWhile(), do: 'evidence', member, peer, gone: false }),
    ];
  },
  campaign: ({ random, who }) => [{ do: 'campaign', member: random.chance(0.2) ? 'all' : who() }],
  resign: ({ random, who }) => [{ do: 'resign', member: random.chance(0.7) ? 'leader' : who() }],
  transfer: ({ random, ids, who }) => [
    { do: 'transfer', to: random.pick(ids)!, ...(random.chance(0.1) ? { member: who() } : {}) },
  ],
  publish: ({ random, who }) => [
    { do: 'publish', value: random.below(100), ...(random.chance(0.1) ? { member: who() } : {}) },
  ],
  add: ({ random, ids, newIds }) => [{ do: 'add', member: random.pick(random.chance(0.6) ? newIds : ids)! }],
  remove({ random, ids, newIds, cluster }) {
    // If some members never lead, one that may lead stays a member: otherwise no leader could be expected.
    const ranked = cluster.members.some((member) => member.priority === 0);
    const kept = ranked ? cluster.members.find((member) => member.priority !== 0)?.id : undefined;
    const member = random.pick([...ids, ...newIds].filter((id) => id !== kept));
    return member === undefined ? [] : [{ do: 'remove', member }];
  },
};

/**
 * One member misses how the others reach a new term, or a new value. Then the leader is cut off, one of its voters
 * restarts, and the member that missed it all campaigns.
 */
export function usurper({ definition, cluster, random, ids, aWhile }: Place, amnesia: boolean): Fault {
  const { timeoutMs } = cluster;
  const can = (part: Part): Fault => (definition.commands.some((each) => each === part.do) ? [part] : []);
  const outsider = random.pick(ids)!;
  const helper = random.pick(ids.filter((id) => id !== outsider)) ?? outsider;
  const turn = random.chance(0.5) ? aWhile() : aWhile() / 20; // Also in the middle of the change.
  const soon = (): number => turn + aWhile() / 20;
  return [
    { do: 'cut', from: outsider, to: 'all' },
    ...can(
      random.chance(0.5) ? { do: 'resign', member: 'leader' } : { do: 'publish', value: random.below(100) },
    ),
    { afterMs: turn, do: 'heal' },
    { afterMs: random.chance(0.5) ? turn : soon(), do: 'partition', groups: [['leader'], ['followers']] },
    { afterMs: turn, do: 'restart', member: helper, ...(amnesia ? { amnesia } : {}) },
    ...can({ afterMs: soon(), do: 'campaign', member: outsider }),
    ...can({
      afterMs: turn + timeoutMs * (0.5 + 2 * random.fraction()),
      do: 'publish',
      value: random.below(100),
    }),
    { afterMs: turn + timeoutMs * (1 + 4 * random.fraction()), do: 'heal' },
  ];
}

export const COMMANDS: readonly string[] = ['campaign', 'resign', 'transfer', 'publish', 'add', 'remove'];

function maybe(random: Random, chance: number, part: Part): Fault {
  return random.chance(chance) ? [part] : [];
}

/**
 * Does it promise anything of a cluster in which a disk was lost? Only such a protocol gets second processes and
 * copies.
 */
export function survivesLosses(definition: Definition): boolean {
  const known = survivors.get(definition);
  if (known !== undefined) return known;
  const { pledges } = definition.create({
    timing: readSettings(definition.timing, {}, 'timing'),
    options: readSettings(definition.options, {}, 'options'),
  });
  const survives = pledges.some(({ assuming }) => assuming.includes('one-disk'));
  survivors.set(definition, survives);
  return survives;
}

/** Every run of a swarm asks this, and it is always the same for a protocol. */
const survivors = new WeakMap<Definition, boolean>();

export function placeOf(definition: Definition, cluster: Cluster, random: Random): Place {
  const ids = cluster.members.map((member) => member.id);
  const newIds: readonly MemberId[] = typeof ids.at(-1) === 'number' ? [8, 9] : ['node-x', 'node-y'];
  const who = (): Selector =>
    random.chance(0.5)
      ? random.pick(ids)!
      : random.pick(['leader', 'leader', 'leader', 'random', 'followers'])!;
  return {
    definition,
    cluster,
    random,
    ids,
    newIds,
    unlucky: survivesLosses(definition) ? random.pick(ids)! : ids[0]!,
    leaseMs: leaseOf(cluster),
    aWhile: () => cluster.timeoutMs * random.pick([0.1, 0.5, 1, 2, 6])! * 2 * random.fraction(),
    who,
    link() {
      const from = who();
      const others = ids.filter((id) => id !== from);
      return { from, to: (random.chance(0.3) ? undefined : random.pick(others)) ?? 'followers' };
    },
  };
}
