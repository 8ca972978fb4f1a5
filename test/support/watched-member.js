/**
 * A member in a process of its own that always stands. It says all that a test needs to judge it, one JSON object a line: how it
 * stands, after every change; what it logs; and, every few milliseconds, that it may act, with the moment by the machine's
 * monotonic clock, which is the same for all processes. It runs the build, as users do, which is loaded in a third of the time,
 * or that of an earlier release. A line of its standard input is a command for its main election.
 */
import { createInterface } from 'node:readline';

const { join } = await import(process.env.CAUCUS_BUILD ?? '../../dist/index.js');

const EVERY_MS = 3;

const say = (what) => {
  process.stdout.write(`${JSON.stringify(what)}\n`);
};
const nowUs = () => Number(process.hrtime.bigint() / 1000n);

const options = JSON.parse(process.argv[2]);
const member = await join({ ...options, log: ({ message }) => say({ log: message }) });
const port = member.electionPort(member.mainElection);
let before = '';

const look = () => {
  const { role, leader, version, value } = port.view;
  const now = JSON.stringify({ standing: { role, leader, version, value } });
  if (now !== before) process.stdout.write(`${now}\n`);
  before = now;
  const askedUs = nowUs();
  const { acting, token } = port;
  // It could act at some moment between the two.
  if (acting) say({ acting: String(token), askedUs, answeredUs: nowUs() });
};
port.subscribe(look);
setInterval(look, EVERY_MS);
createInterface({ input: process.stdin }).on('line', (line) => {
  void port.command(JSON.parse(line)).then((ordered) => say({ ordered }));
});
member.seat().stand();
say({ up: member.url });
look();
process.once('SIGTERM', () => {
  void member.close().then(() => process.exit(0));
});
