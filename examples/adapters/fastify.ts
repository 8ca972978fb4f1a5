/** Three copies of a service with Fastify: each has a member at /caucus, and the job runs on the leader. */
import { join, type Leadership } from 'caucus';
import { leaderOnly, mountHealth, mountMember } from 'caucus/fastify';
import fastify from 'fastify';

const ports = process.argv.slice(2, 5).map(Number); // Three free ports.
const peers = ports.map((port) => ({ id: `m${port}`, url: `http://127.0.0.1:${port}/caucus` }));

const copies = await Promise.all(
  peers.map(async ({ id, url }, i) => {
    const member = await join({ id, url, peers, mounted: true });
    const election = member.election();
    const app = fastify({ forceCloseConnections: true });
    mountMember(app, member, { commands: false });
    mountHealth(app, election, '/health');
    const onRequest = leaderOnly(election, { member, otherwise: 'forward' });
    app.post('/job', { onRequest }, async () => `done by ${election.self}`);
    await app.listen({ host: '127.0.0.1', port: ports[i]! });
    return { member, election, app };
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
for (const { member, app } of copies) {
  await member.close();
  await app.close();
}
