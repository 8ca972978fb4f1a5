/**
 * One member for the bench of memory: node memory-member.mjs ID PEERS DATA ELECTIONS. It stands in all its elections, and its work
 * takes no memory of its own. It tells what it holds after a forced garbage collection.
 */
import { setFlagsFromString, writeHeapSnapshot } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { join } from '../dist/member/index.js';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
const [id, peers, data, elections] = process.argv.slice(2);
const list = JSON.parse(peers);
const own = list.find((peer) => String(peer.id) === id);
const member = await join({
  id: own.id,
  url: own.url,
  listen: { host: '127.0.0.1', port: Number(new URL(own.url).port) },
  peers: list,
  data,
  limits: { elections: 10_000 },
  // A forced collection blocks a process for as long as a lease of the usual times.
  timing: { heartbeatMs: 2000, timeoutMs: [12_000, 20_000], leaseMs: 10_000 },
});
const names = Array.from({ length: Number(elections) }, (_, i) => (i === 0 ? member.mainElection : `e${i}`));
for (const name of names) void member.election(name).lead(({ ended }) => ended);
/** What the garbage collector must free takes some turns of the event loop: finalizers, timers that were cancelled. */
async function settled() {
  for (let i = 0; i < 4; i++) {
    collect();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  collect();
  return process.memoryUsage();
}
process.on('message', async ({ ask, file }) => {
  const ports = names.map((name) => member.electionPort(name));
  const led = ports.filter((port) => port.acting).length;
  const resting = ports.filter(({ host }) => host.resting.isOn).length;
  if (ask === 'state') process.send({ led, resting });
  if (ask === 'memory') {
    const garbage = process.memoryUsage();
    process.send({ led, garbage, memory: await settled() });
  }
  if (ask === 'snapshot') process.send({ file: writeHeapSnapshot(file) });
});
process.on('disconnect', () => process.exit(0));
process.send({ up: true });
