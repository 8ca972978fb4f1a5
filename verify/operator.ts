/**
 * `npx tsx verify/operator.ts --seconds 120 --seed 1`: an operator who changes a cluster at random, while processes are killed
 * and stopped, disks are lost and links are cut.
 *
 * Three members are founded on five hosts of their own (network and pid namespaces), with two elections. Commands are given to
 * the leader, to the wrong member, twice at once, and while the leader dies. Members write to a ledger whenever they lead. At
 * the end all faults end, and the cluster must have leaders, and all of its members must agree on members and times.
 */
import { rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { OperatedHosts } from '../test/support/operated-hosts.ts';
import { Random } from './hostile/random.ts';

const ELECTIONS = ['main', 'jobs'];
const IDS = ['a', 'b', 'c', 'd', 'e'];
const SETTLED_WITHIN_MS = 90_000;
const SECRET = `umask 077; head -c 32 /dev/urandom | base64 > secret
head -c 32 /dev/urandom | base64 > token; echo "alice operate $(cat token)" > tokens
for host in 10.0.0.1 10.0.0.2 10.0.0.3 10.0.0.4 10.0.0.5; do scp secret tokens $host:/etc/caucus/; done`;

interface Seen {
  readonly voterId: string;
  readonly leader: string | null;
  readonly members: readonly {
    readonly voterId: string;
    readonly votes: boolean;
    readonly healthy: boolean;
  }[];
  readonly pending: readonly string[];
  readonly paused: boolean;
  readonly timing: { readonly words: string };
}

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '120' },
    seed: { type: 'string', default: '1' },
    logs: { type: 'boolean', default: false },
  },
});
const random = new Random(Number(values.seed));
process.env.WRITER_LOGS = '1';
const cluster = await OperatedHosts.open(5, ELECTIONS, SECRET);
const { lab } = cluster;
const token = (await lab.run('cat token')).trim();
const running = new Set<string>();
const stopped = new Set<string>();
const counts = new Map<string, number>();
let cutUntilMs = 0;

const print = (text: string): void => void process.stdout.write(`${text}\n`);
const say = (line: string): void => print(`${new Date().toISOString().slice(11, 23)} ${line}`);
const count = (what: string): void => void counts.set(what, (counts.get(what) ?? 0) + 1);
const hostOf = (id: string): number => 1 + IDS.indexOf(id);
const founders = cluster.peers('a', 'b', 'c');

function start(id: string): void {
  running.add(id);
  const isFounder = founders.some((each) => each.id === id);
  const shiftMs = random.chance(0.3) ? (random.chance(0.5) ? -7_200_000 : 7_200_000) : 0;
  const shift = path.resolve('test/support/clock-shift.cjs');
  const before = ['env', `CLOCK_SHIFT_MS=${shiftMs}`, `NODE_OPTIONS=--require ${shift}`];
  cluster.start(id, isFounder ? { peers: founders } : { join: cluster.urlOf('a') }, ...before);
}

async function kill(id: string): Promise<void> {
  if (!running.delete(id)) return;
  stopped.delete(id);
  await lab.kill(id);
}

async function seenBy(id: string): Promise<Seen | null> {
  try {
    const answer = await fetch(`${cluster.urlOf(id)}/members`, { signal: AbortSignal.timeout(2000) });
    return (await answer.json()) as Seen;
  } catch {
    return null;
  }
}

/** What the leader says, or any member that answers. */
async function seen(): Promise<Seen | null> {
  const all = await Promise.all([...running].map(seenBy));
  // One that was removed does not hear of a pause.
  const known = all.filter((each) => each?.members.some(({ voterId }) => voterId === each.voterId));
  return known.find((each) => each?.leader !== null) ?? known[0] ?? null;
}

async function command(id: string, where: string, body: object): Promise<string> {
  try {
    const answer = await fetch(`${cluster.urlOf(id)}${where}`, {
      method: 'POST',
      signal: AbortSignal.timeout(30_000),
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
    });
    const text = await answer.text();
    if (answer.status >= 500 && answer.status !== 503)
      say(`  !! ${where} at ${id}: ${answer.status} ${text}`);
    return answer.ok ? 'done' : `${answer.status} ${/"message":"([^"]*)/.exec(text)?.[1] ?? text}`;
  } catch (error) {
    return `no answer (${error instanceof Error ? error.name : error})`;
  }
}

/** To the leader, or to any member; sometimes twice at once, and sometimes the leader dies a moment later. */
async function order(where: string, body: object): Promise<void> {
  const leader = (await seen())?.leader;
  const known = leader !== null && leader !== undefined && running.has(leader);
  const to = known && random.chance(0.8) ? leader : random.pick([...running]);
  const asked = [command(to, where, body)];
  if (random.chance(0.15))
    asked.push(command(random.chance(0.5) ? to : random.pick([...running]), where, body));
  if (random.chance(0.12)) {
    const dying = random.pick([to, to, ...running]);
    await sleep(random.next() * 40);
    await kill(dying);
    count('killed during a command');
    say(`${dying} is killed during the command`);
  }
  for (const outcome of await Promise.all(asked)) {
    count(`${where} ${outcome.slice(0, 4)}`);
    say(`${where} ${JSON.stringify(body)} to ${to}: ${outcome}`);
  }
}

const PRESETS = ['steady', 'wan', 'steady', 'default', 'lan'];

const acts: readonly (() => Promise<void>)[] = [
  () => order('/reconfigure', { timing: random.pick(PRESETS) }),
  () =>
    order('/reconfigure', {
      timing: {
        timeoutMs: random.pick([
          [1500, 3000],
          [3000, 5000],
          [800, 1500],
        ]),
      },
    }),
  () => order('/reconfigure', { options: { maxDrift: random.pick([0, 0.01, 0.05, 0.1, null]) } }),
  () => order('/reconfigure', { options: { preferAfter: random.pick([1, 20, 50, null]) } }),
  async () => {
    const id = random.pick(IDS);
    if (!running.has(id)) start(id);
    await sleep(1500);
    await order('/members/add', { voterId: id, voterUrl: cluster.urlOf(id) });
  },
  async () => {
    const members = (await seen())?.members ?? [];
    if (members.length > 3 || (members.length === 3 && random.chance(0.2)))
      await order('/members/remove', { voterId: random.pick(members).voterId });
  },
  async () => {
    const [old, id] = [random.pick(IDS), random.pick(IDS)];
    if (!running.has(id)) start(id);
    await sleep(1500);
    await order('/members/replace', { voterId: old, by: id, voterUrl: cluster.urlOf(id) });
  },
  () => order('/pause', {}),
  () => order('/resume', {}),
  () => order('/resume', {}),
  async () => {
    const id = random.pick([...running]);
    say(`drain ${id}: ${await command(id, '/drain', random.chance(0.6) ? { undo: true } : {})}`);
  },
  () => order('/resign', {}),
  () => order('/transfer', { to: random.pick(IDS) }),
  async () => {
    const leader = (await seen())?.leader;
    const id = leader && running.has(leader) && random.chance(0.6) ? leader : random.pick([...running]);
    count('killed');
    say(`kill -9 ${id}`);
    await kill(id);
  },
  async () => {
    const leader = (await seen())?.leader;
    const id = leader && running.has(leader) && random.chance(0.6) ? leader : random.pick([...running]);
    const ms = 300 + random.next() * 5000;
    count('stopped');
    say(`SIGSTOP ${id} for ${Math.round(ms)} ms`);
    stopped.add(id);
    lab.signal(id, 'SIGSTOP');
    void sleep(ms).then(() => {
      if (!stopped.delete(id)) return;
      lab.signal(id, 'SIGCONT');
    });
  },
  async () => {
    if (cutUntilMs > 0) return;
    const [one, other] = [random.pick(IDS), random.pick(IDS)];
    if (one === other) return;
    count('cut');
    say(`cut ${one} from ${other}`);
    lab.cut(hostOf(one), hostOf(other));
    if (random.chance(0.5))
      for (const id of IDS) if (id !== one && id !== other) lab.cut(hostOf(one), hostOf(id));
    cutUntilMs = Date.now() + 1000 + random.next() * 7000;
  },
  async () => {
    // A disk is lost only while all others have their seats: that is what the protocol promises for.
    const now = await seen();
    if (
      now === null ||
      now.leader === null ||
      now.paused ||
      !now.members.every(({ votes, healthy }) => votes && healthy)
    )
      return;
    const id = random.pick([...running]);
    if (now.members.length < 3) return;
    count('wiped');
    say(`kill -9 ${id} and wipe its folder`);
    await kill(id);
    rmSync(lab.dataOf(hostOf(id)), { recursive: true, force: true });
    start(id);
    // Its seat is given to the new disk before the next one is lost.
    await lab.until(`${id} has its seat again, or was removed`, async () => {
      if (Date.now() > cutUntilMs) lab.heal();
      const after = await seen();
      const own = after?.members.find(({ voterId }) => voterId === id);
      return after !== null && after.leader !== null && (own === undefined || (own.votes && own.healthy));
    });
  },
];

let failure: string | null = null;
try {
  for (const { id } of founders) start(id);
  await cluster.all('a first leader', ['a', 'b', 'c'], ({ leader }) => leader !== null);
  const endMs = Date.now() + Number(values.seconds) * 1000;
  while (Date.now() < endMs) {
    if (cutUntilMs > 0 && Date.now() > cutUntilMs) {
      lab.heal();
      cutUntilMs = 0;
      say('healed');
    }
    for (const id of IDS)
      if (!running.has(id) && (IDS.indexOf(id) < 3 || random.chance(0.3)) && random.chance(0.4)) {
        say(`start ${id}`);
        start(id);
      }
    if (running.size > 0) await random.pick(acts)();
    await sleep(random.next() * 1500);
  }
  say('all faults end');
  lab.heal();
  for (const id of [...stopped]) lab.signal(id, 'SIGCONT');
  for (const id of IDS) if (!running.has(id)) start(id);
  await lab.until('all answer', async () =>
    (await Promise.all(IDS.map(seenBy))).every((each) => each !== null),
  );
  for (const id of IDS) await command(id, '/drain', { undo: true });
  const settledMs = Date.now();
  for (;;) {
    const now = await seen();
    // Shorter times may be too short for a machine that is busy.
    if (now?.leader && !now.timing.words.startsWith('steady'))
      await command(now.leader, '/reconfigure', { timing: 'default' });
    if (now?.paused) for (const { voterId } of now.members) await command(voterId, '/resume', {});
    const views = await Promise.all(
      (now?.members ?? []).map(async ({ voterId }) => ({
        id: voterId,
        of: await seenBy(voterId),
        jobs: await cluster.statusOf(voterId, 'jobs').catch(() => null),
      })),
    );
    const members = now?.members.map(({ voterId }) => voterId) ?? [];
    const isAgreed =
      now !== null &&
      now.leader !== null &&
      !now.paused &&
      now.members.every(({ votes, healthy }) => votes && healthy) &&
      views.every(
        ({ of, jobs }) =>
          of !== null &&
          of.leader === now.leader &&
          String(of.members.map(({ voterId }) => voterId)) === String(members) &&
          of.timing.words === now.timing.words &&
          of.pending.length === 0 &&
          jobs !== null &&
          jobs.leader !== null &&
          String(jobs.knownVoters) === String(members) &&
          jobs.pending.length === 0 &&
          jobs.timing === now.timing.words,
      );
    if (isAgreed) {
      say(`settled after ${Date.now() - settledMs} ms: ${members}, ${now.timing.words}`);
      break;
    }
    if (Date.now() - settledMs > SETTLED_WITHIN_MS) {
      failure = `not settled: ${JSON.stringify({ now, views })}`;
      break;
    }
    await sleep(300);
  }
} catch (error) {
  failure = error instanceof Error ? (error.stack ?? error.message) : String(error);
}
const { overlaps, unwritten } = cluster.outcome;
const died = [...running].filter((id) => lab.members.get(id)!.child.exitCode !== null);
if (failure !== null || overlaps > 0 || died.length > 0 || values.logs) print(lab.logs);
print(
  [...counts]
    .sort()
    .map(([what, n]) => `${what}: ${n}`)
    .join('\n'),
);
print(
  `leaderships ${ELECTIONS.map((name) => cluster.store.leaderships(name))}, overlaps ${overlaps}, not led: ${unwritten.join() || 'none'}, died: ${died.join() || 'none'}`,
);
if (failure !== null) print(`FAILED ${failure}`);
await cluster.close();
process.exit(failure === null && overlaps === 0 && died.length === 0 ? 0 : 1);
