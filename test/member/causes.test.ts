/** One event has one cause: what all members of a cluster write into their histories about it. */
import { describe, expect, it } from 'vitest';
import { BadInput, type MemberId, type Message, type Shape } from '../../src/core/index.ts';
import type { Change } from '../../src/member/index.ts';
import { quorum } from '../../src/protocols/quorum/index.ts';
import { VirtualCluster } from './virtual.ts';

const THREE = ['a', 'b', 'c'] as const;

/** What each member has entered about the end of leaderships since it had so many entries. */
function endings(cluster: VirtualCluster, since: ReadonlyMap<MemberId, number>): Record<string, string[]> {
  return Object.fromEntries(cluster.ids.map((id) => [id, told(cluster, id, since).filter(isEnd).map(words)]));
}

function told(
  cluster: VirtualCluster,
  id: MemberId,
  since: ReadonlyMap<MemberId, number>,
): readonly Change[] {
  return cluster.at(id).host.history.slice(since.get(id)!);
}

const isEnd = ({ leader }: Change): boolean => leader === null;
const words = ({ cause, detail }: Change): string => `${cause}: ${detail}`;

/** A cluster with a leader that has led for a while, and how long each history was by then. */
function settled(): { cluster: VirtualCluster; leader: MemberId; since: Map<MemberId, number> } {
  const cluster = new VirtualCluster(THREE);
  const leader = cluster.elect();
  cluster.clock.advance(500);
  const since = new Map(THREE.map((id) => [id as MemberId, cluster.at(id).host.history.length]));
  return { cluster, leader, since };
}

function untilNext(cluster: VirtualCluster, leader: MemberId): MemberId {
  expect(cluster.until(() => cluster.acting.length === 1 && cluster.acting[0] !== leader)).toBe(true);
  cluster.clock.advance(50);
  return cluster.acting[0]!;
}

describe('why a leadership ended is told by all members with the same cause and the same words', () => {
  const same = (why: string): Record<string, string[]> => ({ a: [why], b: [why], c: [why] });

  it('when its program gives it up', () => {
    const { cluster, leader, since } = settled();
    const why = { cause: 'closed', detail: `${leader} resigned: the election was closed` } as const;
    void cluster.at(leader).host.order({ type: 'priority', priority: 0 }, why);
    untilNext(cluster, leader);
    expect(endings(cluster, since)).toEqual(same(words(why as unknown as Change)));
  });

  it('when an operator asks for it', () => {
    const { cluster, leader, since } = settled();
    void cluster.at(leader).host.command({ type: 'resign' });
    untilNext(cluster, leader);
    expect(endings(cluster, since)).toEqual(same(`resigned: ${leader} was asked to resign`));
  });

  it('when it is handed to a member that was named', () => {
    const { cluster, leader, since } = settled();
    const to = THREE.find((id) => id !== leader)!;
    void cluster.at(leader).host.command({ type: 'transfer', to });
    untilNext(cluster, leader);
    expect(endings(cluster, since)).toEqual(same(`transferred: ${leader} hands over to ${to}`));
  });

  it('when its process was stuck for longer than its lease, but not long enough for the others to notice', () => {
    const { cluster, leader, since } = settled();
    cluster.clock.stall(135);
    untilNext(cluster, leader);
    const [entry] = endings(cluster, since)[String(leader)]!;
    expect(entry).toMatch(/^event-loop-blocked: the event loop of [abc] was blocked for \d+ ms$/);
    expect(endings(cluster, since)).toEqual(same(entry!));
  });

  it('when it is removed', () => {
    const { cluster, leader, since } = settled();
    const rest = THREE.filter((id) => id !== leader);
    void cluster.at(leader).host.command({ type: 'remove', member: leader });
    untilNext(cluster, leader);
    const why = `removed: ${leader} is not a member: the members are ${rest.join(', ')}`;
    expect(endings(cluster, since)).toEqual(same(why));
  });

  it('when it falls silent: the others agree, whichever of them asks for votes', () => {
    const { cluster, leader, since } = settled();
    cluster.cut(leader);
    untilNext(cluster, leader);
    const { [String(leader)]: own, ...others } = endings(cluster, since);
    expect(own).toEqual([`lease-expired: no majority answered ${leader} before its lease ran out`]);
    for (const each of Object.values(others))
      expect(each).toEqual([`lease-expired: no message from ${leader} arrived in time`]);
  });
});

describe('the reason that a leader gives', () => {
  const why = { cause: 'resigned', detail: 'a resigned: its work is done' } as const;
  const shape = quorum.messages.transfer as Shape<object>;

  it('reaches members that do not hear the leader: the successor passes it on with its request for votes', () => {
    const { cluster, leader, since } = settled();
    void cluster.at(leader).host.order({ type: 'resign' }, why);
    const next = untilNext(cluster, leader);
    const third = THREE.find((id) => id !== leader && id !== next)!;
    expect(cluster.sent.some(({ from, to }) => from === leader && to === third)).toBe(true); // Heartbeats of before.
    expect(told(cluster, third, since).filter(isEnd).map(words)).toEqual([`resigned: ${why.detail}`]);
  });

  it('costs no message of its own', () => {
    const { cluster, leader } = settled();
    const types = (): number => new Set(cluster.sent.map(({ message }) => message.type)).size;
    const before = types();
    void cluster.at(leader).host.order({ type: 'resign' }, why);
    untilNext(cluster, leader);
    expect(types() - before).toBeLessThanOrEqual(1); // `transfer`
  });

  it('is one line of bounded length on its way, and shown only with a cause that is known', () => {
    const by = { disk: 'd', start: 1, life: 'l' };
    expect(shape.read({ by, term: 1, round: 1, why }, '')).toMatchObject({ why });
    for (const wrong of [{ cause: 7 }, { detail: 'x'.repeat(241) }, { cause: 'x'.repeat(41) }, { more: 1 }])
      expect(
        () => shape.read({ by, term: 1, round: 1, why: { ...why, ...wrong } }, ''),
        JSON.stringify(wrong),
      ).toThrow(BadInput);
  });

  it('is cut to what the other members take, and no control character of it is shown', () => {
    const { cluster, leader, since } = settled();
    const detail = `line one\n\u001b[2J${'x'.repeat(1000)}`;
    void cluster.at(leader).host.order({ type: 'resign' }, { cause: 'resigned', detail });
    const next = untilNext(cluster, leader);
    const [shown] = told(cluster, next, since).filter(isEnd);
    expect(shown!.detail).toMatch(/^line one \[2Jx+…$/);
    expect(shown!.detail.length).toBe(240);
  });

  it('with an unknown cause is not shown', () => {
    const { cluster, leader, since } = settled();
    const other = THREE.find((id) => id !== leader)!;
    const resign = cluster.sent.findLast(({ from, to }) => from === leader && to === other)!
      .message as Message & {
      by: object;
      term: number;
      round: number;
    };
    const { by, term, round } = resign;
    const made = { type: 'resign', by, term, round: round + 1, why: { cause: 'magic', detail: 'made up' } };
    cluster.at(other).host.give({ type: 'message', from: leader, message: made as never });
    expect(told(cluster, other, since).filter(isEnd).map(words)).toEqual([
      `resigned: ${leader} has resigned`,
    ]);
  });
});

describe('"won" is said only of an election that the member saw', () => {
  it('a member that starts later has learned of the leader, and says for how long it has led', () => {
    const cluster = new VirtualCluster(THREE);
    const leader = cluster.elect();
    const late = THREE.find((id) => id !== leader)!;
    const { saved } = cluster.at(late);
    cluster.at(late).host.stop();
    cluster.clock.advance(10_000);
    const host = cluster.start(late, saved);
    cluster.until(() => host.view.leader !== null);
    expect(host.history.map(words)).toEqual([
      expect.stringMatching(`learned: ${leader} leads with token 1, for about (9|10)\\.\\d s already`),
    ]);
  });

  it('a leader that has died is not elected again by the word of a member that has not noticed', () => {
    const cluster = new VirtualCluster(THREE);
    const leader = cluster.elect();
    cluster.clock.advance(500);
    const { host, life } = cluster.at(leader);
    const [first, second] = THREE.filter((id) => id !== leader).map((id) => cluster.at(id).host);
    host.stop();
    // One of them sees the process die, and asks for votes. The other still keeps its promise to the dead leader, and names it.
    const [witness, believer] = [first!, second!];
    const before = witness.history.length;
    witness.give({ type: 'peer-gone', peer: leader, proof: true, life });
    cluster.until(() => witness.history.length > before + 1);
    const entries = witness.history.slice(before).map(words);
    expect(entries[0]).toBe(`closed: ${leader} does not answer: its process is gone`);
    expect(entries[1]).toBe(`learned: ${believer.self} says that ${leader} leads with token 1`);
    expect(entries.join('\n')).not.toMatch(`won: ${leader} `);
  });

  it('a leader that is heard again after a silence still leads', () => {
    const { cluster, leader, since } = settled();
    const other = THREE.find((id) => id !== leader)!;
    const { host } = cluster.at(other);
    host.give({ type: 'peer-gone', peer: leader, proof: false, life: null });
    cluster.until(() => host.view.leader === leader);
    cluster.clock.advance(100);
    const learned = told(cluster, other, since).filter(({ leader: now }) => now === leader);
    expect(learned.map(words)).toEqual([`learned: ${leader} still leads with token 1`]);
  });

  it('a leader that is heard again right after its election was elected once', () => {
    const cluster = new VirtualCluster(THREE);
    const leader = cluster.elect();
    const other = THREE.find((id) => id !== leader)!;
    const { host } = cluster.at(other);
    host.give({ type: 'peer-gone', peer: leader, proof: false, life: null });
    expect(cluster.until(() => host.view.leader === leader)).toBe(true);
    const entries = host.history.filter(({ leader: now }) => now === leader).map(({ cause }) => cause);
    expect(entries).toEqual(['won', 'learned']);
  });
});

describe('an election without leases', () => {
  it('says of a leader that is not heard any more that it is silent: no lease of it expired', () => {
    const cluster = new VirtualCluster(THREE, { protocol: 'draw' });
    const leader = cluster.elect();
    cluster.cut(leader);
    const others = THREE.filter((id) => id !== leader);
    const next = (): boolean =>
      others.every((id) => ![null, leader].includes(cluster.at(id).host.view.leader));
    expect(cluster.until(next)).toBe(true);
    const causes = THREE.flatMap((id) => cluster.at(id).host.history.map(({ cause }) => cause));
    expect(causes).toContain('silent');
    expect(causes).not.toContain('lease-expired');
  });
});
