/** A member on a server of the user's: under plain http, Express and Fastify, at a path of its own. */
import http, { type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import fastify from 'fastify';
import { afterEach, describe, expect, it } from 'vitest';
import { join, type Member } from '../../src/member/index.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;
/** Puts the handler that it will be given at /caucus of a server that listens, and says where, and how to stop it. */
type Mount = (handler: Handler) => Promise<{ url: string; stop: () => Promise<unknown> }>;

const urlOf = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}/caucus`;

async function listening(server: Server): ReturnType<Mount> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: urlOf(server), stop: () => new Promise((resolve) => server.close(resolve)) };
}

const mounts: Readonly<Record<string, Mount>> = {
  'plain http': (handler) => listening(http.createServer(handler)),
  Express: (handler) => listening(http.createServer(express().use('/caucus', handler))),
  'Express behind express.json()': (handler) =>
    listening(http.createServer(express().use(express.json()).use('/caucus', handler))),
  async Fastify(handler) {
    const app = fastify();
    app.addHook('onRequest', (request, reply, done) => {
      if (!request.url.startsWith('/caucus/')) return done();
      reply.hijack();
      handler(request.raw, reply.raw);
    });
    await app.listen({ host: '127.0.0.1', port: 0 });
    return { url: urlOf(app.server), stop: () => app.close() };
  },
};

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function started(mount: Mount): Promise<Member> {
  let member: Member | null = null;
  const { url, stop } = await mount((request, response) => member!.handler(request, response));
  member = await join({ id: 'solo', mounted: true, url, options: { preset: 'lan' } });
  closing.push(async () => {
    await member!.close();
    await stop();
  });
  member.seat().stand();
  await expect.poll(() => member!.electionPort('main').acting).toBe(true);
  return member;
}

describe.each(Object.entries(mounts))('a member that is mounted under %s', (_, mount) => {
  it('answers questions at its path and below', async () => {
    const { url } = await started(mount);
    expect(await (await fetch(`${url}/status`)).json()).toMatchObject({ voterId: 'solo' });
    expect(await (await fetch(`${url}/elections/main/status`)).json()).toMatchObject({ voterId: 'solo' });
    expect((await fetch(`${url}/leader`)).status).toBe(200);
    expect((await fetch(`${url}/nonsense`)).status).toBe(404);
  });

  it('takes commands with a body', async () => {
    const { url } = await started(mount);
    const headers = { 'content-type': 'application/json' };
    const put = await fetch(`${url}/value`, { method: 'PUT', headers, body: '{"value":{"port":7}}' });
    expect({ status: put.status, body: await put.json() }).toMatchObject({ status: 200 });
    expect(await (await fetch(`${url}/value`)).json()).toMatchObject({ value: { port: 7 } });
    expect((await fetch(`${url}/resign`, { method: 'POST' })).status).toBe(200);
  });
});
