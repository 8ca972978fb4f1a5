/** What real members say of the end of a leadership under which a program works. */
import { afterEach, describe, expect, it } from 'vitest';
import type { Change, Member } from '../../src/member/index.ts';
import { Cluster } from '../support/cluster.ts';

const TIMING = { heartbeatMs: 50, timeoutMs: [700, 900], leaseMs: 600 } as const;

let cluster: Cluster | null = null;
afterEach(async () => {
  await cluster?.close();
  cluster = null;
});

async function startThree(): Promise<[Member, Member, Member]> {
  cluster = await Cluster.start(['a', 'b', 'c'], { timing: TIMING });
  return cluster.members as [Member, Member, Member];
}

const untilLost = ({ signal }: { signal: AbortSignal }): Promise<void> =>
  new Promise((stop) => signal.addEventListener('abort', () => stop(), { once: true }));

/** Leads until it is lost; a later leadership does nothing. Settles once it leads, with how to see what came after. */
async function lead(member: Member): Promise<() => readonly Change[]> {
  const port = member.electionPort('main');
  await new Promise<void>((begun) => {
    const work = (leadership: { signal: AbortSignal }): Promise<void> => {
      begun();
      return untilLost(leadership);
    };
    member
      .election()
      .lead(work)
      .catch(() => {});
  });
  const last = port.history.at(-1)!;
  return () => port.history.slice(port.history.indexOf(last) + 1);
}

describe('a leader', () => {
  it('whose followers are gone has lost its lease: nobody asked it to resign', async () => {
    const [a] = await startThree();
    const since = await lead(a);
    await Promise.all(['b', 'c'].map((id) => cluster!.leave(id)));
    await cluster!.until(() => a.electionPort('main').view.role !== 'leader');
    expect(since()).toHaveLength(1);
    expect(since()[0]).toMatchObject({ leader: null, cause: 'lease-expired' });
  });

  it('whose event loop was blocked says so, and only that', async () => {
    const [a] = await startThree();
    const since = await lead(a);
    const untilMs = performance.now() + 2 * TIMING.leaseMs;
    while (performance.now() < untilMs);
    await cluster!.until(() => since().some(({ cause }) => cause === 'won'));
    const losses = since().filter(({ leader }) => leader === null);
    expect(losses.map(({ cause }) => cause)).toEqual(['event-loop-blocked']);
  });

  it('whose work is done says that', async () => {
    const [a] = await startThree();
    const port = a.electionPort('main');
    await a.election().lead(() => 'done');
    expect(port.history.at(-1)).toMatchObject({
      leader: null,
      cause: 'resigned',
      detail: 'a resigned: its work is done',
    });
  });

  it('that gives up for a reason of its own says that', async () => {
    const [a] = await startThree();
    const port = a.electionPort('main');
    const leadership = await a.election().campaign();
    const why = { cause: 'lease-expired', detail: 'its lease was not renewed in time' } as const;
    await leadership.resign(why);
    expect(port.history.at(-1)).toMatchObject({
      leader: null,
      cause: 'lease-expired',
      detail: 'a stopped leading: its lease was not renewed in time',
    });
  });

  it('that is asked to resign says that', async () => {
    const [a] = await startThree();
    const since = await lead(a);
    await a.electionPort('main').command({ type: 'resign' });
    expect(since()[0]).toMatchObject({
      cause: 'resigned',
      detail: 'a resigned: its resignation was requested',
    });
  });
});

describe('three members tell one event with one cause', () => {
  const ENDINGS = [
    ['its work is done', undefined, 'resigned: a resigned: its work is done'],
    [
      'its lease was not renewed in time',
      { cause: 'lease-expired', detail: 'its lease was not renewed in time' },
      'lease-expired: a stopped leading: its lease was not renewed in time',
    ],
  ] as const;

  it.each(ENDINGS)('the leader gives up because %s', async (_, why, told) => {
    const members = await startThree();
    const leadership = await members[0].election().campaign();
    const ports = members.map((member) => member.electionPort('main'));
    await cluster!.until(() => ports.every(({ view }) => view.leader === 'a'));
    for (const member of members.slice(1))
      void member
        .election()
        .lead(untilLost)
        .catch(() => {});
    const before = ports.map(({ history }) => history.length);
    await leadership.resign(why);
    await cluster!.until(() => ports.every(({ view }) => view.leader !== null && view.leader !== 'a'));
    const losses = ports.map(({ history }, i) =>
      history
        .slice(before[i])
        .filter(({ leader }) => leader === null)
        .map(({ cause, detail }) => `${cause}: ${detail}`),
    );
    expect(losses).toEqual([[told], [told], [told]]);
    for (const { url } of members) {
      const text = await (await fetch(new URL('/metrics', url))).text();
      const counted = text.split('\n').filter((line) => line.includes(`cause="${told.split(':')[0]}"`));
      expect(counted).toEqual([expect.stringMatching(/ 1$/)]);
      expect(text).not.toContain('cause="transferred"');
    }
  });
});
