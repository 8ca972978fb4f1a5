/** Members between which something lets no lasting connections through: every message is a POST, every answer a response. */
import { afterEach, describe, expect, it } from 'vitest';
import type { AnyJoinOptions, ElectionPort, Member } from '../../src/member/index.ts';
import { Cluster } from './cluster.ts';
import { ask } from './test-member.ts';
import { untilSo } from './waiting.ts';

let cluster = new Cluster();
afterEach(async () => {
  await cluster.closeAll();
  cluster = new Cluster();
});

const KINDS: readonly AnyJoinOptions[] = [
  { protocol: 'quorum' },
  { protocol: 'draw', timing: { heartbeatMs: 50, timeoutMs: [100, 200] } },
  { protocol: 'bully' },
];

/** The member that may act, once all name it and take part. */
async function settled(members: readonly Member[]): Promise<Member> {
  const elections = members.map((member) => member.electionPort('main'));
  let leader: Member | undefined;
  await untilSo(elections, () => {
    leader = members.find((_, i) => elections[i]!.acting);
    const isSettled = ({ view }: ElectionPort): boolean => view.leader === leader!.id && view.role !== 'none';
    return leader !== undefined && elections.every(isSettled);
  });
  return leader!;
}

describe('members that can only POST to each other', () => {
  it.each(KINDS)('elect a leader, and another when it leaves: $protocol', async (options) => {
    await cluster.open([1, 2, 3], options, { links: false });
    for (const member of cluster.members) member.seat().stand();
    const first = await settled(cluster.members);
    for (const { links } of cluster.members) {
      expect(links.filter(({ via }) => via === 'link')).toEqual([]);
    }
    await cluster.close(first);
    let second: Member;
    let named: unknown[];
    do {
      second = await settled(cluster.members);
      const answers = await Promise.all(cluster.members.map((member) => ask(member, 'GET', '/status')));
      named = answers.map(({ json }) => json.leader);
    } while (named.some((leader) => leader !== second.id));
    expect(second.id).not.toBe(first.id);
    for (const { refusals } of cluster.members) {
      expect(refusals).toMatchObject({ 'bad-shape': 0, 'unknown-type': 0, 'not-json': 0 });
    }
  });
});
