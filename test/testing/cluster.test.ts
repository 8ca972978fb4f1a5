/** The kit with which users test their own failover. */
import { describe, expect, it } from 'vitest';
import type { LeadershipLost } from '../../src/election/index.ts';
import { catalogue } from '../../src/protocols/index.ts';
import { type TestCluster, type TestProcess, testCluster } from '../../src/testing/index.ts';

/** Works every 10 ms for as long as it leads, and writes down who worked with which token. */
function worker(log: string[]) {
  return ({ election, sleep, name }: TestProcess): Promise<void> =>
    election.lead(async ({ token, signal, assert }) => {
      for (;;) {
        assert();
        log.push(`${name}/${token}`);
        await sleep(10, { signal });
      }
    });
}

const leads = (cluster: TestCluster) => () => cluster.leader !== null;

describe('testCluster', () => {
  it('elects one that works, and another when it crashes, without any real time', async () => {
    const log: string[] = [];
    const cluster = await testCluster({ run: worker(log) });
    expect([cluster.nowMs, cluster.leader, cluster.ids]).toEqual([0, null, [1, 2, 3]]);
    await cluster.until(() => log.length > 10);
    const first = cluster.leader!;
    cluster.crash(first);
    const before = log.length;
    await cluster.until(() => log.length > before + 10);
    expect(cluster.leader).not.toBe(first);
    expect(log.slice(before).every((line) => !line.startsWith(`${first}/`))).toBe(true);
    expect(cluster.isUp(first)).toBe(false);
    expect(() => cluster.process(first)).toThrow(`member ${first} does not run`);
    cluster.restart(first);
    await cluster.advance(5000);
    expect(cluster.isUp(first)).toBe(true);
    expect(cluster.violations).toEqual([]);
    await cluster.close();
  });

  it('gives the same history for the same seed, and another for another', async () => {
    const play = async (seed: number): Promise<string> => {
      const log: string[] = [];
      await using cluster = await testCluster({
        seed,
        members: 5,
        network: { latencyMs: [1, 20], loss: 0.05 },
        run: worker(log),
      });
      await cluster.until(leads(cluster));
      cluster.crash('leader');
      await cluster.advance(1000);
      cluster.pause('leader');
      await cluster.advance(1000);
      cluster.resume('all');
      cluster.restart('all');
      await cluster.advance(1000);
      const history = cluster.history.map(({ atMs, leader, token }) => `${atMs} ${leader} ${token}`);
      return [...log, ...history, cluster.hash].join('\n');
    };
    const once = await play(7);
    expect(once.split('\n').length).toBeGreaterThan(100);
    expect(await play(7)).toBe(once);
    expect(await play(8)).not.toBe(once);
  });

  it('never lets two act, and tokens only grow, whatever is done to it', async () => {
    for (let seed = 1; seed <= 8; seed++) {
      const tokens: bigint[] = [];
      const running = new Set<string>();
      const cluster = await testCluster({
        seed,
        members: 5,
        options: { preset: 'lan' },
        run: ({ election, sleep, name }) =>
          election.lead(async ({ token, signal, isValid }) => {
            running.add(name);
            tokens.push(token);
            while (isValid()) {
              expect(cluster.acting).toEqual([Number(name)]);
              await sleep(7, { signal });
            }
            running.delete(name);
          }),
      });
      for (let round = 0; round < 8; round++) {
        await cluster.until(leads(cluster));
        const leader = cluster.leader!;
        if (round % 4 === 0) cluster.crash('leader');
        if (round % 4 === 1) cluster.pause('leader');
        if (round % 4 === 2)
          cluster.partition(
            [leader],
            cluster.ids.filter((id) => id !== leader),
          );
        if (round % 4 === 3) void cluster.election(leader).resign();
        await cluster.advance(700);
        cluster.heal();
        cluster.resume('all');
        cluster.restart('all');
        await cluster.advance(300);
      }
      expect(tokens.length).toBeGreaterThan(8);
      expect(tokens).toEqual([...new Set(tokens)].sort((a, b) => (a < b ? -1 : 1)));
      expect(cluster.violations).toEqual([]);
      await cluster.close();
    }
  });

  it('tells a stopped leader first thing when it goes on that it is none', async () => {
    let reason: LeadershipLost | null = null;
    const cluster = await testCluster({
      run: ({ election, sleep }) =>
        election.lead(async ({ signal }) => {
          signal.addEventListener('abort', () => {
            reason ??= signal.reason as LeadershipLost;
          });
          for (;;) await sleep(5, { signal });
        }),
    });
    await cluster.until(leads(cluster));
    await cluster.advance(500);
    const old = cluster.leader!;
    cluster.pause(old);
    await cluster.until(() => cluster.leader !== null && cluster.leader !== old);
    await cluster.advance(4000);
    expect(reason).toBeNull();
    expect(cluster.election(old).leader()).toBeNull();
    cluster.resume(old);
    expect(reason).toMatchObject({ cause: 'event-loop-blocked' });
    expect(reason!.detail).toMatch(/the event loop was blocked for [4-5]\.\d s/);
    await cluster.close();
  });

  it('lets members campaign, hand over, publish and observe by hand', async () => {
    const cluster = await testCluster({ members: ['a', 'b', 'c'], election: 'report' });
    await cluster.advance(2000);
    expect(cluster.leader).toBeNull(); // Nobody stands.
    const [a, b] = [cluster.election('a'), cluster.election('b')];
    const seen: [string | null, number][] = [];
    const reading = (async () => {
      for await (const { leader, version } of b.observe()) seen.push([leader, version]);
    })();
    const leadership = await cluster.when(a.campaign());
    expect(a.leader()).toEqual({ name: 'a', token: leadership.token });
    expect(await cluster.when(leadership.publish({ url: 'http://a' }))).toBe(1);
    await cluster.until(() => b.version > 0);
    expect(b.value).toEqual({ url: 'http://a' });
    await expect(b.publish(1)).rejects.toMatchObject({ code: 'E_NOT_LEADER' });

    const next = b.campaign();
    await cluster.advance(1000); // The leader hears that b wants to.
    await cluster.when(leadership.transfer('b'));
    const successor = await cluster.when(next);
    expect(successor.token).toBeGreaterThan(leadership.token);
    expect(leadership.lost).toMatchObject({ cause: 'transferred' });
    for (const bad of ['x', 'b', 'c']) {
      await expect(cluster.when(successor.transfer(bad))).rejects.toMatchObject({ code: 'E_REFUSED' });
      expect(successor.isValid()).toBe(true); // Nothing was stopped for it.
    }
    await cluster.when(successor.resign());
    await cluster.advance(2000);
    expect(cluster.leader).toBeNull(); // Nobody stands any more.
    await cluster.close();
    await reading;
    expect(seen).toEqual([
      [null, 0],
      ['a', 0],
      ['a', 1],
      [null, 1],
      ['b', 1],
      [null, 1],
    ]);
  });

  it('lets a leader that is cut off stop by itself before another begins', async () => {
    const log: string[] = [];
    const cluster = await testCluster({ run: worker(log) });
    await cluster.until(() => log.length > 0);
    const old = cluster.leader!;
    cluster.partition(
      [old],
      cluster.ids.filter((id) => id !== old),
    );
    await cluster.until(() => cluster.leader !== null && cluster.leader !== old);
    const [lost, won] = cluster.history.slice(-2);
    expect([lost!.leader, won!.leader]).toEqual([null, String(cluster.leader)]);
    expect(won!.atMs).toBeGreaterThan(lost!.atMs);
    await cluster.close();
  });

  it.each(Object.keys(catalogue))('plays %s', async (protocol) => {
    const log: string[] = [];
    const cluster = await testCluster({ protocol, members: 5, run: worker(log) });
    await cluster.until(() => log.length > 5);
    const old = cluster.leader!;
    cluster.crash(old);
    await cluster.until(
      () => cluster.leader !== null && log.at(-1)!.startsWith(`${cluster.leader}/`) && cluster.leader !== old,
    );
    await cluster.close();
  });

  it('rejects when the program under test fails, and when what one waits for does not come', async () => {
    const failing = await testCluster({
      run: ({ election }) =>
        election.lead(() => {
          throw new Error('a bug in the program');
        }),
    });
    await expect(failing.advance(5000)).rejects.toThrow('a bug in the program');
    await failing.close();

    const idle = await testCluster({ seed: 5 });
    await expect(idle.until(leads(idle), { withinMs: 1000 })).rejects.toMatchObject({
      code: 'E_TIMEOUT',
      message: 'the condition did not hold within 1000 ms of virtual time (seed 5, there is no leader)',
    });
    const first = idle.advance(10);
    await expect(idle.advance(10)).rejects.toMatchObject({ code: 'E_REFUSED' });
    await first;
    expect(() => idle.process(9)).toThrow('expected one of 1, 2, 3, found 9');
    await idle.close();
  });
});
