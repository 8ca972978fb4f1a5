/**
 * One member for the bench of takeovers: node takeover-member.mjs ID PEERS DATA ELECTIONS. It stands in all its elections, and
 * tells over its channel when its work begins and ends, by the machine's monotonic clock.
 */
import { join } from '../dist/member/index.js';

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
  ...JSON.parse(process.env.JOIN),
});
const { marks, mark } = globalThis[Symbol.for('caucus.bench.marks')];
const nowMs = () => Number(process.hrtime.bigint()) / 1e6;
/** Changes of many elections are told together: each message takes time of the processor, which would be measured too. */
const TOGETHER_MS = 5;
let news = [];
const tell = (word) => {
  if (news.length === 0)
    setTimeout(() => {
      process.send(news);
      news = [];
    }, TOGETHER_MS);
  news.push({ ...word, atMs: nowMs() });
};
const names = Array.from({ length: Number(elections) }, (_, i) => (i === 0 ? member.mainElection : `e${i}`));
for (const name of names) {
  void member.election(name).lead(async ({ signal }) => {
    tell({ is: 'acting', name, acting: true });
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    tell({ is: 'acting', name, acting: false });
  });
}
const main = member.electionPort(member.mainElection);
let wasActing = false;
main.subscribe(() => {
  if (main.acting && !wasActing) mark('elected');
  wasActing = main.acting;
});
process.on('message', async (what) => {
  if (what === 'resign') {
    // A leader whose process waited for a core longer than its lease leads no more when it is asked.
    await member
      .election(member.mainElection)
      .resign()
      .catch(() => tell({ is: 'refused' }));
  }
  if (what === 'traffic') {
    const sum = (field) => member.links.reduce((total, link) => total + link[field], 0);
    process.send({ is: 'traffic', messages: sum('sent'), bytes: sum('bytesSent') });
  }
  if (what === 'marks') process.send({ is: 'marks', marks, atMs: nowMs() });
});
process.on('disconnect', () => process.exit(0));
tell({ is: 'up' });
