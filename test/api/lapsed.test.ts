/** Between the end of a lease and the moment when anybody notices, only the clock knows. The API goes by the clock. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createApi, type ElectionPort, type MemberPort, noRefusals } from '../../src/api/index.ts';
import { catalogue } from '../../src/protocols/index.ts';
import { ask } from './test-member.ts';

/** A member that was last told that it leads, and has a lease of which `leftMs` is left. */
function leaderWith(leftMs: number): MemberPort {
  const election: ElectionPort = {
    name: 'main',
    protocol: 'quorum',
    view: { role: 'leader', leader: 'a', term: 3, lease: 'lease/1', version: 0, value: null },
    acting: leftMs > 0,
    token: 3n,
    expiresInMs: leftMs > 0 ? leftMs : null,
    history: [{ atMs: 0, leader: 'a', token: 3n, cause: 'won', detail: 'a majority voted for it' }],
    command: () => Promise.resolve({ status: 'done' }),
    receive: () => [],
    ask: () => [],
    subscribe: () => () => {},
  };
  return {
    id: 'a',
    url: 'http://127.0.0.1:1',
    cluster: 'tests',
    definition: catalogue.quorum!,
    incarnation: 1,
    startedAtMs: 0,
    mainElection: 'main',
    voters: [{ id: 'a', url: 'http://127.0.0.1:1' }],
    links: [],
    illness: null,
    elections: [election],
    electionPort: () => election,
    isConfigured: () => true,
    registerVoter: () => ({ accepted: true }),
    refusals: noRefusals(),
    countRefusal: () => {},
    subscribe: () => () => {},
  };
}

let server: http.Server;
afterEach(() => new Promise((resolve) => server.close(resolve)));

async function serve(member: MemberPort): Promise<{ url: string }> {
  server = http.createServer(createApi(member));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

describe('a leader', () => {
  it.each([
    [50, { '/leader': 200, '/primary': 200, '/read-write': 200, '/replica': 503, '/read-only': 200 }],
    [0, { '/leader': 503, '/primary': 503, '/read-write': 503, '/replica': 503, '/read-only': 503 }],
  ])('with %i ms of its lease left', async (leftMs, expected) => {
    const member = await serve(leaderWith(leftMs));
    const found: Record<string, number> = {};
    for (const path of Object.keys(expected)) found[path] = (await ask(member, 'GET', path)).status;
    expect(found).toEqual(expected);
    const { json } = await ask(member, 'GET', '/status');
    expect(json).toMatchObject({ role: 'leader', acting: leftMs > 0, leader: 'a', token: '3' });
    const { text } = await ask(member, 'GET', '/metrics');
    expect(text).toContain(`caucus_is_leader{cluster="tests",election="main"} ${leftMs > 0 ? 1 : 0}\n`);
    expect(text).toContain(`caucus_lease_seconds_left{cluster="tests",election="main"} ${leftMs / 1000}\n`);
  });
});
