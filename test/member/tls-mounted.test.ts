/** Members with certificates that are mounted on servers of the user's own. */
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import type { Member } from '../../src/member/index.ts';
import { until } from '../support/linked.ts';
import { ask, authorities, cleanUp, isLinked, start } from '../support/tls-bed.ts';

/** The port of a server that passes all that it gets on to the member, once there is one. */
async function serve(server: http.Server, memberOf: () => Member | null): Promise<number> {
  server.on('request', (request, response) => memberOf()?.handler(request, response));
  server.on('upgrade', (request, socket, head) => {
    if (memberOf()?.handleUpgrade(request, socket, head) !== true) socket.destroy();
  });
  cleanUp(async () => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

it('a server that asks for certificates serves links, and refuses clients without', async () => {
  const { ca } = authorities();
  const members: (Member | null)[] = [null, null];
  const ports: number[] = [];
  for (const i of [0, 1]) {
    const { cert, key } = await ca.issue(i + 1);
    const tls = { cert, key, ca: ca.own.cert, requestCert: true, rejectUnauthorized: false };
    ports.push(await serve(https.createServer(tls), () => members[i]!));
  }
  const peers = ports.map((port, i) => ({ id: i + 1, url: `https://127.0.0.1:${port}/caucus` }));
  for (const { id, url } of peers) {
    const { member } = await start({ id, peers, url, mounted: true, tls: await ca.member(id) });
    members[id - 1] = member;
  }
  await until('they are connected', () => members.every((member) => isLinked(member!)));
  const said = await ask(ports[0]!, 'POST', '/caucus/term', {}, { voterId: 2, term: 9 });
  expect([said.status, JSON.parse(said.body).error.code]).toEqual([401, 'E_CERTIFICATE']);
});

it('a server without TLS serves no link, and the member says what it needs', async () => {
  const { ca } = authorities();
  let member: Member | null = null;
  const port = await serve(http.createServer(), () => member);
  const url = `https://127.0.0.1:${port}`;
  ({ member } = await start({ id: 1, url, mounted: true, tls: await ca.member(1) }));
  const response = await fetch(`http://127.0.0.1:${port}/term`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ voterId: 2, term: 9 }),
  });
  expect(response.status).toBe(401);
  expect(await response.json()).toMatchObject({
    error: { code: 'E_CERTIFICATE', message: expect.stringContaining('requestCert: true') },
  });
});
