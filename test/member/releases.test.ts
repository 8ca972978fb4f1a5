/**
 * Members of an earlier release and of this one in one cluster: it is upgraded and downgraded member by member, as an
 * operator would. `npm run verify:versions` does it in every order.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { MemberClient } from '../../src/cli/commands/ask/member-client.ts';
import { examine } from '../../src/cli/commands/doctor/examine.ts';
import { gather } from '../../src/cli/commands/doctor/gather.ts';
import { join } from '../../src/member/index.ts';
import { DiskLab } from '../support/disk-lab.ts';
import { freePorts } from '../support/free-ports.ts';
import { bestGround } from '../support/ground.ts';
import { EarlierRelease, type Order, type Pause, roll } from '../support/rolling.ts';

let earlier: EarlierRelease;
let lab: DiskLab | null = null;

beforeAll(() => {
  earlier = new EarlierRelease();
});
afterAll(() => earlier.remove());
afterEach(() => lab?.close());

const leaderFirst: Order = (ids, leader) => [leader, ...ids.filter((id) => id !== leader)];
const leaderLast: Order = (ids, leader) => [...ids.filter((id) => id !== leader), leader];

describe('members of an earlier release', () => {
  it.each<[what: string, members: number, orders: readonly [Order, Order], pauses: readonly Pause[]]>([
    ['three, the leader last', 3, [leaderLast, leaderLast], ['none', 'bystander', 'leader']],
    ['three, the leader first', 3, [leaderFirst, leaderFirst], ['bystander', 'none', 'leader-briefly']],
    ['five, the leader first and last', 5, [leaderFirst, leaderLast], ['none', 'none', 'bystander']],
  ])('are upgraded one after the other, and downgraded again: %s', async (_, members, orders, pauses) => {
    const { restarts, leaders, changes, allowed } = await roll(earlier, members, orders, pauses, bestGround);
    expect(restarts).toBe(2 * members);
    expect(leaders).toBeGreaterThan(0);
    expect(changes).toBeLessThanOrEqual(allowed);
  });

  it('keep the others from changes that they do not understand, until they are updated', async () => {
    lab = await DiskLab.open(3, true, { timing: { timeoutMs: [4500, 6500] } });
    const [old, ...others] = lab.ids as [string, ...string[]];
    await Promise.all([lab.start(old, { build: earlier.build }), ...others.map((id) => lab!.start(id))]);
    await lab.allSeated(30_000);
    if ((await lab.leader()).id === old) {
      await lab.stop(lab.at(old));
      await lab.startKnown(old, { build: earlier.build });
      await lab.allSeated(30_000);
    }
    const { url } = await lab.leader(30_000);
    const why = `${old} runs an earlier release, which does not understand`;
    expect(await asked(`${url}/pause`, {})).toEqual([
      409,
      expect.stringContaining(`${why} pauses: update ${old} first`),
    ]);
    expect(await asked(`${url}/reconfigure`, { timing: 'wan' })).toEqual([
      409,
      expect.stringContaining(`${why} times that change while the cluster runs: update ${old} first`),
    ]);
    const [port] = await freePorts(1);
    const joiner = {
      id: 'd',
      peers: [],
      join: url,
      listen: { port: port! },
      timing: { timeoutMs: [4500, 6500] },
    };
    const member = await join(joiner);
    try {
      const added = { voterId: 'd', voterUrl: member.url };
      expect(await asked(`${url}/members/add`, added)).toEqual([
        409,
        expect.stringContaining(`${why} members that are added while the cluster runs: update ${old} first`),
      ]);
      await lab.stop(lab.at(old));
      await lab.startKnown(old);
      await lab.allSeated(30_000);
      await expect.poll(() => asked(`${url}/members/add`, added), { timeout: 30_000 }).toEqual([200, '']);
      const timing = { timeoutMs: [5000, 7000] };
      await expect
        .poll(() => asked(`${url}/reconfigure`, { timing }), { timeout: 30_000 })
        .toEqual([200, '']);
    } finally {
      await member.close();
    }
  });

  it('take no part after times were set, which the others and doctor say, until they are updated', async () => {
    lab = await DiskLab.settled(3, true, { timing: { timeoutMs: [4500, 6500] } }, bestGround);
    const { url } = await lab.leader(30_000);
    const timing = { timeoutMs: [5000, 7000] };
    await expect.poll(() => asked(`${url}/reconfigure`, { timing }), { timeout: 30_000 }).toEqual([200, '']);
    const old = (await lab.follower()).id;
    await lab.stop(lab.at(old));
    const back = await lab.start(old, { build: earlier.build });
    const leader = await lab.leader(30_000);
    await lab.until('the leader says it', 30_000, () =>
      leader.log.some((line) =>
        line.includes(`${old} runs an earlier release, which does not understand the times`),
      ),
    );
    const { findings } = examine(await gather([new MemberClient(url, undefined, null, null)]));
    expect(findings).toContainEqual(
      expect.objectContaining({
        kind: 'earlier-release',
        subject: `member ${old}`,
        what: expect.stringContaining('it takes no part'),
      }),
    );
    expect(back.roles.filter((role) => role === 'leader')).toEqual([]);
    await lab.stop(back);
    await lab.startKnown(old);
    await lab.seated(old, 30_000);
    await lab.leader(30_000);
    lab.check();
  });
});

/** The status of the answer, and its words if it is a refusal. */
async function asked(url: string, body: object): Promise<[number, string]> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  const { error } = (await answer.json()) as { error?: { message: string } };
  return [answer.status, error?.message ?? ''];
}
