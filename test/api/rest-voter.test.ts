/** A voter that knows nothing but the description of the API takes part in the elections of real members. */
import { afterEach, describe, expect, it } from 'vitest';
import type { Member } from '../../src/member/index.ts';
import { RestVoter } from '../support/rest-voter.ts';
import { Cluster } from './cluster.ts';
import { ask } from './test-member.ts';
import { untilSo } from './waiting.ts';

const TIMING = { heartbeatMs: 100, timeoutMs: [100, 200] };
const HIGHEST = 2n ** 64n - 1n;

let cluster = new Cluster();
let voters: RestVoter[] = [];
afterEach(async () => {
  await Promise.all(voters.map((voter) => voter.close()));
  await cluster.closeAll();
  cluster = new Cluster();
  voters = [];
});

async function openMembers(...ids: number[]): Promise<readonly Member[]> {
  await cluster.open(ids, { protocol: 'draw', timing: TIMING });
  return cluster.members;
}

async function openVoter(id: number | string, draw?: (round: number) => bigint): Promise<RestVoter> {
  const seed = cluster.members[0]!.url;
  const voter = new RestVoter({
    id,
    seed,
    heartbeatMs: TIMING.heartbeatMs,
    ...(draw === undefined ? {} : { draw }),
  });
  voters.push(voter);
  await voter.start();
  return voter;
}

/** Looks after every change of anybody. */
function until(isSo: () => boolean): Promise<void> {
  const telling = voters.map((voter) => ({
    subscribe(listener: () => void) {
      voter.on('change', listener);
      return () => voter.off('change', listener);
    },
  }));
  return untilSo([...cluster.members.map((member) => member.electionPort('main')), ...telling], isSo);
}

const leaderOf = (member: Member): number | string | null => member.electionPort('main').view.leader;

/** Do all name this leader, and the same election that made it one? */
function allFollow(leader: number | string | null): boolean {
  const named = [
    ...cluster.members.map((member) => member.electionPort('main').view),
    ...voters.map((voter) => ({ leader: voter.leader, term: voter.term })),
  ];
  return leader !== null && named.every((each) => each.leader === leader && each.term === named[0]!.term);
}

/** A voter that was not heard for a while, because the machine was busy, is forgotten, and found again. */
async function untilKnown(member: Member, ids: readonly (number | string)[]): Promise<void> {
  let known: unknown;
  do known = (await ask(member, 'GET', '/status')).json.knownVoters;
  while (JSON.stringify(known) !== JSON.stringify(ids));
}

/** Asks for elections until one ends with this leader, whom all follow: one that was just forgotten cannot win. */
async function electUntil(leader: number | string): Promise<void> {
  const [first] = cluster.members as [Member];
  while (!allFollow(leader)) {
    const before = first.electionPort('main').view.term ?? 0;
    await ask(first, 'POST', '/election/start', {});
    await until(() => first.electionPort('main').view.term! > before && allFollow(leaderOf(first)));
  }
}

describe('a voter that speaks only REST', () => {
  it('joins a cluster of real members and follows its leader', async () => {
    const members = await openMembers(1, 2, 3);
    const voter = await openVoter('rest');
    await until(() => allFollow(leaderOf(members[0]!)));
    await until(() => voter.knownVoters.length === 4);
    for (const member of members) await untilKnown(member, [1, 2, 3, 'rest']);
  });

  it('takes part in an election', async () => {
    const members = await openMembers(1, 2, 3);
    const voter = await openVoter('rest');
    await until(() => allFollow(leaderOf(members[0]!)) && voter.knownVoters.length === 4);
    let before: number;
    do {
      before = voter.term;
      await ask(members[1]!, 'POST', '/election/start', {});
      await until(() => voter.term > before && allFollow(voter.leader));
    } while (!voter.castIn.includes(voter.term));
    expect(voter.certifiedIn).toContain(voter.term);
  });

  it('can win, lead and be followed', async () => {
    const members = await openMembers(1, 2, 3);
    const voter = await openVoter('rest', () => HIGHEST);
    await until(() => voter.knownVoters.length === 4);
    let status: { leader: unknown; leaderUrl: unknown; token: unknown };
    do {
      await electUntil('rest');
      status = (await ask(members[2]!, 'GET', '/status')).json;
    } while (status.leader !== 'rest' || status.token !== String(voter.term));
    expect(status.leaderUrl).toBe(voter.url);
    expect(voter.certifiedIn).toContain(voter.term);
    for (const { links } of members) expect(links.find(({ id }) => id === 'rest')?.via).not.toBe('link');
  });

  it('is survived when it dies as the leader', async () => {
    const members = await openMembers(1, 2, 3);
    const voter = await openVoter('rest', () => HIGHEST);
    await until(() => voter.knownVoters.length === 4);
    await electUntil('rest');
    const before = voter.term;
    voters = [];
    await voter.close();
    await until(() => {
      const next = leaderOf(members[0]!);
      return next !== 'rest' && allFollow(next);
    });
    expect(members[0]!.electionPort('main').view.term).toBeGreaterThan(before);
  });

  it('draws again with another one that drew the same', async () => {
    await openMembers(1);
    const rounds: number[] = [];
    const tie = (last: bigint) => (round: number) => {
      rounds.push(round);
      return round === 1 ? HIGHEST : last;
    };
    const first = await openVoter('first', tie(1n));
    const second = await openVoter('second', tie(2n));
    await until(() => first.knownVoters.length === 3 && second.knownVoters.length === 3);
    await electUntil('second');
    expect(rounds.filter((round) => round === 2).length).toBeGreaterThanOrEqual(2);
  });

  it('registers with one member, is known to all, takes part, wins, and is removed', async () => {
    const members = await openMembers(1, 2, 3);
    const voter = await openVoter('rest', () => HIGHEST);
    for (const member of members) await untilKnown(member, [1, 2, 3, 'rest']);
    await electUntil('rest');
    expect(voter.castIn).toContain(voter.term);
    const { status } = await ask(members[1]!, 'POST', '/remove', { voterId: 'rest' });
    expect(status).toBe(200);
    await until(() => voter.isRemoved);
    voters = [];
    await voter.close();
    for (const member of members) await untilKnown(member, [1, 2, 3]);
    await until(() => leaderOf(members[0]!) !== 'rest' && allFollow(leaderOf(members[0]!)));
  });
});
