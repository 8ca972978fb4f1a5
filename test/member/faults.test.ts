import { afterEach, describe, expect, it } from 'vitest';
import { type AnyJoinOptions, join, type Member, type Peer } from '../../src/member/index.ts';
import { Cluster } from '../support/cluster.ts';
import { freePorts } from '../support/free-ports.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';

let cluster: Cluster | null = null;
const proxies: TcpProxy[] = [];
const loners: Member[] = [];

afterEach(async () => {
  await Promise.all(loners.splice(0).map((member) => member.close()));
  await cluster?.close();
  cluster = null;
  await Promise.all(proxies.splice(0).map((proxy) => proxy.close()));
});

describe('a tunnel that closes and refuses while the leader lives', () => {
  it('proves nothing: at no moment do two members act', async () => {
    cluster = await Cluster.open(['a', 'b', 'c']);
    const [a, b, c] = cluster.peers as [Peer, Peer, Peer];
    // Every way to a and from a goes through a tunnel; b and c reach each other directly.
    const through = async (peer: Peer): Promise<Peer> => {
      const proxy = await startTcpProxy(peer.url);
      proxies.push(proxy);
      return { id: peer.id, url: proxy.url };
    };
    const toA = await through(a);
    await cluster.join('a', { peers: [await through(b), await through(c)] });
    await cluster.join('b', { peers: [toA, c] });
    await cluster.join('c', { peers: [toA, b] });

    let most = 0;
    cluster.watch(() => {
      most = Math.max(most, cluster!.acting().length);
    });
    const old = cluster.member('a');
    old.seat().stand();
    await cluster.leader();
    // Before they have their seats, the other two could not elect anybody.
    await cluster.until(() =>
      cluster!.members.every((member) => member.electionPort('main').view.role !== 'none'),
    );
    for (const id of ['b', 'c']) cluster.member(id).seat().stand();
    const { held } = old.seat().standing;
    for (const proxy of proxies) proxy.refuse();
    // a lives and acts until its lease has run out; only then does another.
    const next = await cluster.until(() => cluster!.acting().find((member) => member !== old));
    expect(performance.now()).toBeGreaterThanOrEqual(held!.expiresAtMs);
    expect(next.electionPort('main').token!).toBeGreaterThan(held!.token);
    expect(old.electionPort('main').acting).toBe(false);
    const told = next.electionPort('main').history.map(({ detail }) => detail);
    expect(told).toContain('a does not answer: its connection is closed');

    for (const proxy of proxies) proxy.restore();
    await cluster.leader();
    expect(most).toBe(1);
  });

  it('lets a leader go on that keeps a majority', async () => {
    cluster = await Cluster.open(['a', 'b', 'c']);
    const [a, b, c] = cluster.peers as [Peer, Peer, Peer];
    const tunnel = await startTcpProxy(a.url);
    const back = await startTcpProxy(c.url);
    proxies.push(tunnel, back);
    await cluster.join('a', { peers: [a, b, { ...c, url: back.url }] });
    await cluster.join('b');
    await cluster.join('c', { peers: [{ ...a, url: tunnel.url }, b, c] });
    cluster.member('a').seat().stand();
    const leader = await cluster.leader();
    expect(leader.id).toBe('a');
    for (const proxy of proxies) proxy.refuse();
    await cluster.until(() => cluster!.member('c').links.some(({ id, via }) => id === 'a' && via === 'none'));
    // c hears from b who leads, and disturbs nobody.
    await cluster.until(
      () => cluster!.member('c').electionPort('main').view.leader === 'a' && cluster!.acting()[0] === leader,
    );
  });
});

describe('a new member', () => {
  it('is told its mistakes before anything is opened', async () => {
    const wrong = async (options: AnyJoinOptions): Promise<string> => {
      try {
        loners.push(await join(options));
        return 'joined';
      } catch (error) {
        return (error as Error).message;
      }
    };
    const peer = { id: 'b', url: 'http://127.0.0.1:1' };
    expect(await wrong({ peers: [peer, { id: 'c', url: 'nowhere' }] })).toBe(
      'peers[1].url: expected a URL like http://127.0.0.1:7101, without a user, ? and #, found "nowhere"',
    );
    expect(await wrong({ peers: [peer, peer] })).toBe(
      'peers[1].id: expected an id that no other peer has, found "b"',
    );
    expect(await wrong({ protocol: 'paxos' })).toContain('protocol: expected one of bully, ');
    expect(await wrong({ timing: { leaseMs: 2000 } })).toContain('timing.leaseMs: ');
    expect(await wrong({ options: { colour: 'red' } })).toContain(
      'options.colour: expected one of the fields',
    );
    expect(await wrong({ listen: { host: '0.0.0.0', port: 0 } })).toContain(
      'listen.host: expected a loopback',
    );
    expect(await wrong({ listen: { port: 99_999 } })).toContain('listen.port: expected a whole number');
    expect(await wrong({ mounted: true })).toContain('url: expected the URL');
    expect(await wrong({ id: 'no spaces' })).toContain('id: expected an id');
    expect(await wrong({ seed: { host: 'voters' } })).toContain(
      'seed: expected peers, since the voters of quorum',
    );
    expect(await wrong({ log: 'loud' as never })).toBe('log: expected a function, found "loud"');
    expect(await wrong({ limits: { queuedMessages: 0 } })).toContain('limits.queuedMessages: ');
    expect(await wrong({ colour: 'red' } as never)).toContain('colour: expected one of the fields id, ');
  });

  it('has a name of its own when none is given', async () => {
    const [one, other] = [await join({}), await join({})];
    loners.push(one, other);
    expect(one.id).toMatch(/^[A-Za-z0-9.-]+-[0-9a-f]{8}$/);
    expect(one.id).not.toBe(other.id);
  });

  it('cannot listen where another does, and says so', async () => {
    const one = await join({});
    loners.push(one);
    const port = Number(new URL(one.url).port);
    await expect(join({ listen: { port } })).rejects.toMatchObject({
      code: 'E_LISTEN',
      message: expect.stringContaining(`127.0.0.1:${port}: another program listens there`),
    });
  });

  it('with the id of a living one is refused, and named in the logs of both sides', async () => {
    cluster = await Cluster.start(['a', 'b', 'c']);
    await cluster.until(() =>
      cluster!.members.every(({ links }) => links.every(({ via }) => via === 'link')),
    );
    const said: string[] = [];
    const twin = await join({
      id: 'a',
      peers: cluster.peers,
      url: 'http://127.0.0.1:1',
      listen: { port: 0 },
      options: { preset: 'lan' },
      log: ({ message }) => said.push(message),
    });
    loners.push(twin);
    await cluster.until(() => cluster!.members.some(({ refusals }) => refusals['same-id'] > 0));
    await expect.poll(() => said.join('\n')).toMatch(/is refused|refuses/);
    expect(cluster.log.join('\n')).toMatch(/refused: .*\ba\b/);
    // Those who were there first still have each other.
    expect(cluster.member('b').links.find(({ id }) => id === 'a')?.via).toBe('link');
  });

  it('that cannot be reached is named with the reason, once', async () => {
    const log: string[] = [];
    const peers = [
      { id: 'b', url: 'http://127.0.0.1:1' },
      { id: 'c', url: 'http://caucus.invalid:7101' },
    ];
    loners.push(await join({ id: 'a', peers, log: ({ message }) => log.push(message) }));
    const told = (): string[] => log.filter((message) => message.startsWith('cannot reach'));
    await expect.poll(() => told().length).toBe(2);
    expect(told().sort()).toEqual([
      'cannot reach b at http://127.0.0.1:1: nothing listens there (ECONNREFUSED); retrying',
      expect.stringMatching(
        /^cannot reach c at http:\/\/caucus\.invalid:7101: .*name.* \((ENOTFOUND|EAI_AGAIN)\); retrying/,
      ),
    ]);
  });

  it('that was reached in between is named again', async () => {
    const log: string[] = [];
    const [port] = await freePorts(1);
    const peers = [
      { id: 'a', url: 'http://127.0.0.1:9' },
      { id: 'b', url: `http://127.0.0.1:${port}` },
    ];
    loners.push(await join({ id: 'a', listen: { port: 0 }, peers, log: ({ message }) => log.push(message) }));
    const count = (start: string): number => log.filter((message) => message.startsWith(start)).length;
    await expect.poll(() => count('cannot reach b')).toBe(1);
    const b = await join({ id: 'b', peers });
    await expect.poll(() => count('connected to b')).toBeGreaterThan(0);
    await b.close();
    await expect.poll(() => count('cannot reach b')).toBe(2);
  });
});
