/**
 * A member in a process of its own, for tests that kill and stop processes. Takes its options as JSON, stands for election, and
 * says everything that changes on its standard output, one JSON object a line.
 */
import { type AnyJoinOptions, join } from '../../src/member/index.ts';

const say = (what: object): void => {
  process.stdout.write(`${JSON.stringify(what)}\n`);
};

const member = await join(JSON.parse(process.argv[2]!) as AnyJoinOptions);
const port = member.electionPort(member.mainElection);
let before = '';
const look = (): void => {
  const { acting, token, view } = port;
  const now = JSON.stringify({ acting, token: String(token), leader: view.leader, role: view.role });
  if (now === before) return;
  before = now;
  say({ ...JSON.parse(now), why: port.history.slice(-3).map(({ detail }) => detail) });
};
port.subscribe(look);
member.seat().stand();
say({ up: true });
look();
process.once('SIGTERM', () => {
  void member.close().then(() => say({ closed: true }));
});
