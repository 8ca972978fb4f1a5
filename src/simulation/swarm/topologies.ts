import { type MemberId, majority, type Random } from '../../core/index.ts';
import type { Action } from '../scenario.ts';

/** Ways to split a network, each of which has broken some election protocol. */
export function drawTopology(ids: readonly MemberId[], random: Random): readonly Action[] {
  const order = shuffled(ids, random);
  const half = Math.floor(order.length / 2);
  switch (random.below(9)) {
    case 0:
      return [{ do: 'partition', groups: [['leader'], ['followers']] }];
    case 1:
      return [{ do: 'cut', from: 'leader', to: 'followers', oneWay: true }];
    case 2:
      return [{ do: 'cut', from: 'followers', to: 'leader', oneWay: true }];
    case 3:
      return bridge(order, half);
    case 4:
      return connectOnly(order, ringOfMajorities);
    case 5:
      return connectOnly(order, (i, j) => j - i === 1); // A chain.
    case 6:
      return connectOnly(order, (i) => i === 0); // A star.
    default: {
      const at = random.chance(0.5) ? half : random.between(1, Math.max(1, order.length - 1));
      return [{ do: 'partition', groups: [order.slice(0, at), order.slice(at)] }];
    }
  }
}

function shuffled<T>(items: readonly T[], random: Random): T[] {
  const result = [...items];
  for (let i = result.length - 1; i > 0; i--) {
    const j = random.below(i + 1);
    [result[i], result[j]] = [result[j]!, result[i]!];
  }
  return result;
}

/** Two sides, and one member that hears both. */
function bridge(order: readonly MemberId[], half: number): readonly Action[] {
  const [left, right] = [order.slice(0, half + 1), order.slice(half + 1)];
  const between = left.at(-1)!;
  const healed = right.map((to): Action => ({ do: 'heal', from: between, to }));
  return [{ do: 'partition', groups: [left, right] }, ...healed];
}

/** Every member hears a majority, and no two hear the same one. */
export function ringOfMajorities(i: number, j: number, n: number): boolean {
  const apart = Math.min(j - i, n - (j - i));
  return apart <= Math.ceil((majority(n) - 1) / 2);
}

/** Cuts every link but those between the i-th and a later j-th member that are connected. */
function connectOnly(
  order: readonly MemberId[],
  connected: (i: number, j: number, n: number) => boolean,
): readonly Action[] {
  const cuts: Action[] = [];
  order.forEach((from, i) => {
    order.slice(i + 1).forEach((to, k) => {
      if (!connected(i, i + 1 + k, order.length)) cuts.push({ do: 'cut', from, to });
    });
  });
  return cuts;
}
