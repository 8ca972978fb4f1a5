/** A member of links alone, in a process of its own. Says where it is, then does what its last argument says. */
import { introduce, startLinked } from './linked.ts';

const [id, peers, then] = process.argv.slice(2);
const member = await startLinked(Number(id));
introduce([member]);
member.links.setPeers(JSON.parse(peers!));
process.stdout.write(`${member.url}\n`);
if (then === 'leave') {
  // A message to each, so that every kind of link is in use at the moment of leaving.
  for (const { id } of member.links.status) member.links.send(id, 'e', { type: 'hello' });
  await new Promise<void>((resolve) => process.stdin.once('data', () => resolve()));
  process.stdin.destroy();
  await member.stop();
}
