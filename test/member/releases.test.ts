/**
 * Members of an earlier release and of this one in one cluster: it is upgraded and downgraded member by member, as an
 * operator would. `npm run verify:versions` does it in every order.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EarlierRelease, type Order, type Pause, roll } from '../support/rolling.ts';

let earlier: EarlierRelease;

beforeAll(() => {
  earlier = new EarlierRelease();
});
afterAll(() => earlier.remove());

const leaderFirst: Order = (ids, leader) => [leader, ...ids.filter((id) => id !== leader)];
const leaderLast: Order = (ids, leader) => [...ids.filter((id) => id !== leader), leader];

describe('members of an earlier release', () => {
  it.each<[what: string, members: number, orders: readonly [Order, Order], pauses: readonly Pause[]]>([
    ['three, the leader last', 3, [leaderLast, leaderLast], ['none', 'bystander', 'none', 'none', 'leader']],
    ['three, the leader first', 3, [leaderFirst, leaderFirst], ['bystander', 'none', 'leader-briefly']],
    ['five, the leader first and last', 5, [leaderFirst, leaderLast], ['none', 'none', 'bystander']],
  ])('are upgraded one after the other, and downgraded again: %s', async (_, members, orders, pauses) => {
    const { restarts, leaders, changes, allowed } = await roll(earlier, members, orders, pauses);
    expect(restarts).toBe(2 * members);
    expect(leaders).toBeGreaterThan(0);
    expect(changes).toBeLessThanOrEqual(allowed);
  });
});
