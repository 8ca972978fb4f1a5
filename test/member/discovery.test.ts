import { networkInterfaces } from 'node:os';
import { afterEach, describe, expect, it } from 'vitest';
import { Discovery } from '../../src/member/discovery.ts';
import { type AnyJoinOptions, join, type Member } from '../../src/member/index.ts';
import { freePorts } from '../support/free-ports.ts';

const members: Member[] = [];
const freePort = async (): Promise<number> => (await freePorts(1))[0]!;
const searches: Discovery[] = [];
const logs = new Map<Member, string[]>();

afterEach(async () => {
  for (const search of searches.splice(0)) search.close();
  await Promise.all(members.splice(0).map((member) => member.close()));
});

const draw = {
  protocol: 'draw',
  timing: { heartbeatMs: 50, timeoutMs: [50, 100] },
} as const;

async function start(options: AnyJoinOptions): Promise<Member> {
  const log: string[] = [];
  const member = await join({ ...draw, log: ({ message }) => log.push(message), ...options });
  members.push(member);
  logs.set(member, log);
  return member;
}

async function stop(member: Member): Promise<void> {
  members.splice(members.indexOf(member), 1);
  await member.close();
}

/** Settles when it is so; looks after every change of one of them. */
async function until<T>(voters: readonly Member[], look: () => T | null): Promise<T> {
  return await new Promise((resolve) => {
    const check = (): void => {
      const found = look();
      if (found === null) return;
      for (const stopIt of stops) stopIt();
      resolve(found);
    };
    const stops = voters.map((voter) => voter.subscribe(check));
    check();
  });
}

const viewOf = (voter: Member) => voter.electionPort('main').view;

/** Waits until every one of them follows the same leader. */
async function leaderOf(...voters: readonly Member[]): Promise<string> {
  return await until(voters, () => {
    const leaders = new Set(voters.map((voter) => viewOf(voter).leader ?? `${voter.id}: none`));
    const [leader] = leaders;
    return leaders.size === 1 && voters.some(({ id }) => id === leader) ? String(leader) : null;
  });
}

/** Waits until every one of them knows exactly these voters. */
async function knownToAll(voters: readonly Member[], ids: readonly string[]): Promise<void> {
  await until(voters, () =>
    voters.every((voter) => viewOf(voter).members?.join() === ids.join()) ? true : null,
  );
}

const seedOf = (member: Member) => ({ host: `localhost:${new URL(member.url).port}` });

async function statusOf(member: Member, path = '/status'): Promise<Record<string, unknown>> {
  return (await (await fetch(`${member.url}${path}`)).json()) as Record<string, unknown>;
}

describe('voters that find each other by a name', () => {
  it('register until another voter answers, and learn from it of all others', async () => {
    const first = await start({ id: 'a' });
    const seed = seedOf(first);
    const second = await start({ id: 'b', seed });
    const third = await start({ id: 'c', seed });
    const all = [first, second, third];
    await knownToAll(all, ['a', 'b', 'c']);
    expect(['a', 'b', 'c']).toContain(await leaderOf(...all));
  });

  it('say goodbye when they leave', async () => {
    const first = await start({ id: 'a' });
    const second = await start({ id: 'b', seed: seedOf(first) });
    await leaderOf(first, second);
    await stop(second);
    expect(await leaderOf(first)).toBe('a');
  });
});

describe('a majority needs a number', () => {
  const quorum = (voters?: number) => ({ quorum: true, ...(voters === undefined ? {} : { voters }) });

  it('no voter leads that was not told how many there are, and the status says so', async () => {
    const [one, two] = (await freePorts(2)) as [number, number];
    // Each has a seed of its own, so they cannot find each other.
    const voters = [
      await start({ id: 'v1', listen: { port: one }, seed: { host: `127.0.0.1:${one}` }, options: quorum() }),
      await start({ id: 'v2', listen: { port: two }, seed: { host: `127.0.0.1:${two}` }, options: quorum() }),
    ];
    await beats(20);
    for (const voter of voters) {
      expect(await statusOf(voter)).toMatchObject({
        acting: false,
        role: 'none',
        missing: expect.stringContaining('number of voters'),
      });
    }
  });

  it('the first leader needs all of them, the next a majority', async () => {
    const first = await start({ id: 'a', options: quorum(3), listen: { port: await freePort() } });
    const seed = seedOf(first);
    const second = await start({ id: 'b', seed, options: quorum(3) });
    await knownToAll([first, second], ['a', 'b']);
    await beats(10);
    expect(await statusOf(second)).toMatchObject({
      acting: false,
      missing: expect.stringContaining('2 of 3 are known'),
    });
    const third = await start({ id: 'c', seed, options: quorum(3) });
    const all = [first, second, third];
    const leader = await leaderOf(...all);
    expect(await statusOf(third)).toMatchObject({ missing: null, leader });
    const gone = all.find(({ id }) => id === leader)!;
    await stop(gone);
    expect(await leaderOf(...all.filter((voter) => voter !== gone))).not.toBe(leader);
  });

  it('is refused if more voters are listed', async () => {
    const peers = ['a', 'b', 'c'].map((id, i) => ({ id, url: `http://127.0.0.1:${7000 + i}` }));
    await expect(start({ id: 'a', peers, options: quorum(2) })).rejects.toThrow('3 voters are listed');
  });
});

/** So many heartbeats of a voter pass. Something has to be waited for where the point is that nothing happens. */
async function beats(count: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, count * draw.timing.heartbeatMs));
}

describe('a voter that is on no list', () => {
  it('registers with the voters of its own list', async () => {
    const [one, two] = (await freePorts(2)) as [number, number];
    const [a, b] = [
      { id: 'a', url: `http://127.0.0.1:${one}` },
      { id: 'b', url: `http://127.0.0.1:${two}` },
    ];
    const known = [await start({ ...a, peers: [a, b] }), await start({ ...b, peers: [a, b] })];
    await leaderOf(...known);
    const late = await start({ id: 'c', peers: [a, b] });
    await knownToAll([...known, late], ['a', 'b', 'c']);
    await leaderOf(...known, late);
  });

  it('is known to all, though it has registered with one', async () => {
    const first = await start({ id: 'a' });
    const second = await start({ id: 'b', seed: seedOf(first) });
    const third = await start({ id: 'c', seed: seedOf(second) });
    const last = await start({ id: 'd', peers: [{ id: 'a', url: first.url }] });
    await knownToAll([first, second, third, last], ['a', 'b', 'c', 'd']);
  });

  it('that does not answer is added by no other voter, and removed by the one that had it', async () => {
    const first = await start({ id: 'a' });
    const second = await start({ id: 'b', seed: seedOf(first) });
    await knownToAll([first, second], ['a', 'b']);
    const dead = `http://127.0.0.1:${await freePort()}`;
    const body = JSON.stringify({ voterId: 'z', voterUrl: dead });
    const headers = { 'content-type': 'application/json' };
    await fetch(`${first.url}/register`, { method: 'POST', headers, body });
    const seen = new Set<string>();
    const stopIt = second.subscribe(() => seen.add(String(viewOf(second).members)));
    expect(viewOf(first).members).toEqual(['a', 'b', 'z']);
    await knownToAll([first, second], ['a', 'b']);
    stopIt();
    expect([...seen].join(' ')).not.toContain('z');
  });
});

describe('an orphan', () => {
  it('waits with a list as with a seed, and says for what', async () => {
    const port = await freePort();
    const dead = `http://127.0.0.1:${await freePort()}`;
    const listed = await start({ id: 'a', peers: [{ id: 'b', url: dead }] });
    const seeded = await start({ id: 'c', listen: { port }, seed: { host: `127.0.0.1:${port}` } });
    await beats(20);
    for (const orphan of [listed, seeded]) {
      expect(await statusOf(orphan)).toMatchObject({
        role: 'none',
        acting: false,
        missing: expect.stringContaining('another voter'),
      });
    }
  });

  it('complains of each dead seed once', async () => {
    const port = await freePort();
    const orphan = await start({
      id: 'a',
      listen: { port },
      peers: [
        { id: 'b', url: 'http://127.0.0.1:1' },
        { id: 'c', url: 'http://127.0.0.1:2' },
      ],
    });
    await beats(20);
    const told = logs.get(orphan)!.filter((line) => line.includes('does not register'));
    expect(told).toHaveLength(2);
    expect(new Set(told).size).toBe(2);
  });
});

describe('what a voter knows', () => {
  it('is the same in every answer, with the time of the last heartbeat', async () => {
    const fromMs = Date.now();
    const first = await start({ id: 'a' });
    const second = await start({ id: 'b', seed: seedOf(first) });
    const third = await start({ id: 'c', seed: seedOf(first) });
    await knownToAll([first, second, third], ['a', 'b', 'c']);
    await leaderOf(first, second, third);
    const removed = await fetch(`${first.url}/remove`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ voterId: 'c' }),
    });
    const known = ['a', 'b'];
    expect(await removed.json()).toMatchObject({ knownVoters: known });
    for (const path of ['/status', '/health']) {
      const { knownVoters, voters } = await statusOf(first, path);
      expect(knownVoters).toEqual(known);
      expect(voters).toMatchObject([
        { voterId: 'a', lastHeartBeatMs: null },
        { voterId: 'b', lastHeartBeatMs: expect.any(Number) },
      ]);
      const [, other] = voters as { lastHeartBeatMs: number }[];
      expect(other!.lastHeartBeatMs).toBeGreaterThanOrEqual(fromMs);
      expect(other!.lastHeartBeatMs).toBeLessThanOrEqual(Date.now());
    }
    await until([third], () => (viewOf(third).role === 'none' ? true : null));
    expect(await statusOf(third)).toMatchObject({ cause: 'removed', knownVoters: known });
  });
});

describe('a process that the others refuse', () => {
  it.each(['bully', 'ring', 'chang-roberts', 'draw'])('does not lead itself: %s', async (protocol) => {
    const ports = await freePorts(3);
    const peers = ports.map((port, i) => ({ id: i + 1, url: `http://127.0.0.1:${port}` }));
    const timing = { heartbeatMs: 50, timeoutMs: protocol === 'draw' ? [50, 100] : 100 };
    const setup = { protocol, peers, timing: protocol === 'draw' ? timing : {} };
    const good = [await start({ ...setup, id: 1 }), await start({ ...setup, id: 2 })];
    await until(good, () => {
      const [a, b] = good.map((voter) => viewOf(voter).leader);
      return a !== null && a === b ? true : null;
    });
    // The same id as a member that runs, and other settings than the others have.
    const taken = await start({ ...setup, id: 2, url: `http://127.0.0.1:${await freePort()}` });
    const odd = await start({ ...setup, id: 3, timing: { ...setup.timing, timeoutMs: [501, 502] } });
    for (const voter of [taken, odd])
      await until([voter], () =>
        voter.electionPort('main').history.at(-1)?.cause === 'refused' ? true : null,
      );
    await beats(40);
    for (const voter of [taken, odd]) {
      expect(voter.electionPort('main').acting).toBe(false);
      expect(await statusOf(voter)).toMatchObject({ role: 'none', leader: null, cause: 'refused' });
    }
    expect(good.some((voter) => voter.electionPort('main').acting)).toBe(true);
  });
});

describe('a search', () => {
  function search(
    answers: readonly (readonly string[] | Error)[],
    isFound = (): boolean => false,
    everyMs = 5,
  ): { complaints: string[]; asked: string[]; seeds: string[][]; addresses: string[]; search: Discovery } {
    const found = {
      complaints: [] as string[],
      asked: [] as string[],
      seeds: [] as string[][],
      addresses: [] as string[],
    };
    const left = [...answers];
    const search = new Discovery({
      host: 'voters.test:81',
      url: '/',
      everyMs,
      resolve: async (name) => {
        found.asked.push(name);
        const answer = left.length > 1 ? left.shift()! : left[0]!;
        if (answer instanceof Error) throw answer;
        return answer;
      },
      onAddress: (host) => found.addresses.push(host),
      onSeeds: (urls) => found.seeds.push([...urls]),
      isFound,
      log: (message) => found.complaints.push(message),
    });
    searches.push(search);
    return { ...found, search };
  }

  it('goes on until the name can be resolved, and complains once', async () => {
    const { seeds, complaints, addresses, asked } = search([
      new Error('no such name'),
      new Error('no such name'),
      ['127.0.0.7'],
      ['127.0.0.7', '127.0.0.1'],
    ]);
    await expect.poll(() => seeds.length).toBeGreaterThan(1);
    expect(seeds.slice(0, 2)).toEqual([
      ['http://127.0.0.7:81'],
      ['http://127.0.0.7:81', 'http://127.0.0.1:81'],
    ]);
    expect(asked.slice(0, 4)).toEqual(Array.from({ length: 4 }, () => 'voters.test'));
    expect(addresses).toContain('127.0.0.7');
    expect(complaints.filter((line) => line.includes('no such name'))).toHaveLength(1);
  });

  it('looks again at once when a voter has come that the addresses do not tell of, but not at every such voter', async () => {
    const { search: looking, asked } = search([[]], () => true, 500);
    await expect.poll(() => asked.length).toBe(1);
    looking.lookAgain();
    looking.lookAgain();
    expect(asked).toHaveLength(1);
    await expect
      .poll(() => {
        looking.lookAgain();
        return asked.length;
      })
      .toBe(2);
  });

  it('is less frequent once another voter was met', async () => {
    const [often, seldom] = [search([[]]), search([[]], () => true)];
    await expect.poll(() => often.asked.length).toBeGreaterThan(20);
    expect(seldom.asked.length).toBeLessThan(often.asked.length / 2);
  });
});

describe('a voter that makes itself known', () => {
  it('is called on this machine and on the hosts of configured voters, and nowhere else', async () => {
    const member = await start({ id: 'a', peers: [{ id: 'b', url: 'http://192.0.2.1:80' }] });
    expect(member.registerVoter({ id: 'c', url: 'http://127.0.0.1:5' })).toEqual({ accepted: true });
    expect(member.registerVoter({ id: 'd', url: 'http://192.0.2.1:81' })).toEqual({ accepted: true });
    expect(member.registerVoter({ id: 'e', url: 'http://192.0.2.202:80' })).toMatchObject({
      accepted: false,
    });
    expect(member.registerVoter({ id: 'a', url: 'http://127.0.0.1:5' })).toMatchObject({ accepted: false });
    expect(member.voters.map(({ id }) => id)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('is called at every address of this machine, and on the host of the own URL', async ({ skip }) => {
    const member = await start({ id: 'a', url: 'http://voter-a.example:80', mounted: true, insecure: true });
    expect(member.registerVoter({ id: 'b', url: 'http://voter-a.example:81' })).toEqual({ accepted: true });
    expect(member.registerVoter({ id: 'c', url: 'http://voter-b.example:81' })).toMatchObject({
      accepted: false,
    });
    const outer = Object.values(networkInterfaces())
      .flatMap((each) => each ?? [])
      .find(({ internal, family }) => !internal && family === 'IPv4');
    if (outer === undefined) return skip('this machine has only the loopback');
    expect(member.registerVoter({ id: 'd', url: `http://${outer.address}:81` })).toEqual({ accepted: true });
  });
});
