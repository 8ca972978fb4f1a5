/** Members are added and removed while one of them is down, and it finds the leader when it is back. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Outcome } from '../../src/core/index.ts';
import type { Member } from '../../src/member/index.ts';
import { Cluster } from '../support/cluster.ts';

let cluster: Cluster;

beforeAll(async () => {
  cluster = await Cluster.open(['a', 'b', 'c', 'd'], { keeps: true, options: { preset: 'steady' } });
  await Promise.all(['a', 'b'].map(async (id) => (await founder(id)).seat().stand()));
  await founder('c');
  await cluster.until(() => cluster.member('c').membership!.members);
}, 60_000);

afterAll(() => cluster.close());

const founder = (id: string): Promise<Member> => cluster.join(id, { peers: cluster.peers.slice(0, 3) });

const urlOf = (id: string): string => cluster.peers.find((peer) => peer.id === id)!.url;

const acting = (): Promise<Member> => cluster.until(() => cluster.acting()[0]);

/** A change is refused until all have answered a new leader. */
async function done(change: (leader: Member) => Promise<Outcome>): Promise<void> {
  await expect.poll(async () => (await change(await acting())).status, { timeout: 30_000 }).toBe('done');
}

const transferTo = (to: string): Promise<void> =>
  done((leader) =>
    leader.id === to
      ? Promise.resolve({ status: 'done' })
      : leader.electionPort('main').command({ type: 'transfer', to }),
  );

/** It hears the leader itself, and knows it as a member. */
const hears = (leader: string): Promise<true> =>
  cluster.until(() => {
    const { members, leader: heard } = cluster.member('c').membership!;
    return (heard === leader && members?.some(({ id }) => id === leader)) || null;
  });

describe('a member that was down, and stands for nothing', () => {
  it('finds a leader that was added meanwhile', async () => {
    await cluster.leave('c');
    const d = await cluster.join('d', { peers: [], join: urlOf('a') });
    d.seat().stand();
    await done((leader) => leader.membership!.add({ id: 'd', url: urlOf('d') }));
    await transferTo('d');
    await founder('c');
    await hears('d');
    expect(cluster.acting()[0]?.id).toBe('d');
  }, 60_000);

  it('finds one that it knows as removed, and that was added again', async () => {
    await transferTo('a');
    await done((leader) => leader.membership!.remove('d', false));
    await cluster.until(() => cluster.member('c').membership!.removed.includes('d'));
    await cluster.leave('c');
    await done((leader) => leader.membership!.add({ id: 'd', url: urlOf('d') }));
    await transferTo('d');
    const c = await founder('c');
    await hears('d');
    expect(c.membership!.removed).toEqual([]);
    expect(cluster.acting()[0]?.id).toBe('d');
  }, 60_000);
});
