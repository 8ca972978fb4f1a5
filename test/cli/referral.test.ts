/** An order that reaches a member that has just stopped leading follows its word to the one that leads now. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it, vi } from 'vitest';
import type { Status } from '../../src/api/wire/index.ts';
import { leaderCommand, resignCommand } from '../../src/cli/commands/ask/asking.ts';

const servers: Server[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  for (const server of servers.splice(0)) {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  }
});

/** A member that takes itself for the leader when asked, and answers an order with what it is given. */
async function member(
  id: string,
  refer: () => object | null,
): Promise<{ url: string; orders: () => number }> {
  let orders = 0;
  const server = createServer((request, response) => {
    const elsewhere = request.method === 'POST' ? refer() : null;
    if (request.method === 'POST') orders += 1;
    response.writeHead(elsewhere === null ? 200 : 409, { 'content-type': 'application/json' });
    response.end(JSON.stringify(elsewhere === null ? statusOf(id, url) : { error: elsewhere }));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, orders: () => orders };
}

/** How a leader describes itself. */
function statusOf(id: string, url: string): Status {
  return {
    voterId: id,
    voterUrl: url,
    cluster: 'caucus',
    electionName: 'main',
    protocol: 'quorum',
    role: 'leader',
    acting: true,
    leader: id,
    leaderUrl: url,
    term: 1,
    token: '1',
    expiresInMs: 100,
    version: 0,
    knownVoters: [id],
    voters: [{ voterId: id, voterUrl: url }],
    cause: 'won',
    detail: 'a majority voted for it',
    illness: null,
    incarnation: 1,
    startedAtMs: 0,
  };
}

const refusal = (leader: string, leaderUrl: string): object => ({
  code: 'E_REFUSED',
  message: `${leader} is the leader`,
  leader,
  leaderUrl,
});

it('asks the leader that a refusal names', async () => {
  const printed = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const b = await member('b', () => null);
  const a = await member('a', () => refusal('b', b.url));
  expect(await resignCommand([a.url], {})).toBe(0);
  expect([a.orders(), b.orders()]).toEqual([1, 1]);
  expect(printed).toHaveBeenCalledWith('b has resigned\n');
});

it('does not follow two members that name each other for ever', async () => {
  const urls: Record<string, string> = {};
  const a = await member('a', () => refusal('b', urls.b!));
  const b = await member('b', () => refusal('a', urls.a!));
  Object.assign(urls, { a: a.url, b: b.url });
  await expect(resignCommand([a.url], {})).rejects.toThrow('b is the leader');
  expect([a.orders(), b.orders()]).toEqual([2, 1]);
});

it('does not take any JSON for the word of a member', async () => {
  const server = createServer((_, response) => response.end('{"leader":"a"}'));
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const expected = `${url}: this is not what a member answers (voterId: expected a name`;
  await expect(leaderCommand([url], {})).rejects.toThrow(expected);
});
