/** Whoever knows what a process says of itself can connect in its name. That must cost the process nothing that lasts. */
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { Message } from '../../src/core/index.ts';
import { ownProcess } from '../../src/member/evidence.ts';
import { encodeHello } from '../../src/member/links/frames.ts';
import type { Identity } from '../../src/member/links/links.ts';
import { start } from '../support/link-bed.ts';
import { introduce, until } from '../support/linked.ts';
import { type Watching, watch } from '../support/watching.ts';

const sockets: WebSocket[] = [];

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.terminate();
});

const LEADER: Identity = {
  id: 2,
  cluster: 'test',
  incarnation: 1,
  life: 'the life of 2',
  url: 'http://127.0.0.1:9',
  process: null,
};

/** Connects as the member 2. One that does not read answers no pings either. */
async function connect(url: string, identity: Identity, isSilent = false): Promise<WebSocket> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/link`, { autoPong: !isSilent });
  sockets.push(socket);
  socket.on('error', () => {});
  await once(socket, 'open');
  socket.send(encodeHello(identity));
  return socket;
}

const received = (socket: WebSocket): string[] => {
  const texts: string[] = [];
  socket.on('message', (data) => texts.push(String(data)));
  return texts;
};

async function one(): Promise<Awaited<ReturnType<typeof start>>> {
  const bed = await start(1, { pingMs: 50, probeMs: 200 });
  bed.links.setPeers([{ id: 2, url: 'http://127.0.0.1:9' }]);
  return bed;
}

describe('a second connection in the name of a process', () => {
  it.each([
    ['that answers no ping', true],
    ['that answers', false],
  ])('%s takes nothing away from the first', async (_, isSilent) => {
    const bed = await one();
    const first = await connect(bed.url, LEADER);
    const heard = received(first);
    await until('up', () => bed.events.length === 1);
    await until('answered', () => bed.links.status[0]!.roundTripMs !== null);
    const second = await connect(bed.url, LEADER, isSilent);
    const stolen = received(second);
    await once(second, 'message'); // The hello of 1.
    bed.links.send(2, 'e', { type: 'x' } as Message);
    await until('the first hears it', () => heard.some((text) => text.startsWith('["e"')));
    await until('one stays', () => second.readyState === WebSocket.CLOSED);
    expect(first.readyState).toBe(WebSocket.OPEN);
    expect(stolen.filter((text) => text.startsWith('['))).toEqual([]);
    expect(bed.events).toHaveLength(1);
  });

  it.each([
    ['that answers no ping', true],
    ['that answers', false],
  ])('%s gets nothing that is meant for the first, although both stay open', async (_, isSilent) => {
    // The larger id closes none of them.
    const bed = await start(3, { pingMs: 50, missedPings: 1000, probeMs: 200 });
    bed.links.setPeers([{ id: 2, url: 'http://127.0.0.1:9' }]);
    const first = await connect(bed.url, LEADER);
    const heard = received(first);
    await until('up', () => bed.events.length === 1);
    const second = await connect(bed.url, LEADER, isSilent);
    const stolen = received(second);
    await once(second, 'message'); // The hello of 3.
    for (const type of ['x', 'y']) {
      bed.links.send(2, 'e', { type } as Message);
      await until(`the first hears ${type}`, () => heard.some((text) => text.includes(`"${type}"`)));
    }
    expect(stolen.filter((text) => text.startsWith('['))).toEqual([]);
    expect(second.readyState).toBe(WebSocket.OPEN);
  });

  it('gets nothing either while the process is too busy to answer', async () => {
    const bed = await start(3, { pingMs: 50, missedPings: 1000, probeMs: 50 });
    bed.links.setPeers([{ id: 2, url: 'http://127.0.0.1:9' }]);
    const first = await connect(bed.url, LEADER, true);
    const heard = received(first);
    await until('up', () => bed.events.length === 1);
    const second = await connect(bed.url, LEADER, true);
    const stolen = received(second);
    await once(second, 'message');
    bed.links.send(2, 'e', { type: 'x' } as Message);
    await until('one of them hears it', () => [...heard, ...stolen].some((text) => text.startsWith('[')));
    expect(stolen.filter((text) => text.startsWith('['))).toEqual([]);
  });

  it('does not keep the process from answering for itself when another one claims its place', async () => {
    // The larger id does not choose which connections stay, so the silent one stays beside the first.
    const bed = await start(3, { pingMs: 50, missedPings: 1000, probeMs: 200 });
    bed.links.setPeers([{ id: 2, url: 'http://127.0.0.1:9' }]);
    const first = await connect(bed.url, LEADER);
    await until('up', () => bed.events.length === 1);
    const second = await connect(bed.url, LEADER, true);
    await once(second, 'message');
    const other = await connect(bed.url, { ...LEADER, life: 'another', incarnation: 9 });
    await until('refused', () => bed.refused.length === 1);
    await until('closed', () => other.readyState === WebSocket.CLOSED);
    expect(first.readyState).toBe(WebSocket.OPEN);
    expect(bed.events).toHaveLength(1);
  });

  it('is no way in for another process that says the same life', async () => {
    const bed = await one();
    const first = await connect(bed.url, LEADER);
    await until('up', () => bed.events.length === 1);
    const elsewhere = { ...ownProcess()!, pid: 2 ** 22 + 1, startTime: '1' };
    const second = await connect(bed.url, { ...LEADER, process: elsewhere });
    await until('refused', () => bed.refused.length === 1);
    await until('closed', () => second.readyState === WebSocket.CLOSED);
    expect([first.readyState, bed.events.length]).toEqual([WebSocket.OPEN, 1]);
  });

  it('shuts nobody out: once it is gone, the process is taken in again', async () => {
    const bed = await start(1, { pingMs: 50, probeMs: 100 });
    const real = await start(2, { refusedBackOffMs: 50, backOffMs: [10, 20] });
    bed.links.setPeers([{ id: 2, url: real.url }]);
    const thief = await connect(bed.url, LEADER);
    await until('the thief is there', () => bed.events.length === 1);
    introduce([bed, real]);
    await until('the process is refused', () => bed.refused.length > 0);
    thief.terminate();
    await until('the process is in', () => bed.links.status[0]!.via === 'link' && bed.events.length >= 3);
    expect(bed.events.at(-1)).toMatch(/^up 2/);
  });
});

describe('where connections are trusted', () => {
  const trusted = { pingMs: 20, missedPings: 3, probeMs: 100, trustConnections: true };

  it('the end of the only connection of a process proves its death', async () => {
    const bed = await start(3, trusted);
    bed.links.setPeers([{ id: 2, url: 'http://127.0.0.1:9' }]);
    const first = await connect(bed.url, LEADER);
    await until('up', () => bed.events.length === 1);
    first.terminate();
    await until('gone', () => bed.gone.length === 1);
    expect(bed.gone).toEqual([`${LEADER.life} for certain`]);
  });

  it('a connection in the name of a process that was given up proves nothing by its end', async () => {
    const bed = await start(3, trusted);
    bed.links.setPeers([{ id: 2, url: 'http://127.0.0.1:9' }]);
    await connect(bed.url, LEADER, true);
    await until('given up', () => bed.gone.length === 1);
    const copy = await connect(bed.url, LEADER);
    await until('the copy is taken for it', () => bed.events.length === 3);
    copy.terminate();
    await until('gone again', () => bed.gone.length === 2);
    expect(bed.gone).toEqual([LEADER.life, LEADER.life]);
  });
});

describe('the death of a process', () => {
  const nowhere = { ...ownProcess()!, pid: 2 ** 22 + 1, startTime: '1' };
  const here = ownProcess()!;
  const real: Identity = { ...LEADER, process: here };
  const forged: Identity = { ...LEADER, process: nowhere };

  /** What was told of deaths, and whether it was certain. */
  function proofs(play: (watching: Watching) => void): boolean[] {
    const watching = watch();
    play(watching);
    watching.clock.advance(100);
    return watching.told.filter((line) => line.includes('gone')).map((line) => line.endsWith('certainly'));
  }

  const lives = (watching: Watching, identity: Identity): void => {
    watching.onUp(identity);
    watching.onLocal(identity);
    watching.onDown(identity, true);
  };

  it('is proven if it alone used its life', () => {
    expect(proofs((watching) => lives(watching, forged))).toEqual([true]);
  });

  it('is not proven by another that said the same life', async () => {
    const found = proofs((watching) => {
      watching.onUp(real);
      watching.onLocal(real);
      lives(watching, forged);
    });
    expect(found).not.toContain(true);
    expect(found.length).toBeGreaterThan(0);
  });

  it('is not proven of the first either, once another has said the same life', () => {
    const first: Identity = { ...LEADER, process: { ...nowhere, pid: nowhere.pid + 1 } };
    const found = proofs((watching) => {
      watching.onUp(first);
      watching.onUp(forged);
      lives(watching, first);
    });
    expect(found).not.toContain(true);
    expect(found.length).toBeGreaterThan(0);
  });

  it('is not proven if its id spoke by POST before it came', async () => {
    const found = proofs((watching) => {
      watching.onPost();
      lives(watching, forged);
    });
    expect(found).toEqual([false]);
  });
});
