/** Voters that find each other from a seed do so by https, and register only those whose certificates name them. */
import { expect, it } from 'vitest';
import { freePorts } from '../support/free-ports.ts';
import { until } from '../support/linked.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { ask, authorities, cleanUp, type Logged, portOf, start } from '../support/tls-bed.ts';

const draw = { protocol: 'draw', timing: { heartbeatMs: 50, timeoutMs: [50, 100] } } as const;

it('voters of a seed find each other, and no other client registers', async () => {
  const { ca, other } = authorities();
  const [port] = await freePorts(1);
  const seed = { host: `127.0.0.2:${port}`, url: '/' };
  const all: Logged[] = [];
  for (const [id, host] of [
    ['a', '127.0.0.2'],
    ['b', '127.0.0.3'],
  ] as const)
    all.push(await start({ ...draw, id, listen: { host, port: port! }, seed, tls: await ca.member(id) }));
  const urls = [`https://127.0.0.2:${port}`, `https://127.0.0.3:${port}`];
  for (const { member } of all) {
    member.seat().stand();
    await until(
      'they know each other',
      () =>
        member.voters
          .map(({ url }) => url)
          .sort()
          .join() === urls.join(),
    );
    await until('they are connected', () => member.links.every(({ via }) => via === 'link'));
  }
  await until('one leads', () => all.some(({ member }) => member.electionPort('main').acting));
  const body = { voterId: 'evil', voterUrl: `https://127.0.0.2:${port}` };
  const where = { host: '127.0.0.2' };
  for (const certificate of [{}, await other.issue('evil'), await ca.issue('b')]) {
    const said = await ask(port!, 'POST', '/register', { ...where, ...certificate }, body);
    expect([401, 403]).toContain(said.status);
  }
  expect(all[0]!.member.voters.map(({ id }) => id)).toEqual(['a', 'b']);
  // Its certificate names it, and its URL is on a host of a voter: it may register, but not by http.
  const own = await ca.issue('evil');
  const plain = { ...body, voterUrl: `http://127.0.0.2:${port}` };
  const refused = await ask(port!, 'POST', '/register', { ...where, ...own }, plain);
  expect([refused.status, JSON.parse(refused.body).error.message]).toEqual([
    403,
    expect.stringContaining('https'),
  ]);
});

it('a voter finds its own URL behind a forwarded port by its own certificate', async () => {
  const { ca } = authorities();
  const tls = await ca.member('a');
  const [port] = await freePorts(1);
  const proxy = await startTcpProxy(`http://127.0.0.1:${port}`);
  cleanUp(() => proxy.close());
  const seed = { host: `127.0.0.1:${portOf(proxy)}`, url: '/' };
  const { member } = await start({ ...draw, id: 'a', listen: { host: '127.0.0.1', port: port! }, seed, tls });
  await until('it has found it', () => member.url === `https://127.0.0.1:${portOf(proxy)}`);
});
