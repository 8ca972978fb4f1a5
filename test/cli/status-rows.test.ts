/** Whom `caucus status` shows in its rows, if what answers is not what was configured. Members are servers that only say so. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { caucus } from './caucus.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

type Says = Readonly<Record<string, unknown>>;

async function listen(say: () => Says): Promise<string> {
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(say()));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Three members of which b leads; `change` is what each says differently, `swapped`: a has the URLs of b and c exchanged. */
async function status(change: Readonly<Record<string, Says>>, swapped = false): Promise<string> {
  const urls: Record<string, string> = {};
  const say = (id: string) => (): Says => ({
    voterId: id,
    voterUrl: urls[id],
    cluster: 'shop',
    electionName: 'main',
    protocol: 'quorum',
    role: id === 'b' ? 'leader' : 'follower',
    acting: id === 'b',
    leader: 'b',
    leaderUrl: urls.b,
    term: 7,
    token: '7',
    version: 0,
    knownVoters: ['a', 'b', 'c'],
    voters: ['a', 'b', 'c'].map((voterId) => ({
      voterId,
      voterUrl: urls[swapped && voterId !== 'a' ? (voterId === 'b' ? 'c' : 'b') : voterId],
      configured: true,
    })),
    cause: 'won',
    detail: 'b leads with token 7',
    illness: null,
    incarnation: 1,
    startedAtMs: 0,
    expiresInMs: null,
    ...change[id],
  });
  for (const id of ['a', 'b', 'c']) urls[id] = await listen(say(id));
  const { stdout, stderr } = await caucus(['status', urls.a!]);
  expect(stderr).toBe('');
  return stdout;
}

it('shows each member under its own name, although the one that was asked has them exchanged', async () => {
  const stdout = await status({}, true);
  expect(stdout).toMatch(/^main of shop \(quorum\): b leads, token 7\n/);
  expect(stdout).toMatch(/^c +follower .*the peers of a call it b: correct them$/m);
  expect(stdout).toMatch(/^b +leader .*the peers of a call it c: correct them$/m);
});

it('shows nothing of a member of another cluster', async () => {
  const stdout = await status({ b: { cluster: 'shopp' } });
  expect(stdout).toMatch(/^main of shop \(quorum\): no leader/);
  expect(stdout).toMatch(/^b +- .*it belongs to the cluster shopp: correct its cluster, or the peers of a$/m);
});

it('says of a member that takes no part why', async () => {
  const none = { role: 'none', acting: false, leader: null, term: 0, token: null };
  const refused = {
    ...none,
    cause: 'refused',
    detail: 'the other members refuse this process: other settings',
  };
  expect(await status({ c: refused })).toMatch(
    /^c +none .*the other members refuse this process: other settings$/m,
  );
  // Such a member knows nothing of the others, so it does not say why they have no leader.
  const down = {
    ...none,
    role: 'follower',
    cause: 'lease-expired',
    detail: 'no message from b arrived in time',
  };
  const stdout = await status({ a: refused, b: down, c: down });
  expect(stdout).toMatch(/^main of shop \(quorum\): no leader: no message from b arrived in time\n/);
});

it('says that takeovers are paused, or all are drained, where that is why no member leads', async () => {
  const idle = { role: 'follower', acting: false, leader: null, cause: 'started', detail: 'nothing decided' };
  const paused = { ...idle, paused: true };
  expect(await status({ a: paused, b: { ...paused, role: 'none' }, c: paused })).toMatch(
    /: no leader: takeovers are paused, until caucus resume\n/,
  );
  const drained = { ...idle, drained: true };
  expect(await status({ a: drained, b: drained, c: drained })).toMatch(
    /: no leader: all members that answer are drained, until caucus drain a --undo\n/,
  );
});
