import { afterEach, describe, expect, it } from 'vitest';
import { Discovery, type Found } from '../../src/member/discovery.ts';
import { type JoinOptions, join, type Member } from '../../src/member/index.ts';

const members: Member[] = [];
const searches: Discovery[] = [];

afterEach(async () => {
  for (const search of searches.splice(0)) search.close();
  await Promise.all(members.splice(0).map((member) => member.close()));
});

const draw = {
  protocol: 'draw',
  timing: { heartbeatMs: 50, timeoutMs: [50, 100] },
} as const;

async function start(options: JoinOptions): Promise<Member> {
  const member = await join({ ...draw, ...options });
  members.push(member);
  return member;
}

/** Waits until every one of them follows the same leader. */
async function leaderOf(...voters: readonly Member[]): Promise<string> {
  const leaders = (): Set<unknown> =>
    new Set(voters.map((voter) => voter.electionPort('main').view.leader ?? `${voter.id}: nobody`));
  return await new Promise((resolve) => {
    const look = (): void => {
      const [leader, ...others] = leaders();
      if (others.length > 0 || !voters.some(({ id }) => id === leader)) return;
      for (const stop of stops) stop();
      resolve(String(leader));
    };
    const stops = voters.map((voter) => voter.subscribe(look));
    look();
  });
}

describe('voters that find each other by a name', () => {
  it('register until another voter answers, and learn from it of all others', async () => {
    const first = await start({ id: 'a' });
    const host = `localhost:${new URL(first.url).port}`;
    const second = await start({ id: 'b', seed: { host } });
    const third = await start({ id: 'c', seed: { host } });
    const all = [first, second, third];
    await expect
      .poll(() => all.map((voter) => voter.voters.map(({ id }) => id).sort()))
      .toEqual(all.map(() => ['a', 'b', 'c']));
    expect(['a', 'b', 'c']).toContain(await leaderOf(...all));
  });

  it('say goodbye when they leave', async () => {
    const first = await start({ id: 'a' });
    const host = `localhost:${new URL(first.url).port}`;
    const second = await start({ id: 'b', seed: { host } });
    await leaderOf(first, second);
    members.splice(members.indexOf(second), 1);
    await second.close();
    expect(await leaderOf(first)).toBe('a');
  });
});

describe('a search', () => {
  interface Search {
    readonly found: Promise<Found>;
    readonly complaints: string[];
    readonly addresses: string[];
    readonly asked: string[];
  }

  function search(
    port: number,
    answers: readonly (readonly string[] | Error)[],
    isFound = () => false,
  ): Search {
    const [complaints, addresses, asked]: [string[], string[], string[]] = [[], [], []];
    const left = [...answers];
    const found = new Promise<Found>((resolve) => {
      searches.push(
        new Discovery({
          own: { id: 'z', url: 'http://127.0.0.1:9' },
          host: `voters.test:${port}`,
          url: '/',
          everyMs: 5,
          resolve: async (name) => {
            asked.push(name);
            const answer = left.length > 1 ? left.shift()! : left[0]!;
            if (answer instanceof Error) throw answer;
            return answer;
          },
          onAddress: (host) => addresses.push(host),
          onFound: (each) => {
            resolve(each);
            return [];
          },
          isFound,
          log: (message) => complaints.push(message),
        }),
      );
    });
    return { found, complaints, addresses, asked };
  }

  it('goes on until the name can be resolved and somebody answers there', async () => {
    const voter = await start({ id: 'a' });
    const port = Number(new URL(voter.url).port);
    const { found, complaints, addresses, asked } = search(port, [
      new Error('no such name'),
      new Error('no such name'),
      ['127.0.0.7'],
      ['127.0.0.7', '127.0.0.1'],
    ]);
    expect((await found).voter).toEqual({ id: 'a', url: voter.url });
    expect(asked.slice(0, 4)).toEqual(Array.from({ length: 4 }, () => 'voters.test'));
    expect(addresses).toContain('127.0.0.7');
    // The same complaint is made once.
    expect(complaints.filter((line) => line.includes('no such name'))).toHaveLength(1);
    expect(complaints.some((line) => line.startsWith(`http://127.0.0.7:${port} does not answer`))).toBe(true);
    expect(voter.voters.map(({ id }) => id)).toContain('z');
  });

  it('does not take itself for another', async () => {
    const other = await start({ id: 'z' });
    const port = Number(new URL(other.url).port);
    // What answers has our own id and our own URL.
    const complaints: string[] = [];
    let rounds = 0;
    await new Promise<void>((resolve) => {
      searches.push(
        new Discovery({
          own: { id: 'z', url: other.url },
          host: `voters.test:${port}`,
          url: '/',
          everyMs: 5,
          resolve: async () => {
            rounds += 1;
            if (rounds === 3) resolve();
            return ['127.0.0.1'];
          },
          onAddress: () => {},
          onFound: ({ voter }) => expect.unreachable(`found ${voter.id}`) as never,
          isFound: () => false,
          log: (message) => complaints.push(message),
        }),
      );
    });
    expect(complaints).toEqual([]);
  });

  it('ends when another voter has come by itself', async () => {
    const { asked } = search(1, [[]], () => true);
    await expect.poll(() => asked.length).toBe(1);
    await new Promise((resolve) => setImmediate(resolve));
    expect(asked).toHaveLength(1);
  });
});

describe('a voter that makes itself known', () => {
  it('is called on this machine and on the hosts of configured voters, and nowhere else', async () => {
    const member = await start({ id: 'a', peers: [{ id: 'b', url: 'http://192.0.2.1:80' }] });
    expect(member.registerVoter({ id: 'c', url: 'http://127.0.0.1:5' })).toEqual({ accepted: true });
    expect(member.registerVoter({ id: 'd', url: 'http://192.0.2.1:81' })).toEqual({ accepted: true });
    expect(member.registerVoter({ id: 'e', url: 'http://192.0.2.2:80' })).toMatchObject({ accepted: false });
    expect(member.registerVoter({ id: 'a', url: 'http://127.0.0.1:5' })).toMatchObject({ accepted: false });
    expect(member.voters.map(({ id }) => id)).toEqual(['a', 'b', 'c', 'd']);
  });
});
