/** A service with Express: it has a member at /caucus, and the job runs on the leader. Three free ports: `npx tsx express.ts 1 2 3` */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { health, leaderOnly, mountMember } from 'caucus/express';
import express from 'express';
import { threeCopies } from './three-copies.ts';

await threeCopies(process.argv.slice(2).map(Number), async (member, election, port) => {
  const app = express();
  const server = createServer(app);
  mountMember(app, server, member, { commands: false });
  app.use('/health', health(election));
  app.post('/job', leaderOnly(election, { member, otherwise: 'forward' }), (_, response) => {
    response.send(`done by ${election.self}`);
  });
  await once(server.listen(port, '127.0.0.1'), 'listening');
  return () => server.close().closeAllConnections();
});
