/** The timing of a cluster of real members is changed while it runs, by the library and over HTTP. */
import { afterEach, describe, expect, it } from 'vitest';
import type { SetTimes } from '../../src/core/index.ts';
import type { Member } from '../../src/member/index.ts';
import { readOptions } from '../../src/member/options.ts';
import { slowLinks } from '../../src/member/retiming.ts';
import { Cluster } from '../support/cluster.ts';

const CONFIGURED = 'steady, timeoutMs [4500,6500]';
const LAST = 'steady, heartbeatMs 1500, timeoutMs [6000,9000], leaseMs 4800';

let cluster: Cluster | null = null;

afterEach(async () => {
  await cluster?.close();
  cluster = null;
});

async function start(): Promise<Member> {
  // Leases that survive a stall of some seconds.
  const timing = { timeoutMs: [4500, 6500] };
  cluster = await Cluster.start(['a', 'b', 'c'], { keeps: true, options: { preset: 'steady' }, timing });
  for (const member of cluster.members)
    for (const election of ['main', 'jobs']) member.seat(election).stand();
  await cluster.leader('jobs');
  return cluster.leader();
}

const timingOf = (member: Member): string => member.membership!.timing.words;
const post = (member: Member, body: object, token = ''): Promise<Response> =>
  fetch(`${member.url}/reconfigure`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
  });

describe('the timing of real members', () => {
  it('is changed by the leader, kept across restarts, and followed by other elections', async () => {
    const leader = await start();
    const other = cluster!.members.find((member) => member !== leader)!;
    expect(leader.membership!.timing).toMatchObject({ words: CONFIGURED, isSet: false, difference: null });
    expect(await other.membership!.reconfigure({ timing: 'wan' })).toMatchObject({
      status: 'refused',
      reason: `${leader.id} is the leader`,
    });
    const token = leader.electionPort('main').token;
    const timing = { timeoutMs: [6000, 9000] };
    expect(await leader.membership!.reconfigure({ timing })).toEqual({ status: 'done' });
    const words = 'steady, timeoutMs [6000,9000]';
    await cluster!.until(() => cluster!.members.every((member) => timingOf(member) === words));
    expect(leader.membership!.timing).toMatchObject({
      isSet: true,
      times: { timeoutMs: [6000, 9000], leaseMs: 5000, heartbeatMs: 2000 },
    });
    expect(leader.membership!.difference).toContain(`this member is configured with ${CONFIGURED}`);
    const pending = (): readonly string[] =>
      cluster!.members.flatMap((member) =>
        ['main', 'jobs'].flatMap((election) => member.membership!.pendingIn(election)),
      );
    while (pending().length > 0) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(leader.electionPort('main').token).toBe(token);

    // Single times replace what holds, and the others stay.
    const answer = await post(leader, { timing: { heartbeatMs: 1500, leaseMs: 4800 } });
    expect(await answer.json()).toMatchObject({ timing: { words: LAST, set: true } });

    const { id } = other;
    await cluster!.leave(id);
    const again = await cluster!.join(id, { options: { preset: 'wan' }, timing: {} });
    expect(timingOf(again)).toBe(LAST);
    expect(again.membership!.difference).toContain('this member is configured with wan');
  });

  it('comes with options, which also members get that were away and are configured otherwise', async () => {
    const leader = await start();
    const { id } = cluster!.members.find((member) => member !== leader)!;
    await cluster!.leave(id);
    expect(await leader.membership!.reconfigure({ options: { maxDrift: 0.05 } })).toEqual({ status: 'done' });
    const words = `${CONFIGURED}, maxDrift 0.05`;
    expect(timingOf(leader)).toBe(words);
    expect(leader.membership!.difference).toContain(`this member is configured with ${CONFIGURED};`);
    const again = await cluster!.join(id, { options: { preset: 'steady', maxDrift: 0.2 } });
    await cluster!.until(() => timingOf(again) === words);
    expect(again.membership!.difference).toContain(`configured with ${CONFIGURED}, maxDrift 0.2;`);
    const answer = await post(leader, { options: { maxDrift: null } });
    expect(await answer.json()).toMatchObject({ timing: { words: CONFIGURED, set: true } });
  });

  it('is not changed to what cannot be used, nor by a client that may not', async () => {
    const leader = await start();
    for (const [timing, words] of [
      ['LAN', /^timing: expected "steady" or "lan" or "wan" or "fast" or "default", found "LAN"$/],
      [{ leaseMs: 4500 }, /^timing.leaseMs: .*4500 with a timeout from 4500: members would ask/],
      [{ timeoutMs: [200_000, 300_000] }, /^timing.leaseMs: .* lasts at most 60000 ms$/],
      [{ heartbeatMs: 3740 }, /^timing.heartbeatMs: .* it would end before it can be renewed$/],
      [{ heartbeatMs: 0 }, /^timing.heartbeatMs: expected/],
      [{ pace: 1 }, /^timing.pace: expected one of the fields heartbeatMs, timeoutMs/],
      [{}, /^timing: expected a preset, or one or more times, found \{\}$/],
      [7, /^timing: expected an object, found 7$/],
    ] as const) {
      const answer = await post(leader, { timing });
      expect(answer.status).toBe(400);
      expect(((await answer.json()) as { error: { message: string } }).error.message).toMatch(words);
    }
    const token = 'x'.repeat(40);
    leader.setTokens([{ name: 'alice', roles: ['read'], token }]);
    expect((await post(leader, { timing: 'wan' })).status).toBe(403);
    expect((await post(leader, { timing: 'wan' }, token)).status).toBe(403);
    expect(timingOf(leader)).toBe(CONFIGURED);
  });
});

describe('times that cannot work', async () => {
  const settled = await readOptions({ id: 'a', listen: { port: 0 }, peers: [] });
  const changed = (timing: unknown): SetTimes =>
    settled.definition.retiming!.change(settled.config, null, { timing });

  it.each([
    [{ heartbeatMs: 0.001 }, 'timing.heartbeatMs'],
    [{ timeoutMs: [0.5, 1] }, 'timing.'],
    [{ commitTimeoutMs: 1 }, 'timing.commitTimeoutMs'],
    [{ leaseMs: 100_000, timeoutMs: [150_000, 200_000] }, 'timing.leaseMs'],
  ])('are refused: %j', (timing, path) => {
    expect(() => changed(timing)).toThrow(path);
  });

  it('are those that are shorter than a round trip to another member', () => {
    const links = [
      { id: 'b', roundTripMs: 1 },
      { id: 'c', roundTripMs: 31 },
      { id: 'd', roundTripMs: null },
    ];
    expect(slowLinks(settled, changed('lan'), links)).toBeNull();
    expect(slowLinks(settled, changed('fast'), links)).toBe(
      'the times are too short for the round trips to the other members (c: 31.0 ms): the shortest time-out or lease is 12 ms',
    );
  });
});
