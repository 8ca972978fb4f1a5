/** What `caucus watch` makes of the stream of a member. */
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { afterEach, describe, expect, it } from 'vitest';
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
const member = (...states: object[]): Promise<string> => serve((response) => stream(response, states));

/** The same, but its stream ends after them. */
const dying = (...states: object[]): Promise<string> =>
  serve((response) => {
    stream(response, states);
    response.end();
  });

/** The same, with changes that it has seen. */
const witness = (entries: object[], ...states: object[]): Promise<string> =>
  serve((response, path) => {
    if (path === '/watch') return stream(response, states);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ electionName: 'main', history: entries }));
  });

function stream(response: ServerResponse, states: readonly object[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const state of states) response.write(`event: state\ndata: ${JSON.stringify(state)}\n\n`);
}

async function serve(answer: (response: ServerResponse, path: string) => void): Promise<string> {
  const server = createServer((request, response) => answer(response, request.url!));
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

/** The first lines that `caucus watch` prints. */
async function watched(count: number, ...args: string[]): Promise<string[]> {
  const child = start(['watch', ...args]);
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout! })) {
    if (lines.push(line) === count) break;
  }
  child.kill('SIGINT');
  await ended;
  return lines;
}

const entry = (second: number, more: object): object => {
  const at = `2026-01-01T00:00:0${second}.000Z`;
  return { at, atMs: Date.parse(at), leader: null, token: null, ...more };
};

describe('after the watched member has died', () => {
  const seen = [
    entry(1, { leader: 'c', token: '4', cause: 'won', detail: 'c leads with token 4' }),
    entry(2, { cause: 'resigned', detail: 'c was asked to resign' }),
    entry(3, { leader: 'a', token: '5', cause: 'won', detail: 'a leads with token 5' }),
    entry(4, { cause: 'closed', detail: 'a does not answer: its process is gone' }),
    entry(5, { leader: 'b', token: '6', cause: 'won', detail: 'b leads with token 6' }),
  ];
  const next = { ...leading, voterId: 'b', leader: 'b', token: '6', detail: 'b leads with token 6' };

  it('tells what was missed, with its cause and its time, and nothing twice', async () => {
    const later = { ...next, leader: null, token: null, cause: 'resigned', detail: 'b was asked to resign' };
    const lines = await watched(4, await dying(won), await witness(seen, next, later));
    expect(lines[0]).toMatch(/Z {2}a leads, token 5 \(won: a leads with token 5\)$/);
    expect(lines.slice(1, 3)).toEqual([
      '2026-01-01T00:00:04.000Z  there is no leader (closed: a does not answer: its process is gone)',
      '2026-01-01T00:00:05.000Z  b leads, token 6 (won: b leads with token 6)',
    ]);
    expect(lines[3]).toMatch(/Z {2}there is no leader \(resigned: b was asked to resign\)$/);
  });

  it('tells the same as JSON: entries of the history, then the whole state', async () => {
    const lines = await watched(3, '--json', await dying(won), await witness(seen, next));
    expect(lines.map((line) => JSON.parse(line))).toEqual([won, seen[3], next]);
  });

  it('does not tell the end of a leadership again that it has shown', async () => {
    const lost = { ...leading, leader: null, token: null, cause: 'closed', detail: 'gone' };
    const lines = await watched(3, await dying(won, lost), await witness(seen, next));
    expect(lines[1]).toMatch(/there is no leader \(closed: gone\)$/);
    expect(lines[2]).toBe('2026-01-01T00:00:05.000Z  b leads, token 6 (won: b leads with token 6)');
  });

  it('begins with the first later leader that the next member has seen, if that one started later', async () => {
    const lines = await watched(2, await dying(won), await witness(seen.slice(4), next));
    expect(lines[1]).toBe('2026-01-01T00:00:05.000Z  b leads, token 6 (won: b leads with token 6)');
  });
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
