/** Three copies of a service with Hono: each has a member at /caucus, and the job runs on the leader. */
import { once } from 'node:events';
import type { Server } from 'node:http';
import { serve } from '@hono/node-server';
import { join, type Leadership } from 'caucus';
import { attach, health, leaderOnly, mountMember } from 'caucus/hono';
import { Hono } from 'hono';

const ports = process.argv.slice(2, 5).map(Number); // Three free ports.
const peers = ports.map((port) => ({ id: `m${port}`, url: `http://127.0.0.1:${port}/caucus` }));

const copies = await Promise.all(
  peers.map(async ({ id, url }, i) => {
    const member = await join({ id, url, peers, mounted: true });
    const election = member.election();
    const app = new Hono();
    mountMember(app, member, { commands: false });
    app.get('/health/*', health(election));
    app.post('/job', leaderOnly(election, { member, otherwise: 'forward' }), (c) =>
      c.text(`done by ${election.self}`),
    );
    const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: ports[i]! }) as Server;
    attach(server, member);
    await once(server, 'listening');
    return { member, election, server };
  }),
);

const stop = new AbortController();
for (const { election } of copies) {
  const work = ({ ended }: Leadership): Promise<unknown> => ended; // It leads until it is lost or called off.
  election.lead(work, { signal: stop.signal }).catch(() => {});
}
for (const { election } of copies) {
  for await (const { leader } of election.observe()) if (leader !== null) break;
}

let passedOn = 0;
for (const port of ports) {
  const answer = await fetch(`http://127.0.0.1:${port}/job`, { method: 'POST' });
  if (!(await answer.text()).endsWith(` m${port}`)) passedOn++;
}
process.stdout.write(`${passedOn} of ${ports.length} pass the job on to the leader\n`);
stop.abort();
for (const { member, server } of copies) {
  await member.close();
  server.close();
  server.closeAllConnections();
}
