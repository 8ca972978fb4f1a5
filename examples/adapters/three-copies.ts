/** For the examples of HTTP frameworks: three copies of a service, of which one leads and each is asked to do the job. */
import { type Election, join, type Member } from 'caucus';

/** Starts one copy; returns what stops it. */
type Start = (member: Member, election: Election, port: number) => Promise<() => unknown>;

export async function threeCopies(ports: readonly number[], start: Start): Promise<void> {
  const peers = ports.map((port) => ({ id: `m${port}`, url: `http://127.0.0.1:${port}/caucus` }));
  const shutdown = new AbortController();
  const copies = await Promise.all(
    peers.map(async ({ id, url }, i) => {
      const member = await join({ id, url, peers, mounted: true });
      const election = member.election();
      const stop = await start(member, election, ports[i]!);
      const leading = election.lead(({ ended }) => ended, { signal: shutdown.signal });
      return { member, election, stop, leading };
    }),
  );
  for (const { election } of copies) {
    for await (const { leader } of election.observe()) if (leader !== null) break;
  }
  let passedOn = 0;
  for (const port of ports) {
    const answer = await fetch(`http://127.0.0.1:${port}/job`, { method: 'POST' });
    if (!(await answer.text()).endsWith(` m${port}`)) passedOn++;
  }
  process.stdout.write(`${passedOn} of ${ports.length} pass the job on to the leader\n`);
  shutdown.abort();
  for (const { member, stop, leading } of copies) {
    await leading;
    await member.close();
    await stop();
  }
}
