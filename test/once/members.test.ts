/** `once` among real members: the record is in their register, and their HTTP API tells of it. */
import { afterEach, describe, expect, it } from 'vitest';
import { ElectionCoordinator } from '../../src/adapters/node-cron/index.ts';
import { Election, type OnceWork } from '../../src/election/index.ts';
import { Cluster } from '../support/cluster.ts';

let cluster: Cluster | null = null;
afterEach(async () => cluster?.close());

describe('once among members', () => {
  it('does the work on one of three, and again on another when the first is gone', async () => {
    // The usual lease: a shorter one is lost on a busy machine, and then work begins again.
    cluster = await Cluster.start(['a', 'b', 'c'], { options: {} });
    const members = ['a', 'b', 'c'].map((id) => cluster!.member(id));
    const elections = members.map((member) => member.election('nightly'));
    const began: string[] = [];
    const work: OnceWork<void> = ({ occasion }) => void began.push(String(occasion));
    for (let occasion = 1; occasion <= 3; occasion++) {
      const ends = await Promise.all(elections.map((each) => each.once(occasion, work)));
      expect(ends.map(({ outcome }) => outcome).sort()).toEqual(['already-done', 'already-done', 'done']);
    }
    expect(began).toEqual(['1', '2', '3']);

    const answer = await fetch(`${members[1]!.url}/elections/nightly/runs`);
    expect(await answer.json()).toMatchObject({
      electionName: 'nightly',
      runs: [1, 2, 3].map((occasion) => ({ occasion, series: 'main', outcome: 'done' })),
      open: [],
    });

    let isCut = (): void => {};
    const cut = new Promise<void>((resolve) => {
      isCut = resolve;
    });
    const first = elections[0]!.once(4, async ({ signal }) => {
      isCut();
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      throw signal.reason;
    });
    const told = expect(first).rejects.toMatchObject({ code: 'E_CLOSED' });
    await cut;
    const put = await fetch(`${members[0]!.url}/elections/nightly/value`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: '{"value":"mine"}',
    });
    expect([put.status, await put.text()]).toEqual([
      409,
      expect.stringContaining('nightly records occasions'),
    ]);
    const next = elections[1]!.once(4, work);
    await members[0]!.close();
    await told;
    expect(await next).toMatchObject({ outcome: 'done', by: 'b' });
    expect((await next).run.attempt).toBeGreaterThan(1);
  });

  it('does the work once also for several calls and several Election objects of one member', async () => {
    cluster = await Cluster.start(['a', 'b', 'c'], { options: {} });
    const member = cluster.member('a');
    const [one, other] = [member.election('nightly'), new Election('nightly', member)];
    let began = 0;
    const work: OnceWork<void> = () => void began++;
    const ends = await Promise.all([one, other, one].map((each) => each.once(1, work)));
    expect(ends.map(({ outcome }) => outcome).sort()).toEqual(['already-done', 'already-done', 'done']);
    expect(began).toBe(1);
    const series = ['x', 'y'] as const;
    await Promise.all(series.map((name, i) => [one, other][i]!.once(1, work, { series: name })));
    expect(one.runs.runs.map((run) => run.series).sort()).toEqual(['main', 'x', 'y']);
  });

  it('ends a replica of node-cron whose run no majority is left to record', { timeout: 60_000 }, async () => {
    cluster = await Cluster.start(['a', 'b', 'c'], { options: {} });
    const shutdown = new AbortController();
    const { signal } = shutdown;
    const election = new Election('nightly', cluster.member('a'));
    const coordinator = new ElectionCoordinator(election, { signal, drainMs: 2000 });
    const key = 'report:2026-11-16T03:00:00.000Z';
    expect(await coordinator.shouldRun(key, 1000)).toBe(true);
    const next = coordinator.shouldRun('report:2026-11-16T03:00:01.000Z', 1000);
    await Promise.all(['b', 'c'].map((id) => cluster!.member(id).close()));
    shutdown.abort();
    await coordinator.onComplete(key); // In the time of its lease, and `drainMs`, not when a majority is back.
    expect(await next).toBe(false);
    expect(election.runs.runs).toEqual([]);
    await cluster.member('a').close();
  });

  it('refuses protocols that cannot record', async () => {
    cluster = await Cluster.start(['a', 'b', 'c'], { protocol: 'bully' });
    await expect(
      cluster
        .member('a')
        .election('nightly')
        .once(1, () => {}),
    ).rejects.toMatchObject({
      code: 'E_UNSUPPORTED',
      message: 'the protocol of this election cannot record occasions: use quorum',
    });
  });
});
