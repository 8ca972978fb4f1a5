/** Three candidates of any kind on the loopback, to which the same is done. */
import type { Blow, Cost } from './candidates.ts';

export interface Rivals {
  /** How long it took until the next one acted, in ms. Infinity: not within the limit. */
  trial(blow: Blow, limitMs?: number): Promise<{ readonly ms: number }>;
  /** What each of the three costs at rest, by role; and the server that they need, if they need one. */
  rest(seconds: number): Promise<Rest>;
  close(): void | Promise<void>;
}

export interface Rest {
  readonly leader: Cost;
  /** The mean of the others. */
  readonly follower: Cost;
  readonly server: Cost | null;
}

/** Of costs by id: that of the leader, and the mean of the others. */
export function byRole(costs: ReadonlyMap<number, Cost>, leader: number): Pick<Rest, 'leader' | 'follower'> {
  const others = [...costs].filter(([id]) => id !== leader).map(([, cost]) => cost);
  const mean = (field: keyof Cost): number =>
    others.reduce((sum, cost) => sum + cost[field], 0) / others.length;
  return {
    leader: costs.get(leader)!,
    follower: {
      cpuMs: mean('cpuMs'),
      rssMb: mean('rssMb'),
      messages: mean('messages'),
      bytes: mean('bytes'),
    },
  };
}
