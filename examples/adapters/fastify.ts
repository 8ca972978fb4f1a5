/** A service with Fastify: it has a member at /caucus, and the job runs on the leader. Three free ports: `npx tsx fastify.ts 1 2 3` */
import { leaderOnly, mountHealth, mountMember } from 'caucus/fastify';
import fastify from 'fastify';
import { threeCopies } from './three-copies.ts';

await threeCopies(process.argv.slice(2).map(Number), async (member, election, port) => {
  const app = fastify({ forceCloseConnections: true });
  mountMember(app, member, { commands: false });
  mountHealth(app, election, '/health');
  const onRequest = leaderOnly(election, { member, otherwise: 'forward' });
  app.post('/job', { onRequest }, async () => `done by ${election.self}`);
  await app.listen({ host: '127.0.0.1', port });
  return () => app.close();
});
