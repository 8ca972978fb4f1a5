/** A member in a thread of its own keeps its leaderships while the main thread is busy, and not for longer than is allowed. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type IsolatedMember, join } from '../../src/index.ts';
import { aborted } from '../election/support.ts';
import { keepsThrough, losesBefore, StallLab } from '../support/stall-lab.ts';

const ROUNDS = [1, 2];

describe('a main thread that may be busy for 4 s', () => {
  let lab: StallLab;
  beforeAll(async () => {
    lab = await StallLab.open(4000);
  }, 120_000);
  afterAll(() => lab.close());

  it.each(ROUNDS)('is busy for 2 s, and leads on (%d)', { timeout: 60_000 }, async () => {
    expect(await keepsThrough(lab, 2000)).toBeNull();
  });
});

describe('a main thread that may be busy for 1 s', () => {
  let lab: StallLab;
  beforeAll(async () => {
    lab = await StallLab.open(1000);
  }, 120_000);
  afterAll(() => lab.close());

  it.each(ROUNDS)(
    'is busy until another leads, and could not act by then (%d)',
    { timeout: 60_000 },
    async () => {
      expect(await losesBefore(lab, 3000)).toBeNull();
    },
  );
});

describe('an isolated member', () => {
  let member: IsolatedMember;
  beforeAll(async () => {
    member = await join({ id: 'a', peers: [], isolate: true });
  }, 120_000);
  afterAll(() => member.close());

  it('has elections as every member has', { timeout: 60_000 }, async () => {
    const election = member.election('report');
    expect(member.election('report')).toBe(election);
    const led = election.lead(async ({ publish, expiresInMs }) => {
      expect(expiresInMs).toBeGreaterThan(0);
      return publish({ done: 1 });
    });
    expect(await led).toBeGreaterThan(0);
    await vi.waitFor(() => expect(election.value).toEqual({ done: 1 }));
    await expect(election.publish(2)).rejects.toMatchObject({ code: 'E_NOT_LEADER' });
    await using leadership = await election.campaign();
    await expect(leadership.transfer('b')).rejects.toMatchObject({ code: 'E_REFUSED' });
    await election.close();
    const again = member.election('report');
    expect(again).not.toBe(election);
    await (await again.campaign()).resign();
  });

  it('stops the work before a command of an operator ends its leadership', { timeout: 60_000 }, async () => {
    const order: string[] = [];
    const stop = new AbortController();
    const led = member.election().lead(
      async ({ signal }) => {
        const resigned = fetch(`${member.url}/resign`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: '{}',
        });
        void resigned.then(({ status }) => {
          order.push(`answered ${status}`);
          stop.abort();
        });
        await aborted(signal);
        await new Promise((later) => setTimeout(later, 50));
        order.push('stopped');
      },
      { signal: stop.signal },
    );
    expect(await led).toBe(undefined);
    expect(order.slice(0, 2)).toEqual(['stopped', 'answered 200']);
  });

  it('sets other times and options of its cluster', { timeout: 60_000 }, async () => {
    const stop = new AbortController();
    const led = member.election().lead(({ signal }) => aborted(signal), { signal: stop.signal });
    const asked = { timing: { timeoutMs: [2000, 3000] }, options: { maxDrift: 0.02 } } as const;
    await vi.waitFor(
      async () => expect(await member.membership.reconfigure(asked)).toEqual({ status: 'done' }),
      { timeout: 30_000 },
    );
    const { timing } = (await (await fetch(`${member.url}/status`)).json()) as { timing: string };
    expect(timing).toBe('steady, timeoutMs [2000,3000], maxDrift 0.02');
    await expect(member.membership.reconfigure({ timing: 'LAN' as 'lan' })).rejects.toMatchObject({
      path: 'timing',
    });
    await expect(member.membership.reconfigure({ options: { quorum: 1 } as object })).rejects.toMatchObject({
      expected: 'maxDrift or preferAfter, which can be changed while the cluster runs',
    });
    await member.membership.drain(true);
    await member.membership.drain(false);
    stop.abort();
    await led.catch(() => {});
  });

  it('refuses what a member refuses, and what cannot be had in another thread', {
    timeout: 60_000,
  }, async () => {
    await expect(join({ isolate: true, peers: [], priority: 0 })).rejects.toMatchObject({ path: 'priority' });
    await expect(join({ isolate: true, maxStallMs: 1 })).rejects.toMatchObject({ path: 'maxStallMs' });
    const mounted = { isolate: true, mounted: true, url: 'http://127.0.0.1:1' } as const;
    await expect(join(mounted as never)).rejects.toMatchObject({ path: 'mounted' });
  });
});
