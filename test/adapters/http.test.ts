/** Three services with a member each, on Express, Fastify and Hono: health, the member's own paths, and "only on the leader". */
import { once } from 'node:events';
import http, { type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ServerType, serve } from '@hono/node-server';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import * as onExpress from '../../src/adapters/express/index.ts';
import * as onFastify from '../../src/adapters/fastify/index.ts';
import * as onHono from '../../src/adapters/hono/index.ts';
import { Election } from '../../src/election/index.ts';
import { Memory } from '../../src/engines/memory/memory.ts';
import { join, type Member } from '../../src/member/index.ts';
import { freePorts } from '../support/free-ports.ts';
import { runExample } from './support/example.ts';

/** Starts a service: /redirect, /forward and /refuse are for the leader, /health tells of it, and the member is at /caucus. */
type Start = (member: Member, election: Election, port: number) => Promise<() => Promise<unknown>>;

const ways = ['redirect', 'forward', 'refuse'] as const;
const closer = (server: Server | ServerType) => () => {
  (server as Server).closeAllConnections();
  return new Promise((resolve) => server.close(resolve));
};

const frameworks: Readonly<Record<string, Start>> = {
  async Express(member, election, port) {
    const app = express();
    const server = http.createServer(app);
    onExpress.mountMember(app, server, member, { commands: false });
    app.use('/health', onExpress.health(election));
    for (const otherwise of ways) {
      app.post(`/${otherwise}`, onExpress.leaderOnly(election, { member, otherwise }));
      app.post(`/${otherwise}`, express.text(), (request, response) => {
        response.status(201).set('x-by', election.self).send(`${request.url} ${request.body}`);
      });
    }
    await once(server.listen(port, '127.0.0.1'), 'listening');
    return closer(server);
  },
  async Fastify(member, election, port) {
    const app = fastify({ forceCloseConnections: true });
    onFastify.mountMember(app, member, { commands: false });
    onFastify.mountHealth(app, election);
    for (const otherwise of ways) {
      const onRequest = onFastify.leaderOnly(election, { member, otherwise });
      app.post(`/${otherwise}`, { onRequest }, async (request, reply) =>
        reply.code(201).header('x-by', election.self).send(`${request.url} ${request.body}`),
      );
    }
    await app.listen({ host: '127.0.0.1', port });
    return () => app.close();
  },
  async Hono(member, election, port) {
    const app = new Hono();
    onHono.mountMember(app, member, { commands: false });
    app.get('/health/*', onHono.health(election));
    for (const otherwise of ways) {
      app.post(`/${otherwise}`, onHono.leaderOnly(election, { member, otherwise }), async (c) => {
        const { pathname, search } = new URL(c.req.url);
        return c.text(`${pathname}${search} ${await c.req.text()}`, 201, { 'x-by': election.self });
      });
    }
    const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port });
    onHono.attach(server, member);
    await once(server, 'listening');
    return closer(server);
  },
};

describe.each(Object.entries(frameworks))('a service with %s', (_, start) => {
  let urls: string[];
  let elections: Election[];
  const closing: (() => Promise<unknown>)[] = [];
  let at: number;
  const leader = (): number => at;
  const other = (): string => urls[(leader() + 1) % 3]!;

  beforeAll(async () => {
    const ports = await freePorts(3);
    urls = ports.map((port) => `http://127.0.0.1:${port}`);
    const peers = urls.map((url, i) => ({ id: `m${i}`, url: `${url}/caucus` }));
    elections = await Promise.all(
      peers.map(async ({ id, url }, i) => {
        const member = await join({ id, url, peers, mounted: true, election: 'job' });
        closing.push(() => member.close());
        const election = member.election();
        closing.push(await start(member, election, ports[i]!));
        return election;
      }),
    );
    const stop = new AbortController();
    closing.unshift(async () => stop.abort());
    for (const election of elections)
      election.lead(({ ended }) => ended, { signal: stop.signal }).catch(() => {});
    await vi.waitFor(
      () => expect(elections.some((election) => election.leadership !== null)).toBe(true),
      30_000,
    );
    at = elections.findIndex((election) => election.leadership !== null);
    const name = elections[at]!.self;
    const told = (): unknown => elections.map((each) => each.leader()?.name);
    await vi.waitFor(() => expect(told()).toEqual([name, name, name]), 30_000);
  });
  afterAll(async () => {
    for (const close of closing.splice(0)) await close();
  });

  const post = (url: string, headers = {}): Promise<Response> =>
    fetch(url, {
      method: 'POST',
      body: 'hello',
      headers: { 'content-type': 'text/plain', ...headers },
      redirect: 'manual',
    });

  it('handles a request on the leader', async () => {
    for (const way of ways) {
      const answer = await post(`${urls[leader()]}/${way}?a=1`);
      expect([answer.status, await answer.text()]).toEqual([201, `/${way}?a=1 hello`]);
    }
  });

  it('redirects a request to the leader, with its path and query', async () => {
    const answer = await post(`${other()}/redirect?a=1&b=%2F`);
    expect(answer.status).toBe(307);
    expect(answer.headers.get('location')).toBe(`${urls[leader()]}/redirect?a=1&b=%2F`);
  });

  it('passes a request on to the leader, and its answer back', async () => {
    const answer = await post(`${other()}/forward?a=1`);
    expect([answer.status, await answer.text()]).toEqual([201, '/forward?a=1 hello']);
    expect(answer.headers.get('x-by')).toBe(elections[leader()]!.self);
    const twice = await post(`${other()}/forward`, { 'caucus-forwarded-by': 'm9' });
    expect([twice.status, twice.headers.get('retry-after')]).toEqual([503, '1']);
  });

  it('refuses a request with who leads', async () => {
    const answer = await post(`${other()}/refuse`);
    const error = `m${leader()} leads job`;
    expect([answer.status, await answer.json()]).toEqual([503, { code: 'E_NOT_LEADER', error }]);
  });

  it('tells of its health', async () => {
    const statuses = await Promise.all(urls.map(async (url) => (await fetch(`${url}/health/leader`)).status));
    expect(statuses).toEqual([0, 1, 2].map((i) => (i === leader() ? 200 : 503)));
    const live = await fetch(`${other()}/health/live`);
    expect([live.status, await live.json()]).toMatchObject([200, { election: 'job', isLeader: false }]);
    expect((await fetch(`${other()}/health/x`)).status).toBe(404);
  });

  it('answers questions to its member, and no commands', async () => {
    const statuses = [0, 1, 2].map(async () => (await fetch(`${other()}/caucus/status`)).status);
    expect(await Promise.all(statuses)).toEqual([200, 200, 200]);
    expect((await fetch(`${other()}/caucus/nonsense`)).status).toBe(404);
    const resign = await fetch(`${urls[leader()]}/caucus/resign`, { method: 'POST' });
    expect([resign.status, await resign.json()]).toMatchObject([403, { code: 'E_NOT_ALLOWED' }]);
  });
});

describe('leaderOnly', () => {
  it('says why it cannot pass a request on', async () => {
    const memory = new Memory();
    const [leading, following] = ['a', 'b'].map((name) => new Election('job', memory.engine({ name })));
    const leadership = await leading!.campaign();
    let url: string | null = null;
    const app = express()
      .use(express.text())
      .use(onExpress.leaderOnly(following!, { otherwise: 'forward', urlOf: () => url }));
    const server = http.createServer(app);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const ask = async (init = {}): Promise<unknown> => {
      const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/x`, init);
      return [answer.status, ((await answer.json()) as { error: string }).error];
    };
    await expect.poll(() => following!.leader()?.name).toBe('a');
    expect(await ask()).toEqual([503, 'a leads job, and its URL is not known']);
    url = 'http://127.0.0.1:1/base';
    expect(await ask()).toEqual([
      502,
      expect.stringMatching(/^the leader at http:\/\/127.0.0.1:1 does not answer/),
    ]);
    const read = { method: 'POST', body: 'x', headers: { 'content-type': 'text/plain' } };
    expect(await ask(read)).toEqual([500, 'the body was read by another handler: put this one before it']);
    await leadership.resign();
    await leading!.close();
    await expect.poll(() => following!.leader()).toBe(null);
    expect(await ask()).toEqual([503, 'job has no leader']);
    await following!.close();
    await closer(server)();
  });

  it('refuses options that it cannot use', () => {
    const election = new Election('job', new Memory().engine());
    expect(() => onExpress.leaderOnly(election)).toThrow(
      'member: expected one, or urlOf, to know where to redirect',
    );
    expect(() => onExpress.leaderOnly(election, { otherwise: 'x' as never })).toThrow(
      'otherwise: expected redirect',
    );
    expect(() => onExpress.mountMember(express(), http.createServer(), {} as never)).toThrow(
      'member: expected',
    );
  });

  it.each(['express', 'fastify', 'hono'])('is what the example of %s shows', async (name) => {
    const ports = await freePorts(3);
    expect(await runExample(`${name}.ts`, ...ports.map(String))).toBe(
      '2 of 3 pass the job on to the leader\n',
    );
  });
});
