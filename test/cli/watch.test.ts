/** What `caucus watch` makes of the stream of a member. */
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { afterEach, expect, it } from 'vitest';
import { MemberClient } from '../../src/cli/commands/ask/member-client.ts';
import { anyJson } from '../../src/core/index.ts';
import { end, start } from './caucus.ts';

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  }
});

/** A member whose stream says these states, and then nothing more. */
async function member(...states: object[]): Promise<string> {
  const server = createServer((_, response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const state of states) response.write(`event: state\ndata: ${JSON.stringify(state)}\n\n`);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const leading = {
  voterId: 'a',
  voterUrl: 'http://127.0.0.1:1',
  cluster: 'caucus',
  electionName: 'main',
  protocol: 'quorum',
  role: 'leader',
  acting: true,
  leader: 'a',
  leaderUrl: 'http://127.0.0.1:1',
  term: 5,
  token: '5',
  version: 0,
  knownVoters: ['a', 'b', 'c'],
  voters: [],
  cause: 'won',
  illness: null,
  incarnation: 1,
  startedAtMs: 0,
};
const won = { ...leading, detail: 'a leads with token 5' };

it('does not say that a leader leads which hands over, although it is still the leader', async () => {
  const stopping = { ...won, acting: false, cause: 'transferred', detail: 'a hands over to c' };
  const seenByOther = { ...won, voterId: 'b', acting: false };
  const child = start(['watch', await member(won, stopping, seenByOther)]);
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout! })) {
    lines.push(line.slice(line.indexOf('  ') + 2));
    if (lines.length === 3) break;
  }
  child.kill('SIGINT');
  await ended;
  expect(lines).toEqual([
    'a leads, token 5 (won: a leads with token 5)',
    'a may not act, token 5 (transferred: a hands over to c)',
    'a leads, token 5 (won: a leads with token 5)',
  ]);
});

it('leaves a member that has fallen silent, so that another one can be asked', async () => {
  const url = await member(won);
  const listen = async (): Promise<void> => {
    const events = new MemberClient(url, undefined).events(
      '/watch',
      anyJson,
      new AbortController().signal,
      100,
    );
    for await (const _ of events);
  };
  await expect(listen()).rejects.toThrow(`${url}: no answer in time`);
});

it('says once of each member what is wrong, although it asks again and again', async () => {
  let requests = 0;
  let enough = (): void => {};
  const asked = new Promise<void>((resolve) => {
    enough = resolve;
  });
  const urls: string[] = [];
  for (let i = 0; i < 2; i++) {
    const server = createServer((_, response) => {
      response.writeHead(404, { 'content-type': 'application/json' });
      const message = 'this member knows no election "nope"; it knows main';
      response.end(JSON.stringify({ error: { code: 'E_NO_ELECTION', message } }));
      if (++requests === 6) enough();
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    urls.push(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  }
  const child = start(['watch', '--election', 'nope', ...urls]);
  const ended = end(child);
  await asked;
  child.kill('SIGINT');
  const lines = (await ended).stderr.trim().split('\n');
  expect(lines).toHaveLength(2);
  for (const line of lines) expect(line).toContain('it knows main');
});
