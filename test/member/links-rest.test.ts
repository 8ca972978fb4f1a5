import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { Message } from '../../src/core/index.ts';
import { createLinks } from '../../src/member/links/index.ts';
import { cleanUp, start } from '../support/link-bed.ts';
import { count, introduce, numbers, until } from '../support/linked.ts';

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body: Record<string, unknown> | null;
}

interface Voter {
  readonly url: string;
  readonly port: number;
  readonly asked: Asked[];
  /** How many connections it was ever asked for, those for `/link` not counted. */
  readonly sockets: Set<unknown>;
  stop(): Promise<void>;
}

type Answer = (asked: Asked, response: http.ServerResponse) => void;

const EMPTY: Answer = (_, response) => response.writeHead(204).end();

/** A voter that knows nothing of links: a plain HTTP server. */
async function startVoter(answer: Answer, port = 0): Promise<Voter> {
  const asked: Asked[] = [];
  const sockets = new Set<unknown>();
  const server = http.createServer(async (request, response) => {
    if (request.url === '/link') {
      response.writeHead(404).end();
      return;
    }
    sockets.add(request.socket);
    let text = '';
    for await (const chunk of request) text += chunk;
    const entry = {
      method: request.method!,
      path: request.url!,
      body: text === '' ? null : JSON.parse(text),
    };
    asked.push(entry);
    answer(entry, response);
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const stop = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  };
  cleanUp(stop);
  const found = (server.address() as AddressInfo).port;
  return { url: `http://127.0.0.1:${found}`, port: found, asked, sockets, stop };
}

function json(response: http.ServerResponse, value: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

describe('a voter that speaks only REST', () => {
  it('gets every message by POST, in order, over one connection, with who sent it', async () => {
    const voter = await startVoter(EMPTY);
    const one = await start(1, { mainElection: 'main' });
    one.links.setPeers([{ id: 'rest', url: voter.url }]);
    for (let i = 0; i < 50; i++) one.links.send('rest', 'main', count(i));
    one.links.send('rest', 'a/b', { type: 'election/cast', number: '1' } as Message);
    await until('all came', () => voter.asked.length === 51);
    expect(voter.asked.slice(0, 50).map(({ body }) => body!.i)).toEqual(
      Array.from({ length: 50 }, (_, i) => i),
    );
    expect(voter.asked[0]).toEqual({
      method: 'POST',
      path: '/count',
      body: { voterId: 1, voterUrl: one.url, i: 0 },
    });
    expect(voter.asked[50]!.path).toBe('/elections/a%2Fb/election/cast');
    expect(voter.sockets.size).toBe(1);
    await until('counted', () => one.status('rest').sent === 51);
    expect(one.status('rest')).toMatchObject({ via: 'post', dropped: 0, received: 0, queued: 0 });
    expect(one.status('rest').roundTripMs).toBeGreaterThan(0);
    expect(one.events).toEqual([]);
  });

  it('names in `remove` whom it names, not who sent it', async () => {
    const voter = await startVoter(EMPTY);
    const one = await start(1, { mainElection: 'main' });
    one.links.setPeers([{ id: 2, url: `${voter.url}/` }]);
    one.links.send(2, 'main', { type: 'remove', voterId: 3 } as Message);
    await until('came', () => voter.asked.length === 1);
    expect(voter.asked[0]).toMatchObject({ path: '/remove', body: { voterId: 3, voterUrl: one.url } });
  });

  it('answers in its response: an object is the message TYPE/answer', async () => {
    const voter = await startVoter(({ path }, response) => {
      if (path === '/status')
        json(response, { voterId: 2, voterUrl: 'http://v', role: 'follower', type: 'x' });
      else if (path === '/register') json(response, { knownVoters: [1, 2] });
      else if (path === '/list') json(response, [1]);
      else response.writeHead(200).end('thank you');
    });
    const one = await start(1, { mainElection: 'main' });
    one.links.setPeers([{ id: 2, url: voter.url }]);
    for (const type of ['list', 'words', 'status', 'register']) one.links.send(2, 'main', { type });
    await until('both answers', () => one.heard.length === 2);
    expect(voter.asked[2]).toEqual({ method: 'GET', path: '/status', body: null });
    expect(one.heard).toEqual([
      { from: 2, election: 'main', message: { type: 'status/answer', role: 'follower' } },
      { from: 2, election: 'main', message: { type: 'register/answer', knownVoters: [1, 2] } },
    ]);
    expect(one.status(2)).toMatchObject({ sent: 4, received: 2, dropped: 0 });
  });

  it('may say more in one response than the answer', async () => {
    const voter = await startVoter((_, response) =>
      json(response, { voterId: 2, messages: [{ type: 'granted', term: 3 }, { type: 'heartbeat' }] }),
    );
    const one = await start(1, { mainElection: 'main' });
    one.links.setPeers([{ id: 2, url: voter.url }]);
    one.links.send(2, 'main', { type: 'vote' });
    await until('both came', () => one.heard.length === 2);
    expect(one.heard.map(({ message }) => message)).toEqual([
      { type: 'granted', term: 3 },
      { type: 'heartbeat' },
    ]);
  });

  it('is heard apart from the messages by whoever wants that', async () => {
    const voter = await startVoter((_, response) => json(response, { role: 'leader', colour: 'red' }));
    const answers: unknown[] = [];
    const links = createLinks(
      { id: 1, cluster: 'test', incarnation: 1, life: 'l', url: 'http://127.0.0.1:9', process: null },
      {
        onMessage: () => expect.unreachable(),
        onAnswer: (...answer) => void answers.push(answer),
        onUp: () => expect.unreachable(),
        onDown: () => expect.unreachable(),
        onRefused: () => expect.unreachable(),
      },
      { mainElection: 'main' },
    );
    cleanUp(() => links.close());
    links.setPeers([{ id: 2, url: voter.url }]);
    links.send(2, 'main', { type: 'status' });
    await until('answered', () => answers.length === 1);
    expect(answers[0]).toEqual([2, 'main', { type: 'status/answer', role: 'leader', colour: 'red' }]);
  });

  it('may fail: the message is counted as dropped, and the next one is sent', async () => {
    const voter = await startVoter(({ path }, response) => {
      if (path === '/slow') return;
      if (path === '/sick') response.writeHead(500).end('{"type":"x"}');
      else if (path === '/large') response.end(`{"a":"${'x'.repeat(300 * 1024)}"}`);
      else if (path === '/rude') response.destroy();
      else response.end('{}');
    });
    const one = await start(1, { mainElection: 'main', postMs: 1500 });
    one.links.setPeers([{ id: 2, url: voter.url }]);
    for (const type of ['sick', 'large', 'slow', 'rude', 'fine']) one.links.send(2, 'main', { type });
    await until('the last was answered', () => one.heard.length === 1);
    expect(one.heard[0]!.message).toEqual({ type: 'fine/answer' });
    expect(one.status(2)).toMatchObject({ via: 'post', sent: 1, dropped: 4 });
  });

  it('may close a kept connection at the moment of the next request: nothing is lost', async () => {
    const used = new Set<unknown>();
    const voter = await startVoter((_, response) => {
      const { socket } = response;
      if (used.has(socket)) socket!.destroy();
      else json(response, {});
      used.add(socket);
    });
    const one = await start(1);
    one.links.setPeers([{ id: 2, url: voter.url }]);
    for (let i = 0; i < 5; i++) one.links.send(2, 'e', count(i));
    await until('all are answered', () => one.heard.length === 5);
    expect(one.status(2)).toMatchObject({ via: 'post', sent: 5, dropped: 0 });
    expect(used.size).toBe(5);
  });

  it('has so many requests under way and no more, and does not delay others', async () => {
    const open: http.ServerResponse[] = [];
    const slow = await startVoter((_, response) => void open.push(response));
    const quick = await startVoter(EMPTY);
    const one = await start(1, { postsInFlight: 2, queueMessages: 5, postMs: 60_000 });
    one.links.setPeers([
      { id: 2, url: slow.url },
      { id: 3, url: quick.url },
    ]);
    await until('both are known', () => one.links.status.every(({ via }) => via === 'post'));
    for (let i = 0; i < 20; i++) one.links.send(2, 'e', count(i));
    await until('two under way', () => open.length === 2);
    for (let i = 0; i < 5; i++) one.links.send(3, 'e', count(i));
    await until('the other has all', () => one.status(3).sent === 5);
    expect(open).toHaveLength(2);
    expect(one.status(2)).toMatchObject({ queued: 5, dropped: 13 });
    for (const response of open) response.end('{}');
    await until('two more', () => open.length === 4);
    for (const response of open.splice(2)) response.end();
  });

  it('may go and come back', async () => {
    const voter = await startVoter(EMPTY);
    const one = await start(1, { restRecheckMs: 600_000 });
    one.links.setPeers([{ id: 2, url: voter.url }]);
    one.links.send(2, 'e', count(1));
    await until('known', () => one.status(2).sent === 1);
    await voter.stop();
    one.links.send(2, 'e', count(2));
    await until('gone', () => one.status(2).via === 'none');
    expect(one.status(2).dropped).toBe(1);
    const again = await startVoter(EMPTY, voter.port);
    await until('back', () => one.status(2).via === 'post');
    one.links.send(2, 'e', count(3));
    await until('heard', () => again.asked.length === 1);
  });

  it('may become one that keeps links', async () => {
    const voter = await startVoter(EMPTY);
    const one = await start(1, { restRecheckMs: 50 });
    one.links.setPeers([{ id: 2, url: voter.url }]);
    await until('known', () => one.status(2).via === 'post');
    await voter.stop();
    const two = await start(2, {}, { port: voter.port });
    introduce([one, two]);
    await until('linked', () => one.status(2).via === 'link');
    one.links.send(2, 'e', count(1));
    await until('heard', () => two.heard.length === 1);
    expect(numbers(two)).toEqual([1]);
  });

  it('is not to be confused with a member whose proxy has an error', async () => {
    let asked = 0;
    const proxy = http.createServer((_, response) => {
      asked++;
      response.writeHead(502).end();
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    cleanUp(async () => void proxy.close());
    const one = await start(1);
    one.links.setPeers([{ id: 2, url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` }]);
    await until('asked again', () => asked >= 3);
    expect(one.status(2).via).toBe('none');
  });
});
