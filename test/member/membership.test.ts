/** The members of a cluster are changed by commands, and all its elections follow. docs/operations.md is the runbook. */
import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Outcome } from '../../src/core/index.ts';
import type { Member } from '../../src/member/index.ts';
import { Cluster } from '../support/cluster.ts';

const STEADY = { options: { preset: 'steady' } };
const ELECTIONS = ['main', 'jobs'];

let cluster: Cluster;

beforeAll(async () => {
  cluster = await Cluster.open(['a', 'b', 'c', 'd', 'e', 'stranger'], { keeps: true, ...STEADY });
  const founders = cluster.peers.slice(0, 3);
  await Promise.all(founders.map(({ id }) => cluster.join(id, { peers: founders })));
  for (const member of cluster.members) stand(member);
  for (const election of ELECTIONS) await cluster.leader(election);
}, 60_000);

afterAll(() => cluster.close());

function stand(member: Member): void {
  for (const election of ELECTIONS) member.seat(election).stand();
}

const urlOf = (id: string): string => cluster.peers.find((peer) => peer.id === id)!.url;

/** The leader of the main election, which carries changes out. */
const changes = async (): Promise<NonNullable<Member['membership']>> =>
  (await cluster.until(() => cluster.acting()[0])).membership!;

const add = async (id: string, url = urlOf(id)): Promise<Outcome> => (await changes()).add({ id, url });

/** A change is refused while another is under way, and until all have answered a new leader. */
async function done(change: () => Promise<Outcome>): Promise<void> {
  let outcome = await change();
  while (outcome.status === 'refused') {
    await new Promise((resolve) => setTimeout(resolve, 50));
    outcome = await change();
  }
  expect(outcome).toEqual({ status: 'done' });
}

const refusal = async (change: Promise<Outcome>): Promise<string> => {
  const outcome = await change;
  return outcome.status === 'refused' ? outcome.reason : JSON.stringify(outcome);
};

/** All elections have exactly these members, as each of them sees it. */
const have = (ids: readonly string[]): Promise<true> =>
  cluster.until(
    () =>
      ids.every((id) => {
        const { elections } = cluster.member(id);
        return ELECTIONS.every((name) => {
          const view = elections.find((port) => port.name === name)?.view;
          return String(view?.members) === String(ids) && view?.leader !== null;
        });
      }) && true,
  );

const joins = async (id: string, more: object = {}): Promise<Member> =>
  cluster.join(id, { peers: [], join: urlOf('a'), ...more });

describe('a process that joins', () => {
  it('waits until it is added, says so, and then votes in all elections', async () => {
    const member = await joins('d');
    stand(member);
    expect(member.electionPort('main').view.role).toBe('none');
    expect(
      cluster.log.some((line) => line.includes(`d: waits to be added: d votes and leads nothing until`)),
    ).toBe(true);
    await done(() => add('d'));
    await have(['a', 'b', 'c', 'd']);
    expect(await add('d')).toEqual({ status: 'done' });
    const kept = readFileSync(path.join(cluster.dataOf('b'), 'election-main.json'), 'latin1');
    expect(kept).toContain(urlOf('d'));
  });

  it('is added neither under an id that is taken, nor at a URL of another, nor where another answers', async () => {
    expect(await refusal(add('b', urlOf('e')))).toMatch(/^b is a member already, at http/);
    expect(await refusal(add('x', urlOf('b')))).toBe(`${urlOf('b')} is the URL of member b`);
    await joins('e');
    expect(await refusal(add('x', urlOf('e')))).toMatch(
      /^x cannot be reached at .*should be member x, but is member e/,
    );
    await cluster.leave('e');
  });

  it('of another cluster is refused, and refuses', async () => {
    await expect(joins('stranger', { cluster: 'other' })).rejects.toThrow(
      'belongs to the cluster caucus, and this one is to join other',
    );
    await cluster.join('stranger', { cluster: 'other', peers: cluster.peers.slice(0, 3) });
    expect(await refusal(add('stranger'))).toMatch(/^stranger cannot be reached .* belongs to the cluster /);
    await cluster.leave('stranger');
    await have(['a', 'b', 'c', 'd']);
  });

  it('comes back from its folder alone', async () => {
    await cluster.leave('d');
    stand(await cluster.join('d', { peers: [], join: 'http://127.0.0.1:1' }));
    await have(['a', 'b', 'c', 'd']);
    expect(cluster.member('d').membership!.members!.map(({ url }) => url)).toEqual(
      ['a', 'b', 'c', 'd'].map(urlOf),
    );
  });
});

describe('a member that is removed', () => {
  it('is told, leads nothing, and can be added again with its folder', async () => {
    const first = cluster.acting('jobs')[0]!;
    const id = String(first.id);
    await done(async () => (await changes()).remove(id, false));
    const left = ['a', 'b', 'c', 'd'].filter((each) => each !== id);
    await have(left);
    await cluster.until(() =>
      cluster.log.some((line) => line.startsWith(`${id}: `) && line.includes(`member ${id} was removed`)),
    );
    const { role, leader } = first.electionPort('jobs').view;
    expect({ role, leader }).toEqual({ role: 'none', leader: null });
    expect(first.electionPort('main').history.at(-1)!.cause).toBe('removed');
    // A message of it by POST is answered with words too.
    const body = JSON.stringify({ voterId: id, by: { disk: 'd', start: 1, life: 'x' }, term: 1 });
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${urlOf(left[0]!)}/term`, { method: 'POST', headers, body });
    expect([answer.status, await answer.text()]).toEqual([
      410,
      expect.stringContaining(`member ${id} was removed`),
    ]);
    // One election cannot be left alone.
    const one = await fetch(`${urlOf(left[0]!)}/remove`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ voterId: left[1] }),
    });
    expect([one.status, await one.text()]).toEqual([
      409,
      expect.stringContaining(`caucus member remove ${left[1]}`),
    ]);
    await done(() => add(id));
    await have(['a', 'b', 'c', 'd']);
  });

  it('refuses the commands that wait behind its removal at once, and names the members', async () => {
    const leader = await cluster.until(() => cluster.acting()[0]);
    const id = String(leader.id);
    const made = await Promise.all([
      leader.membership!.remove(id, false),
      leader.membership!.pause(true),
      leader.membership!.remove('d', false),
    ]);
    expect(made[0]).toEqual({ status: 'done' });
    for (const outcome of made.slice(1))
      expect(outcome).toMatchObject({
        status: 'refused',
        reason: expect.stringMatching(/was removed .* take commands, are /),
      });
    await done(() => add(id));
    await have(['a', 'b', 'c', 'd']);
  });

  it('stays where too few of the others would answer', async () => {
    await done(async () => (await changes()).remove('d', false));
    await have(['a', 'b', 'c']);
    const leader = String((await cluster.until(() => cluster.acting()[0])).id);
    const [dead, alive] = ['a', 'b', 'c'].filter((id) => id !== leader);
    await cluster.leave(dead!);
    // It counts as healthy until it has missed two rounds, which are 600 ms apart.
    const port = cluster.member(leader).electionPort('main');
    const silentMs = (): number => Date.now() - (port.heardAtMs?.(dead!) ?? 0);
    await expect.poll(silentMs, { timeout: 30_000 }).toBeGreaterThan(2500);
    const reason = await refusal((await changes()).remove(alive!, false));
    expect(reason).toMatch(
      /^of the 2 members that there would be, 1 answer and 2 are needed|a majority does not answer/,
    );
    expect(await refusal((await changes()).remove('x', true))).toBe('x is not a member');
    stand(await cluster.join(dead!, { peers: cluster.peers.slice(0, 3) }));
    await have(['a', 'b', 'c']);
  });
});

describe('a replacement', () => {
  it('goes on where it was', async () => {
    await cluster.leave('d');
    stand(await joins('e'));
    await done(() => add('e'));
    await have(['a', 'b', 'c', 'e']);
    const made = { id: 'e', url: urlOf('e') };
    await done(async () => (await changes()).replace('b', made, false));
    await have(['a', 'c', 'e']);
    expect(await (await changes()).replace('b', made, false)).toEqual({ status: 'done' });
    expect(await refusal((await changes()).replace('b', { id: 'x', url: 'http://127.0.0.1:1' }, false))).toBe(
      'b is not a member',
    );
    expect(await refusal((await changes()).replace('a', { id: 'a', url: urlOf('a') }, false))).toBe(
      'a cannot be replaced by itself: give the new member another id',
    );
  });

  it('leaves a founder that has lost its disk a seat, also if the leader is not one that it was configured with', async () => {
    await expect
      .poll(() =>
        cluster
          .acting()[0]
          ?.electionPort('main')
          .command({ type: 'transfer', to: 'e' })
          .then(() => cluster.acting()[0]?.id),
      )
      .toBe('e');
    await cluster.leave('c');
    rmSync(cluster.dataOf('c'), { recursive: true });
    stand(await cluster.join('c', { peers: cluster.peers.slice(0, 3) }));
    await cluster.until(() => cluster.member('c').electionPort('main').view.role === 'follower');
    expect(cluster.acting()[0]?.id).toBe('e');
    await have(['a', 'c', 'e']);
  });

  it('is told by members that are configured otherwise, with the command that mends it', () => {
    const { difference } = cluster.member('a').membership!;
    expect(difference).toContain(`b is configured as a peer, but was removed`);
    expect(difference).toContain(`caucus member add b ${urlOf('b')}`);
    expect(difference).toContain(`add e=${urlOf('e')} to the peers of this member`);
    expect(cluster.log.filter((line) => line === `a: ${difference}`)).toHaveLength(1);
    expect(cluster.member('e').membership!.difference).toBeNull();
  });
});

describe('a member that is drained', () => {
  it('hands over all that it leads, and leads nothing until that ends', async () => {
    const drained = await cluster.until(() => cluster.acting('jobs')[0]);
    await drained.membership!.drain(true);
    expect(drained.membership!.isDrained).toBe(true);
    await cluster.until(() => cluster.acting('jobs').some(({ id }) => id !== drained.id));
    expect(ELECTIONS.map((name) => drained.electionPort(name).isCandidate)).toEqual([false, false]);
    const other = await cluster.until(() => cluster.acting('jobs')[0]);
    expect((await other.electionPort('jobs').command({ type: 'transfer', to: drained.id })).status).toBe(
      'refused',
    );
    await drained.membership!.drain(false);
    expect(ELECTIONS.map((name) => drained.electionPort(name).isCandidate)).toEqual([true, true]);
  });
});

describe('a change', () => {
  it('waits for a publication that is under way, in place of being refused', async () => {
    const leader = await cluster.until(() => cluster.acting()[0]);
    const publishing = leader.electionPort('main').command({ type: 'publish', value: 'under way' });
    const pausing = leader.membership!.pause(false);
    expect(await Promise.all([publishing, pausing])).toEqual([{ status: 'done' }, { status: 'done' }]);
    expect(leader.electionPort('main').view.value).toBe('under way');
  });
});

describe('a member that is added again at once', () => {
  it('is listed once', async () => {
    const leader = await cluster.until(() => cluster.acting()[0]);
    const id = ['a', 'c', 'e'].find((each) => each !== leader.id)!;
    await done(async () => (await changes()).remove(id, false));
    await done(() => add(id));
    await have(['a', 'c', 'e']);
    for (const each of ['a', 'c', 'e']) {
      const { voters } = (await (await fetch(`${urlOf(each)}/status`)).json()) as {
        voters: { voterId: string }[];
      };
      const ids = voters.map(({ voterId }) => voterId);
      expect([...new Set(ids)]).toEqual(ids);
    }
  });
});

describe('a pause', () => {
  it('lets leaders be, survives restarts, and ends when an operator says so, also without a leader', async () => {
    await done(async () => (await changes()).pause(true));
    const all = ['a', 'c', 'e'];
    await cluster.until(() => all.every((id) => cluster.member(id).membership!.isPaused));
    const candidates = (id: string): readonly boolean[] =>
      ELECTIONS.map((name) => cluster.member(id).electionPort(name).isCandidate ?? true);
    const led = ELECTIONS.map((name) => cluster.acting(name)[0]?.id ?? null);
    expect(led).not.toContain(null);
    for (const id of all) expect(candidates(id)).toEqual(led.map((leader) => leader === id));
    // All leaders go, and come back: none leads.
    for (const id of new Set(led.map(String))) {
      await cluster.leave(id);
      stand(await cluster.join(id, { peers: cluster.peers.slice(0, 3) }));
    }
    await cluster.until(() => all.every((id) => cluster.member(id).membership!.isPaused));
    for (const id of all) expect(candidates(id)).toEqual([false, false]);
    expect(ELECTIONS.flatMap((name) => cluster.acting(name))).toEqual([]);
    await done(() => cluster.member('a').membership!.pause(false));
    await have(all);
    await cluster.until(() => ELECTIONS.every((name) => cluster.acting(name).length === 1) && true);
    for (const id of all) expect(candidates(id)).toEqual([true, true]);
  });
});
