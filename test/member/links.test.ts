import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { TAKES_LISTS } from '../../src/peers/index.ts';
import { openConnections, start, startCluster } from '../support/link-bed.ts';
import { count, introduce, numbers, until } from '../support/linked.ts';

const upTo = (n: number): number[] => Array.from({ length: n }, (_, i) => i);

describe('links', () => {
  it('keep one connection per pair', async () => {
    const members = await startCluster(5);
    await until('ten connections', async () => (await openConnections(members)) === 10);
    for (const member of members) {
      expect(member.links.status.map(({ via }) => via)).toEqual(['link', 'link', 'link', 'link']);
    }
  });

  it('come down to one connection per pair when all dial at once, and nobody sees a loss', async () => {
    const members = await startCluster(5, { yieldMs: 0 });
    await until('ten connections', async () => (await openConnections(members)) === 10);
    for (const from of members) {
      for (const to of members) if (to !== from) from.links.send(to.id, 'e', count(0));
    }
    await until('all heard all', () => members.every((member) => member.heard.length === 4));
    const losses = members.flatMap(({ events }) => events.filter((event) => !event.startsWith('up')));
    expect(losses).toEqual([]);
    expect(await openConnections(members)).toBe(10);
  });

  it('carry messages in order, each way, with their election', async () => {
    const [one, two] = await startCluster(2);
    for (const i of upTo(500)) {
      one!.links.send(2, 'a', count(i));
      two!.links.send(1, 'b', count(i));
    }
    await until('all arrived', () => one!.heard.length === 500 && two!.heard.length === 500);
    expect(numbers(one!)).toEqual(upTo(500));
    expect(two!.heard).toEqual(upTo(500).map((i) => ({ from: 1, election: 'a', message: count(i) })));
    expect(one!.status(2)).toMatchObject({ sent: 500, received: 500, dropped: 0, queued: 0 });
    expect(one!.status(2).bytesSent).toBe(two!.status(1).bytesReceived);
    await until('a round trip', () => one!.status(2).roundTripMs !== null);
    expect(one!.status(2).roundTripMs).toBeLessThan(1000);
  });

  it('carry the same in lists, to a process that understands them and beside one that does not', async () => {
    const features = [TAKES_LISTS];
    const all = [await start(1, {}, { features }), await start(2, {}, { features }), await start(3)] as const;
    const [one, two, three] = all;
    introduce(all);
    await until('up', () => all.every(({ events }) => events.length === 2));
    for (const i of upTo(1000)) for (const to of [2, 3]) one.links.send(to, 'a', count(i));
    one.links.send(2, 'b', count(1000, 200_000));
    one.links.send(2, 'a', count(1001));
    await until('all arrived', () => two.heard.length === 1002 && three.heard.length === 1000);
    expect(numbers(two)).toEqual(upTo(1002));
    expect(numbers(three)).toEqual(upTo(1000));
    expect(two.heard.map(({ election }) => election).indexOf('b')).toBe(1000);
    expect(two.status(1)).toMatchObject({ received: 1002, bytesReceived: one.status(2).bytesSent });
    expect(three.status(1)).toMatchObject({ received: 1000, bytesReceived: one.status(3).bytesSent });
    expect(all.flatMap(({ refused }) => refused)).toEqual([]);
  });

  it('take a burst that is much larger than what may wait', async () => {
    const [one, two] = await startCluster(2, { queueMessages: 10 });
    for (const i of upTo(5000)) one!.links.send(2, 'e', count(i, 200));
    await until('the last arrived', () => numbers(two!).at(-1) === 4999);
    expect(one!.status(2).sent + one!.status(2).dropped).toBe(5000);
    expect(two!.heard.length).toBe(one!.status(2).sent);
    // Far more than what a connection buffers and the queue holds, since the system takes it as it comes.
    expect(two!.heard.length).toBeGreaterThan(2000);
  });

  it('lose nothing of a message for each of 10,000 elections that one event causes', async () => {
    const features = [TAKES_LISTS];
    const [one, two] = [await start(1, {}, { features }), await start(2, {}, { features })];
    introduce([one, two]);
    await until('a connection', () => one.events.length === 1 && two.events.length === 1);
    for (const i of upTo(10_000)) one.links.send(2, `e${i}`, count(i, 300));
    await until('the last arrived', () => numbers(two).at(-1) === 9999);
    expect(one.status(2)).toMatchObject({ sent: 10_000, dropped: 0 });
    expect(numbers(two)).toEqual(upTo(10_000));
  });

  it('send what was waiting for the first connection', async () => {
    const one = await start(1);
    const two = await start(2);
    introduce([one, two]);
    two.links.send(1, 'e', count(7));
    await until('it arrived', () => one.heard.length === 1);
  });

  it('drop what is for somebody who cannot be reached, and connect when it is there', async () => {
    const one = await start(1);
    const two = await start(2);
    const port = Number(new URL(two.url).port);
    introduce([one, two]);
    await until('up', () => one.events.length === 1);
    await two.stop();
    await until('down', () => one.events.length === 2);
    expect(one.events[1]).toBe(`down 2 (${two.identity.incarnation}): it said goodbye`);
    for (const i of upTo(20)) one.links.send(2, 'e', count(i));
    await until('given up', () => one.status(2).dropped === 20);
    expect(one.status(2)).toMatchObject({ via: 'none', queued: 0 });

    const again = await start(2, {}, { port });
    introduce([one, again]);
    await until('up again', () => one.events.length === 3);
    one.links.send(2, 'e', count(21));
    await until('heard', () => again.heard.length === 1);
    expect(numbers(again)).toEqual([21]);
    await until('one connection', async () => (await openConnections([one, again])) === 1);
  });

  it('do not send a frame that is too large, and close a connection that brings one', async () => {
    const [one, two] = await startCluster(2, { frameBytes: 1000 });
    one!.links.send(2, 'e', count(1, 2000));
    one!.links.send(2, 'e', count(2));
    await until('the small one arrived', () => two!.heard.length === 1);
    expect(numbers(two!)).toEqual([2]);
    expect(one!.status(2).dropped).toBe(1);

    const ws = new WebSocket(`${two!.url.replace('http', 'ws')}/link`);
    await new Promise((resolve) => ws.once('open', resolve));
    const closed = new Promise<number>((resolve) => ws.once('close', resolve));
    ws.send('x'.repeat(2000));
    expect(await closed).toBe(1009);
    expect(two!.refused.map(({ kind }) => kind)).toEqual(['too-large']);
    expect(two!.events).toHaveLength(1);
  });

  it('leave a peer that is removed, and take it back', async () => {
    const [one, two, three] = await startCluster(3);
    one!.links.setPeers([{ id: 2, url: two!.url }]);
    expect(one!.events.at(-1)).toBe(`down 3 (${three!.identity.incarnation}): it is no longer a peer`);
    expect(one!.links.status.map(({ id }) => id)).toEqual([2]);
    await until('it was refused', () => three!.refused.some(({ kind }) => kind === 'unknown-member'));
    expect(one!.refused.at(-1)?.reason).toContain('member 3');
    introduce([one!, two!, three!]);
    await until('back', () => one!.events.at(-1) === `up 3 (${three!.identity.incarnation})`);
  });

  it('find a peer that has moved', async () => {
    const one = await start(1);
    const two = await start(2);
    one.links.setPeers([{ id: 2, url: 'http://127.0.0.1:9' }]);
    two.links.setPeers([]);
    one.links.send(2, 'e', count(1));
    await until('given up', () => one.status(2).dropped === 1);
    introduce([one, two]);
    await until('up', () => one.events.length === 1);
    expect(one.status(2).url).toBe(two.url);
  });

  it('never throw: not for a URL that is none, nor for a member that is unknown, nor when closed', async () => {
    const one = await start(1);
    one.links.setPeers([{ id: 2, url: 'nowhere' }]);
    one.links.send(2, 'e', count(1));
    one.links.send(9, 'e', count(1));
    await until('given up', () => one.status(2).dropped === 1);
    await one.links.close();
    one.links.send(2, 'e', count(1));
    one.links.setPeers([{ id: 3, url: 'http://127.0.0.1:9' }]);
    expect(one.links.status.map(({ id }) => id)).toEqual([2]);
    expect(one.events).toEqual([]);
  });

  it('say nothing after they were closed, and let the other side know at once', async () => {
    const [one, two] = await startCluster(2);
    const closing = one!.links.close();
    two!.links.send(1, 'e', count(1));
    await closing;
    await until('down', () => two!.events.length === 2);
    expect(one!.events).toHaveLength(1);
    expect(one!.heard).toEqual([]);
  });
});
