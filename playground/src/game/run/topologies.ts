import { type MemberId, majority } from '../../../../src/core/index.ts';
import { type Action, ringOfMajorities } from '../../../../src/simulation/index.ts';

/** A way to split the network, or to heal it. */
export interface Topology {
  readonly name: string;
  /** In a few words, which members hear each other. */
  readonly says: string;
  /** Does it depend on the leader? */
  readonly needsLeader?: boolean;
  readonly make: (order: readonly MemberId[]) => readonly Action[];
}

const HEAL: Action = { do: 'heal' };

/** Each of them first heals everything. They begin with the leader, if there is one. */
export const TOPOLOGIES: readonly Topology[] = [
  { name: 'Heal everything', says: 'All members hear each other.', make: () => [HEAL] },
  {
    name: 'Halves',
    says: 'Two halves that do not hear each other.',
    make: (order) => split(order, Math.floor(order.length / 2)),
  },
  {
    name: 'Minority',
    says: 'The leader and fewer than half are split from the rest.',
    make: (order) => split(order, order.length - majority(order.length)),
  },
  {
    name: 'Bridge',
    says: 'Two sides, and one member that hears both.',
    make: bridge,
  },
  {
    name: 'Ring of majorities',
    says: 'Every member hears a majority, and no two hear the same one.',
    make: (order) => connectOnly(order, ringOfMajorities),
  },
  {
    name: 'Chain',
    says: 'Every member hears only its two neighbours.',
    make: (order) => connectOnly(order, (i, j) => j - i === 1),
  },
  {
    name: 'Star',
    says: 'One member in the middle hears all; the others hear only it.',
    make: star,
  },
  {
    name: 'Isolate the leader',
    says: 'The leader hears no other member, and none hears it.',
    needsLeader: true,
    make: (order) => split(order, 1),
  },
];

/** The members, beginning with this one. */
export function beginningWith(ids: readonly MemberId[], first: MemberId | null): readonly MemberId[] {
  const at = first === null ? 0 : Math.max(0, ids.indexOf(first));
  return [...ids.slice(at), ...ids.slice(0, at)];
}

function split(order: readonly MemberId[], at: number): readonly Action[] {
  // A side needs at least one member.
  const cut = Math.min(Math.max(at, 1), order.length - 1);
  if (cut < 1) return [HEAL];
  return [HEAL, { do: 'partition', groups: [order.slice(0, cut), order.slice(cut)] }];
}

function bridge(order: readonly MemberId[]): readonly Action[] {
  if (order.length < 3) return [HEAL];
  const middle = Math.floor(order.length / 2);
  const between = order[middle]!;
  const groups = [order.slice(0, middle), [between], order.slice(middle + 1)];
  return [HEAL, { do: 'partition', groups }, { do: 'heal', from: between, to: 'all' }];
}

/** The member after the leader is in the middle. */
function star(order: readonly MemberId[]): readonly Action[] {
  if (order.length < 2) return [HEAL];
  return [...alone(order), { do: 'heal', from: order[1]!, to: 'all' }];
}

function alone(order: readonly MemberId[]): readonly Action[] {
  return [HEAL, { do: 'partition', groups: order.map((id) => [id]) }];
}

/** Uses whichever needs fewer events: cutting links, or cutting all and healing some. */
function connectOnly(
  order: readonly MemberId[],
  connected: (i: number, j: number, n: number) => boolean,
): readonly Action[] {
  const cut: Action[] = [];
  const kept: Action[] = [];
  order.forEach((from, i) => {
    for (let j = i + 1; j < order.length; j++) {
      const to = order[j]!;
      if (connected(i, j, order.length)) kept.push({ do: 'heal', from, to });
      else cut.push({ do: 'cut', from, to });
    }
  });
  return cut.length <= kept.length ? [HEAL, ...cut] : [...alone(order), ...kept];
}
