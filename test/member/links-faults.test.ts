import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { Peer } from '../../src/member/links/links.ts';
import { compiled } from '../support/compiled.ts';
import { cleanUp, openConnections, start, startCluster, startProxy } from '../support/link-bed.ts';
import { count, introduce, type Linked, numbers, until } from '../support/linked.ts';
import type { TcpProxy } from '../support/tcp-proxy.ts';

const CHILD = await compiled(path.resolve(import.meta.dirname, '../support/linked-child.ts'));

async function startChild(
  id: number,
  peers: readonly Peer[],
  then: 'stay' | 'leave',
): Promise<{ child: ChildProcess; url: string }> {
  const args = [CHILD, String(id), JSON.stringify(peers), then];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  cleanUp(async () => void child.kill('SIGKILL'));
  const [said] = (await once(child.stdout, 'data')) as [Buffer];
  return { child, url: said.toString().trim() };
}

const NOWHERE = 'http://127.0.0.1:9';

/** A tunnel to a member that cannot dial past it, through which another is connected. */
async function joinThroughTunnel(one: Linked, two: Linked): Promise<TcpProxy> {
  const proxy = await startProxy(two.url);
  two.links.setPeers([{ id: one.id, url: NOWHERE }]);
  one.links.setPeers([{ id: two.id, url: proxy.url }]);
  await until('both are up', () => one.events.length === 1 && two.events.length === 1);
  return proxy;
}

/** Says hello as a peer would, then whatever the test wants. */
async function speak(to: Linked, id: number): Promise<WebSocket> {
  const ws = new WebSocket(`${to.url.replace('http', 'ws')}/link`);
  cleanUp(async () => ws.terminate());
  await once(ws, 'open');
  ws.send(
    JSON.stringify({
      caucus: 2,
      id,
      cluster: 'test',
      incarnation: 1,
      life: 'l',
      url: 'http://x',
      process: null,
    }),
  );
  await once(ws, 'message');
  return ws;
}

describe('a link under faults', () => {
  it('says at once that the process at the other end was killed', async () => {
    const one = await start(1);
    const { child, url } = await startChild(2, [{ id: 1, url: one.url }], 'stay');
    one.links.setPeers([{ id: 2, url }]);
    await until('up', () => one.events.length === 1);
    child.kill('SIGKILL');
    await until('down', () => one.events.length === 2);
    expect(one.events[1]).toMatch(/^down 2 .*the connection broke$/);
    expect(one.abandoned).toEqual([true]);
  });

  it('is not abandoned by a process that lives on: neither if it says so, nor if it only stopped', async () => {
    const one = await start(1, { pingMs: 50, missedPings: 3 });
    const { child, url } = await startChild(2, [{ id: 1, url: one.url }], 'stay');
    one.links.setPeers([{ id: 2, url }]);
    await until('up', () => one.events.length === 1);
    child.kill('SIGSTOP');
    await until('given up', () => one.events.length === 2);
    expect(one.events[1]).toMatch(/no ping was answered/);
    expect(one.abandoned).toEqual([false]);

    const [two, three] = [await start(2), await start(3)];
    introduce([two, three]);
    await until('up', () => two.events.length === 1 && three.events.length === 1);
    three.links.setPeers([]);
    await until('down', () => two.events.length === 2);
    expect(two.abandoned).toEqual([false]);
  });

  it('is not abandoned if the other side gave up a process that was stopped', async () => {
    const one = await start(1, { pingMs: 10_000 });
    const two = await start(2, { pingMs: 50, missedPings: 3 });
    const proxy = await startProxy(two.url);
    one.links.setPeers([{ id: 2, url: proxy.url }]);
    two.links.setPeers([{ id: 1, url: NOWHERE }]);
    await until('up', () => two.events.length === 1);
    proxy.freeze();
    await until('given up', () => two.events.length === 2);
    proxy.restore();
    await until('down', () => one.events.length === 2);
    expect([...one.abandoned, ...two.abandoned]).toEqual([false, false]);
  });

  it('keeps no process alive after it was closed', async () => {
    const one = await start(1);
    const three = http.createServer((_, response) => response.writeHead(404).end());
    await new Promise<void>((resolve) => three.listen(0, '127.0.0.1', resolve));
    cleanUp(async () => void three.close());
    const peers = [
      { id: 1, url: one.url },
      { id: 3, url: `http://127.0.0.1:${(three.address() as AddressInfo).port}` },
      { id: 4, url: NOWHERE },
      { id: 5, url: 'nowhere' },
    ];
    const { child, url } = await startChild(2, peers, 'leave');
    one.links.setPeers([{ id: 2, url }]);
    await until('up', () => one.events.length === 1);
    const left = once(child, 'exit');
    child.stdin!.write('leave\n');
    expect(await left).toEqual([0, null]);
    await until('down', () => one.events.length === 2);
    expect(one.events[1]).toMatch(/^down 2 .*it said goodbye$/);
  });

  it('comes up from the other side if a tunnel before one of them closes and refuses', async () => {
    const one = await start(1);
    const two = await start(2);
    const proxy = await joinThroughTunnel(one, two);
    two.links.setPeers([{ id: 1, url: one.url }]);
    proxy.refuse();
    await until('up again', () => one.events.length === 3 && two.events.length === 3);
    expect(one.events.map((event) => event.split(' ')[0])).toEqual(['up', 'down', 'up']);
    two.links.send(1, 'e', count(1));
    one.links.send(2, 'e', count(2));
    await until('both hear', () => one.heard.length === 1 && two.heard.length === 1);
  });

  it('backs off from a peer that accepts and closes again', async () => {
    const one = await start(1, { backOffMs: [20, 200] });
    const two = await start(2);
    const proxy = await startProxy(two.url);
    proxy.refuse();
    const startMs = performance.now();
    one.links.setPeers([{ id: 2, url: proxy.url }]);
    await until('six attempts', () => proxy.asked >= 6);
    // Without jitter 20 + 40 + 80 + 160 + 200; at least half of each is waited.
    expect(performance.now() - startMs).toBeGreaterThan(250 - 5);
    expect(one.status(2).via).toBe('none');
  });

  it('begins its back-off anew after a connection that lasted', async () => {
    const one = await start(1, { backOffMs: [20, 600_000], pingMs: 50, missedPings: 1000 });
    const two = await start(2);
    const proxy = await startProxy(two.url);
    proxy.refuse();
    two.links.setPeers([{ id: 1, url: NOWHERE }]);
    one.links.setPeers([{ id: 2, url: proxy.url }]);
    await until('seven attempts', () => proxy.asked >= 7);
    proxy.restore();
    await until('up', () => one.events.length === 1);
    const upMs = performance.now();
    await until('it lasted', () => performance.now() - upMs > 1100);
    const askedBefore = proxy.asked;
    proxy.refuse();
    await until('down', () => one.events.length === 2);
    // That takes a second. Had the back-off gone on, it would take 40 seconds at least, which is longer than is waited for.
    await until('six attempts', () => proxy.asked >= askedBefore + 6);
  });

  it('does not let a peer that stops reading delay the others, and holds back only so much for it', async () => {
    const one = await start(1, { queueMessages: 50, missedPings: 100 });
    const two = await start(2, { missedPings: 100 });
    const three = await start(3);
    const proxy = await joinThroughTunnel(one, two);
    one.links.setPeers([
      { id: 2, url: proxy.url },
      { id: 3, url: three.url },
    ]);
    three.links.setPeers([{ id: 1, url: one.url }]);
    await until('up', () => one.events.length === 2);
    proxy.freeze();
    let sent = 0;
    while (one.status(2).dropped < 100) {
      one.links.send(2, 'e', count(sent++, 50_000));
      one.links.send(3, 'e', count(sent));
      // Only what the event loop has had time for can have arrived.
      await until('the other hears', () => numbers(three).at(-1) === sent);
      expect(one.status(2).queued).toBeLessThanOrEqual(50);
    }
    expect(one.status(3).dropped).toBe(0);
    expect(one.status(2).via).toBe('link');
    proxy.restore();
    await until('the newest arrives', () => numbers(two).at(-1) === sent - 1);
    expect(two.heard.length).toBe(one.status(2).sent);
    expect(one.status(2)).toMatchObject({ queued: 0, dropped: sent - two.heard.length });
    expect(numbers(two)).toEqual(numbers(two).toSorted((a, b) => a - b));
  });

  it('is down at once when the other side hangs up, however much was still to be written', async () => {
    const one = await start(1, { queueMessages: 5, missedPings: 1000 });
    const two = await start(2);
    const proxy = await joinThroughTunnel(one, two);
    proxy.freeze();
    for (let i = 0; one.status(2).dropped === 0; i++) {
      one.links.send(2, 'e', count(i, 100_000));
      await new Promise((resolve) => setImmediate(resolve));
    }
    proxy.hangUp();
    await until('down', () => one.events.length === 2);
  });

  it('moves to the connection that the other side opens when it has lost one, without a loss on this side', async () => {
    const one = await start(1, { missedPings: 100_000 });
    const two = await start(2, { pingMs: 50, missedPings: 4 });
    const proxy = await joinThroughTunnel(one, two);
    two.links.setPeers([{ id: 1, url: one.url }]);
    proxy.freeze();
    await until('up past the tunnel', () => two.events.length === 3);
    one.links.send(2, 'e', count(1));
    await until('heard', () => two.heard.length === 1);
    expect(one.events).toHaveLength(1);
    proxy.restore();
    await until(
      'one connection',
      async () => (await openConnections([one])) === 1 && proxy.connections === 0,
    );
    two.links.send(1, 'e', count(2));
    await until('heard on this side', () => one.heard.length === 1);
    expect(one.events).toHaveLength(1);
  });

  it('is closed if nobody answers the pings', async () => {
    const one = await start(1, { pingMs: 50, missedPings: 4 });
    const two = await start(2);
    const proxy = await joinThroughTunnel(one, two);
    proxy.freeze();
    await until('down', () => one.events.length === 2);
    expect(one.events[1]).toMatch(/^down 2 .*no ping was answered for 0\.2 s$/);
    proxy.restore();
    await until('up again', () => one.events.length === 3);
  });

  it('is not closed because this process was stalled', async () => {
    const [one, two] = await startCluster(2, { pingMs: 20, missedPings: 5 });
    const endMs = performance.now() + 300;
    while (performance.now() < endMs);
    one!.links.send(2, 'e', count(1));
    await until('heard', () => two!.heard.length === 1);
    const { roundTripMs } = one!.status(2);
    await until('more pings', () => one!.status(2).roundTripMs !== roundTripMs);
    expect(one!.events).toHaveLength(1);
  });

  it('refuses what it cannot read, tells and goes on', async () => {
    const one = await start(1);
    one.links.setPeers([{ id: 2, url: NOWHERE }]);
    const ws = await speak(one, 2);
    const wrong = [
      'not json',
      '[',
      '"text"',
      'null',
      '["e"]',
      '[1,{"type":"a"}]',
      '["e",[]]',
      '["e",{}]',
      '["e",{"type":7}]',
      '[["e",{"type":"a"}],["e"]]',
      `[${Array.from({ length: 257 }, () => '["e",{"type":"a"}]').join()}]`,
      JSON.stringify({
        caucus: 2,
        id: 2,
        cluster: 'test',
        incarnation: 1,
        life: 'l',
        url: 'http://x',
        process: null,
      }),
      `["e",${'['.repeat(100_000)}`,
    ];
    for (const frame of wrong) ws.send(frame);
    ws.send(Buffer.from([1, 2, 3]));
    ws.send('["e",{"type":"fine"}]');
    await until('the good one arrived', () => one.heard.length === 1);
    expect(one.refused.map(({ kind }) => kind)).toEqual([
      ...['not-json', 'not-json', 'bad-shape', 'bad-shape', 'bad-shape', 'bad-shape'],
      ...['bad-shape', 'bad-shape', 'bad-shape', 'bad-shape', 'bad-shape', 'bad-shape'],
      ...['not-json', 'not-json'],
    ]);
    expect(one.refused.every(({ from }) => from === 'member 2 at http://x')).toBe(true);
    expect(one.events).toHaveLength(1);
  });

  it('refuses a stranger that does not say who it is', async () => {
    const linkOf = ({ url: own }: { readonly url: string }): string => `${own.replace('http', 'ws')}/link`;
    const one = await start(2, { helloMs: 50 });
    await once(new WebSocket(linkOf(one)), 'close');
    const patient = await start(3);
    const rude = new WebSocket(linkOf(patient));
    await once(rude, 'open');
    rude.send('["e",{"type":"vote"}]');
    const [said] = (await once(rude, 'message')) as [Buffer];
    expect(JSON.parse(said.toString())).toEqual({
      refused: 'bad-shape',
      reason: 'a message before the hello',
    });
    expect(patient.heard).toEqual([]);
  });

  it('refuses web pages and other paths', async () => {
    const one = await start(1);
    const base = one.url.replace('http', 'ws');
    const page = new WebSocket(`${base}/link`, { origin: 'https://example.org' });
    expect(((await once(page, 'error')) as [Error])[0].message).toContain('403');
    const elsewhere = new WebSocket(`${base}/chat`);
    expect(((await once(elsewhere, 'error')) as [Error])[0].message).toContain('404');
  });

  it('is found below the path of the member, and leaves other upgrades to their owners', async () => {
    const one = await start(1);
    const two = await start(2, {}, { path: '/inner/caucus' });
    two.server.on('upgrade', (request, socket) => {
      if (request.url === '/chat') socket.end('HTTP/1.1 418 No\r\nContent-Length: 0\r\n\r\n');
    });
    introduce([one, two]);
    await until('up', () => one.events.length === 1);
    const chat = new WebSocket(`ws://${new URL(two.url).host}/chat`);
    expect(((await once(chat, 'error')) as [Error])[0].message).toContain('418');
  });
});
