/** A service with Hono: it has a member at /caucus, and the job runs on the leader. Three free ports: `npx tsx hono.ts 1 2 3` */
import { once } from 'node:events';
import type { Server } from 'node:http';
import { serve } from '@hono/node-server';
import { attach, health, leaderOnly, mountMember } from 'caucus/hono';
import { Hono } from 'hono';
import { threeCopies } from './three-copies.ts';

await threeCopies(process.argv.slice(2).map(Number), async (member, election, port) => {
  const app = new Hono();
  mountMember(app, member, { commands: false });
  app.get('/health/*', health(election));
  app.post('/job', leaderOnly(election, { member, otherwise: 'forward' }), (c) =>
    c.text(`done by ${election.self}`),
  );
  const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port }) as Server;
  attach(server, member);
  await once(server, 'listening');
  return () => server.close().closeAllConnections();
});
