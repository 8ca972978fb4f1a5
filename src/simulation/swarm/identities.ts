/**
 * Faults for protocols that promise to survive lost disks: members that come and go, disks that are lost, restored
 * and copied, second processes of a member, and messages that arrive long after they were sent.
 */
import type { MemberId } from '../../core/index.ts';
import type { Selector } from '../scenario.ts';
import type { Fault, Part, Place } from './fault-kinds.ts';

/** Every kind by name, as in `KINDS`. */
export const IDENTITY_KINDS: Readonly<Record<string, (place: Place) => Fault>> = {
  change: (place) => change(place),
  /** The disk of one member is lost, at once or while it is down. */
  loss: (place) => loss(place),
  /** One disk after the other is lost, with time to recover in between, or nearly. */
  losses(place) {
    const { random, cluster } = place;
    const gapMs = cluster.timeoutMs * random.pick([2, 4, 8])!;
    return Array.from({ length: random.between(2, 4) }, (_, i) =>
      later(loss(place), i * gapMs * (0.7 + 0.6 * random.fraction())),
    ).flat();
  },
  /** A disk is lost in the middle of a membership change, right before it or right after it. */
  'loss-and-change'(place) {
    const { random } = place;
    const apartMs = shortly(place);
    const [first, second] = random.chance(0.5) ? [change(place), loss(place)] : [loss(place), change(place)];
    return [...first, ...later(second, apartMs)];
  },
  /** A member starts on an older state of its own disk. */
  restore(place) {
    const { random, aWhile } = place;
    const member = victim(place);
    const afterMs = aWhile();
    return [
      { do: 'backup', member },
      ...(random.chance(0.3) ? [{ afterMs: afterMs / 2, do: 'restart', member } as const] : []),
      { afterMs, do: 'restart', member, disk: 'restored' },
    ];
  },
  /** A second process on an empty disk, as when a folder is missing or a name is given twice. */
  twin: (place) => twin(place, 'empty'),
  /** A second process on a copy of the disk, as of a virtual machine that was cloned. */
  clone: (place) => twin(place, 'copied'),
  /** A second process of the leader dies at once, and all get proof of it: that proves nothing about the first. */
  'twin-of-leader'(place) {
    const { random } = place;
    const endMs = shortly(place);
    const disk = random.chance(0.8) ? 'empty' : 'copied';
    const told: Part = { do: 'evidence', member: 'all', peer: 'leader', gone: true, proof: true, twin: true };
    return [
      { do: 'twin', member: 'leader', disk },
      { afterMs: endMs, do: 'crash', member: 'all', twin: true },
      ...(random.chance(0.5) ? [{ afterMs: endMs, do: 'cut', from: 'leader', to: 'all' } as const] : []),
      { ...told, afterMs: endMs + shortly(place) / 10 },
      { afterMs: endMs + place.aWhile(), do: 'heal' },
      { afterMs: endMs + place.aWhile(), do: 'publish', value: random.below(100) },
    ];
  },
  /** Messages are held back, and arrive when their sender, their receiver or the membership has changed. */
  held(place) {
    const { random, definition, who, cluster } = place;
    const types = Object.keys(definition.messages);
    const match = {
      ...(random.chance(0.6) ? { from: who() } : {}),
      ...(random.chance(0.6) ? { to: who() } : {}),
      ...(random.chance(0.8) ? { type: random.pick(types)! } : {}),
    };
    const count = random.between(1, 8);
    const meanwhile = random.pick([loss, change, restart, asked])!(place);
    const untilMs = cluster.timeoutMs * random.pick([0.3, 1, 3, 10])! * (0.5 + random.fraction());
    return [
      { do: 'hold', ...match, count },
      ...later(asked(place), shortly(place)),
      ...later(meanwhile, untilMs * random.fraction()),
      { afterMs: untilMs, do: 'release', count, ...(random.chance(0.3) ? { copy: true } : {}) },
    ];
  },
  /** A disk stalls while something happens that needs it, or while another one is lost. */
  stall(place) {
    const { random, who, aWhile } = place;
    const member = who();
    const meanwhile = random.pick([loss, change, restart, asked])!(place);
    const untilMs = aWhile();
    return [
      { do: 'disk', member, fault: random.pick(['stall', 'stall', 'full', 'lose-unsynced'] as const)! },
      ...later(meanwhile, untilMs * random.fraction()),
      { afterMs: untilMs, do: 'disk', member: 'all', fault: 'none' },
    ];
  },
  /** The victim and the leader are on one side, or on different ones, while the victim has no disk. */
  'loss-and-split'(place) {
    const { random, ids, cluster } = place;
    const lost = victim(place);
    const others = shuffled(
      place,
      ids.filter((id) => id !== lost),
    );
    const at = random.between(0, others.length);
    const group = [lost, ...others.slice(0, at)];
    const apart = others.slice(at);
    const untilMs = cluster.timeoutMs * random.pick([1, 3, 6])! * (0.5 + random.fraction());
    return [
      { do: 'publish', value: random.below(100) },
      { afterMs: shortly(place), do: 'restart', member: lost, disk: 'lost' },
      { afterMs: shortly(place), do: 'partition', groups: [group, apart] },
      ...[...group, ...apart].map(
        (member): Part => ({
          afterMs: untilMs * random.fraction(),
          do: 'publish',
          value: random.below(100),
          member,
        }),
      ),
      { afterMs: untilMs, do: 'heal' },
    ];
  },
};

/** Members are added, removed and added again, one change or two within a lease. */
export function change(place: Place): Fault {
  const { random, ids, newIds } = place;
  const all = [...ids, ...newIds];
  const one = random.pick(all)!;
  const other = random.pick(all.filter((id) => id !== one))!;
  const add = (member: MemberId): Part => ({ do: 'add', member });
  const remove = (member: MemberId): Fault => (mayLeave(place, member) ? [{ do: 'remove', member }] : []);
  const apartMs = shortly(place);
  const again = (fault: Fault): Fault =>
    // The command is refused while the earlier change is in progress.
    [...later(fault, apartMs), ...later(fault, 2 * apartMs), ...later(fault, 4 * apartMs)];
  switch (random.below(7)) {
    case 0:
      return remove(one);
    case 1:
      return [add(random.pick(newIds)!)];
    case 2:
      return [...remove(one), ...again(remove(other))];
    case 3:
      return [...remove(one), ...again([add(one)])];
    case 4:
      return [add(random.pick(newIds)!), ...again(remove(one))];
    case 5:
      return [add(random.pick(newIds)!), ...again([add(random.pick(all)!)])];
    default:
      return [add(one), ...again(remove(one))];
  }
}

/** If some members never lead, one that may lead stays a member: otherwise no leader could be expected. */
function mayLeave({ cluster }: Place, member: MemberId): boolean {
  if (cluster.members.every(({ priority }) => priority !== 0)) return true;
  return cluster.members.find(({ priority }) => priority !== 0)?.id !== member;
}

export function loss(place: Place): Fault {
  const { random, aWhile } = place;
  const member = victim(place);
  const back: Part = { do: 'restart', member, disk: 'lost' };
  if (random.chance(0.7)) return [back];
  return [
    { do: 'crash', member },
    { ...back, afterMs: aWhile() },
  ];
}

function restart(place: Place): Fault {
  const { random, ids } = place;
  return [{ do: 'restart', member: random.chance(0.3) ? 'leader' : random.pick(ids)! }];
}

/** A command that causes important messages. */
function asked(place: Place): Fault {
  const { random, ids, who } = place;
  const commands: readonly Fault[] = [
    [{ do: 'publish', value: random.below(100) }],
    [{ do: 'campaign', member: who() }],
    [{ do: 'transfer', to: random.pick(ids)! }],
    [{ do: 'resign', member: 'leader' }],
    change(place),
  ];
  return random.pick(commands)!;
}

/**
 * A second process that ends after a while, with true proof of its death for the others. The first process may be
 * gone by then, and half of the members may have talked with each.
 */
function twin(place: Place, disk: 'empty' | 'copied'): Fault {
  const { random, ids, aWhile } = place;
  const member = victim(place);
  const others = shuffled(
    place,
    ids.filter((id) => id !== member),
  );
  const peers = random.chance(0.5) ? { with: others.slice(0, random.between(1, others.length)) } : {};
  const untilMs = aWhile();
  const told: Part = { do: 'evidence', member: 'all', peer: member, gone: true, proof: true, twin: true };
  const first: readonly Fault[] = [[], [{ do: 'crash', member }], [{ do: 'restart', member }], asked(place)];
  return [
    { do: 'twin', member, disk, ...peers },
    ...later(random.pick(first)!, untilMs * random.fraction()),
    { afterMs: untilMs, do: 'crash', member, twin: true },
    ...(random.chance(0.6) ? [{ ...told, afterMs: untilMs + shortly(place) }] : []),
    ...(random.chance(0.5) ? [{ afterMs: untilMs + shortly(place), do: 'restart', member } as const] : []),
    // A newer version shows that the member has its seat again.
    { afterMs: untilMs + aWhile(), do: 'publish', value: random.below(100) },
  ];
}

/** Most disks that are lost in one run are those of one member, so that there is one at a time. */
export function victim({ random, ids, unlucky }: Place): MemberId {
  return random.chance(0.75) ? unlucky : random.pick(ids)!;
}

/** From a few messages to a lease. */
function shortly({ random, cluster }: Place): number {
  return cluster.timeoutMs * random.pick([0.01, 0.03, 0.1, 0.3])! * (0.5 + random.fraction());
}

export function later(fault: Fault, byMs: number): Fault {
  return fault.map((part) => ({ ...part, afterMs: (part.afterMs ?? 0) + byMs }));
}

export function shuffled({ random }: Place, ids: readonly Selector[]): MemberId[] {
  const left = [...ids];
  return ids.map(() => left.splice(random.below(left.length), 1)[0]!);
}
