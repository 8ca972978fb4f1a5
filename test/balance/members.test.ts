/** Real members of one process that balance their elections. */
import { afterEach, describe, expect, it } from 'vitest';
import { deferred } from '../../src/election/deferred.ts';
import { join, type Member } from '../../src/member/index.ts';
import { Cluster } from '../support/cluster.ts';
import { spreadOf } from './evenness.ts';

const NAMES = Array.from({ length: 9 }, (_, i) => `job-${i}`);
// A longer lease than usual: the members share this process, and a short one is lost on a busy machine.
const PATIENT = { options: {}, timing: { timeoutMs: [3000, 6000] } } as const;

const clusters: Cluster[] = [];
afterEach(async () => {
  for (const cluster of clusters.splice(0)) await cluster.close();
});

async function open(ids: readonly string[]): Promise<Cluster> {
  const cluster = await Cluster.open(ids, { ...PATIENT, balance: true });
  clusters.push(cluster);
  return cluster;
}

/** Stands until the member is closed. */
function stand(member: Member, names: readonly string[]): void {
  for (const name of names) {
    const election = member.election(name);
    election.lead(({ ended }) => ended).catch(() => {});
  }
}

const countOf = (member: Member, names: readonly string[] = NAMES): number =>
  member.elections.filter(({ name, acting }) => acting && names.includes(name)).length;

const countsIn = (cluster: Cluster): number[] => cluster.members.map((member) => countOf(member));

const transfersIn = (cluster: Cluster): string[] =>
  cluster.log.filter((line) => line.includes('transferred to') && line.includes('for balance'));

describe('members that balance their elections', () => {
  it('share what the first of them led, and give a member that comes back its part', async () => {
    const cluster = await open(['a', 'b', 'c']);
    const [a, b, c] = await Promise.all(cluster.ids.map((id) => cluster.join(id)));
    stand(a!, NAMES);
    await cluster.until(() => countOf(a!) === 9);
    stand(b!, NAMES);
    stand(c!, NAMES);
    await cluster.until(() => spreadOf(countsIn(cluster)) === 0);
    await cluster.until(() => transfersIn(cluster).length === 6);
    expect(countsIn(cluster)).toEqual([3, 3, 3]);
    expect(transfersIn(cluster)).toHaveLength(6);
    await cluster.leave('c');
    await cluster.until(() => cluster.members.map((each) => countOf(each)).reduce((x, y) => x + y) === 9);
    await cluster.until(() => spreadOf(countsIn(cluster)) <= 1);
    stand(await cluster.join('c'), NAMES);
    await cluster.until(() => spreadOf(countsIn(cluster)) === 0);
  });

  it('give nothing to a member of lower priority, nor to one whose program does not stand', async () => {
    const cluster = await open(['a', 'b', 'c', 'd']);
    const [a, b, c, d] = await Promise.all([
      cluster.join('a', { priority: 5 }),
      cluster.join('b', { priority: 5 }),
      cluster.join('c'),
      cluster.join('d', { priority: 5 }),
    ]);
    stand(a, NAMES);
    await cluster.until(() => countOf(a) === 9);
    const received: string[] = [];
    cluster.watch(() => {
      for (const each of [c, d]) if (countOf(each) > 0) received.push(String(each.id));
    });
    for (const member of [b, c]) stand(member, NAMES);
    await cluster.until(() => spreadOf([countOf(a), countOf(b)]) <= 1);
    expect(countOf(a) + countOf(b)).toBe(9);
    expect(received).toEqual([]);
  });

  it('move no election in which occasions are recorded', async () => {
    const cluster = await open(['a', 'b', 'c']);
    const [a, b, c] = await Promise.all(cluster.ids.map((id) => cluster.join(id)));
    const running = deferred();
    const attempts: number[] = [];
    const series = ['x', 'y', 'z'];
    const runs = series.map((name) =>
      a!.election(name).once(1, async ({ attempt }) => {
        attempts.push(attempt);
        await running.promise;
      }),
    );
    await cluster.until(() => countOf(a!, series) === 3);
    stand(a!, NAMES);
    await cluster.until(() => countOf(a!) === 9);
    for (const member of [b!, c!]) stand(member, [...NAMES, ...series]);
    await cluster.until(() => spreadOf(countsIn(cluster)) === 0);
    expect(countOf(a!, series)).toBe(3);
    running.resolve();
    for (const { outcome } of await Promise.all(runs)) expect(outcome).toBe('done');
    expect(attempts).toEqual([1, 1, 1]);
  });

  it('need a protocol whose leaders can transfer elections', async () => {
    await expect(join({ protocol: 'bully', balance: true })).rejects.toThrow(
      /balance: expected false, since leaders of bully cannot transfer elections/,
    );
    await expect(join({ protocol: 'bully', deputies: true })).rejects.toThrow(
      /deputies: expected false, since bully elects no successor in advance/,
    );
  });
});
