/**
 * `npx tsx verify/hostile.ts --messages 20000`: a random search for messages that do lasting harm.
 *
 * Four members (or as many as `--members` says) are founded; then the last dies and a liar takes its name. It sends well-formed messages of every kind that are
 * wrong in some field, over its links to the others and, as strangers would, by POST in any name. Meanwhile the others are
 * asked whether they act. With `--as-leader` the liar also removes members one at a time, as a leader does for its operator: no bound can
 * tell that from the truth, and it may last. With `--secret` the members share a secret, and the liar has it: its lies are proven. Then it stops, and the others must elect, publish, survive a crash of all, and take the last in again.
 */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { freePorts } from '../test/support/free-ports.ts';
import { attack, Liar, type Sent, Watch } from './hostile/attack.ts';
import { Process } from './hostile/members.ts';
import { Random } from './hostile/random.ts';

export interface Wishes {
  readonly messages: number;
  readonly seed: number;
  /**
   * How many are founded, the liar included: 4 or more. One liar of three may vote twice, and make two leaders. More
   * members do not make lies harmless: no connection is cut here, and a liar that says that a leader which is cut off has
   * stopped can make a second one (docs/guarantees.md, threats).
   */
  readonly members?: number;
  /** The liar also changes the members one at a time, as a leader does for its operator. That may do lasting harm. */
  readonly asLeader?: boolean;
  /** The members share a secret, and the liar has it. */
  readonly hasSecret?: boolean;
  /** The members have successors elected in advance, and the liar lies about that too. */
  readonly deputies?: boolean;
  readonly say: (line: string) => void;
}

export interface Found {
  readonly sent: readonly Sent[];
  /** Pairs of members that acted at one moment. */
  readonly overlaps: readonly string[];
  /** In what part of the questions a member acted, while it went on. */
  readonly actingShare: number;
  /** How long it took until a member led, after it stopped and after a crash of all. */
  readonly electedMs: number;
  readonly restartedMs: number;
  /** What went wrong, in words. */
  readonly problems: readonly string[];
}

/** The longest that a member of the preset `lan` waits for a leader, and how long an election may take. */
const TIMEOUT_MS = 300;

export async function search({
  messages,
  seed,
  members: size = 4,
  asLeader = false,
  hasSecret = false,
  deputies = false,
  say,
}: Wishes): Promise<Found> {
  const secret = hasSecret ? randomBytes(32).toString('base64url') : null;
  const folder = mkdtempSync(path.join(tmpdir(), 'caucus-hostile-'));
  const ports = await freePorts(size);
  const urls = new Map(ports.map((port, i) => [i + 1, `http://127.0.0.1:${port}`]));
  const settings = ['--option', 'preset=lan', ...(deputies ? ['--deputies'] : [])];
  const all = [...urls.keys()].map((id) => new Process(id, urls, folder, settings, secret));
  const [members, last] = [all.slice(0, -1), all.at(-1)!];
  const problems: string[] = [];
  try {
    for (const member of all) member.start();
    await electedAfter(all);
    await committed(all, 'before');
    await last.kill();
    const { origin, term, register } = last.record();
    const origins = new Map([[size, { ...origin, life: 'a liar' }]]);
    const liar = new Liar(size, last.url, { term, round: 2, register, origins }, secret);
    say(`founded: term ${term}, version ${register.version}; ${messages} messages, seed ${seed}`);

    const random = new Random(seed);
    const watch = new Watch(members);
    const sent: Sent[] = [];
    for (const member of members) await liar.connect(member);
    sent.push(await attack(liar, members, random, Math.ceil(messages * 0.7), true, asLeader));
    liar.disconnect();
    sent.push(await attack(liar, members, random, Math.floor(messages * 0.3), false, asLeader));
    await watch.end();
    for (const { byLink, byPost, answers } of sent)
      say(`sent ${byLink} over links and ${byPost} by POST, answered ${JSON.stringify(answers)}`);
    for (const member of members) say(`member ${member.id}: ${await refusals(member)}`);

    const electedMs = await electedAfter(members);
    say(`stopped: a leader after ${Math.round(electedMs)} ms`);
    problems.push(...(await lasting(members, 'after the attack')));
    for (const member of members) await member.kill();
    for (const member of members) member.start();
    const restartedMs = await electedAfter(members);
    say(`all crashed and restarted: a leader after ${Math.round(restartedMs)} ms`);
    problems.push(...(await lasting(members, 'after the restart')));
    last.start();
    problems.push(...(await returned(last)));
    for (const member of members) {
      const { term: now, register: held } = member.record();
      say(`member ${member.id}: term ${now}, version ${held.version}, ${held.members.length} members`);
      if (now > 2 ** 42 || held.version > 2 ** 42)
        problems.push(`member ${member.id}: its numbers are used up`);
    }
    const actingShare = watch.acting / Math.max(1, watch.asked);
    return { sent, overlaps: watch.overlaps, actingShare, electedMs, restartedMs, problems };
  } catch (error) {
    for (const { id, log } of all) say(`member ${id}: ${log.slice(-5).join(' | ')}`);
    throw error;
  } finally {
    await Promise.all(all.map((member) => member.kill()));
    rmSync(folder, { recursive: true, force: true });
  }
}

const PATIENCE_MS = 60_000;

async function eventually<T>(what: string, look: () => Promise<T | null>): Promise<T> {
  const endMs = performance.now() + PATIENCE_MS;
  for (;;) {
    const found = await look();
    if (found !== null) return found;
    if (performance.now() > endMs) throw new Error(`never: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** How long it takes until one of them acts and all of them name it. */
async function electedAfter(members: readonly Process[]): Promise<number> {
  await eventually('all answer', async () => {
    const seen = await Promise.all(members.map((member) => member.status()));
    return seen.every((status) => status !== null) ? true : null;
  });
  const startMs = performance.now();
  await eventually('a leader', async () => {
    const seen = await Promise.all(members.map((member) => member.status()));
    return seen.some((status) => status?.acting) ? true : null;
  });
  return performance.now() - startMs;
}

/** A value is published and all show it. Before, it may take a while until they agree. */
async function committed(members: readonly Process[], value: string): Promise<void> {
  await eventually(`the value ${value} at all members`, async () => {
    for (const member of members) {
      if (!(await member.status())?.acting) continue;
      const { status } = await member.ask('PUT', '/value', { value }).catch(() => ({ status: 0 }));
      if (status !== 200) return null;
    }
    const shown = await Promise.all(members.map((member) => member.ask('GET', '/value').catch(() => null)));
    return shown.every((answer) => answer?.body?.value === value) ? true : null;
  });
}

async function lasting(members: readonly Process[], when: string): Promise<string[]> {
  try {
    await committed(members, when);
    return [];
  } catch (error) {
    return [`${when}: ${(error as Error).message}`];
  }
}

async function returned(member: Process): Promise<string[]> {
  try {
    await eventually(`member ${member.id} follows again`, async () => {
      const status = await member.status();
      return status?.role === 'follower' || status?.acting ? true : null;
    });
    return [];
  } catch (error) {
    return [(error as Error).message];
  }
}

async function refusals(member: Process): Promise<string> {
  const { body } = await member.ask('GET', '/metrics');
  const lines = String(body).match(/^caucus_\w*refus\w*\{[^}]*\} [1-9].*$/gm) ?? [];
  return lines.map((line) => line.replace(/^.*="(.*)"\} /, '$1 ')).join(', ');
}

const HELP = `npx tsx verify/hostile.ts [--messages N] [--seed N] [--members N] [--as-leader] [--secret] [--deputies]

Searches for messages that do lasting harm: a liar sends well-formed messages that are wrong in some field to real members.
  --messages N   how many (default: 20000)
  --seed N       draws other messages (default: 1)
  --members N    of how many members the liar is one, 4 to 9 (default: 4)
  --as-leader    the liar also removes members as a leader may; that may last
  --secret       the members share a secret, and the liar has it
  --deputies     the members have successors elected in advance
Exit code: 0 if nothing was found, 1 if something was, 2 for bad input.`;

function flags(): {
  values: {
    messages: string;
    seed: string;
    members: string;
    'as-leader': boolean;
    secret: boolean;
    deputies: boolean;
    help: boolean;
  };
} {
  try {
    return parseArgs({
      options: {
        messages: { type: 'string', default: '20000' },
        seed: { type: 'string', default: '1' },
        members: { type: 'string', default: '4' },
        'as-leader': { type: 'boolean', default: false },
        secret: { type: 'boolean', default: false },
        deputies: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
  } catch (error) {
    process.stderr.write(
      `${(error as Error).message.split('. ')[0]}; --help tells which options there are\n`,
    );
    process.exit(2);
  }
}

if (process.argv[1] === import.meta.filename) {
  const { values } = flags();
  const say = (line: string): void => void process.stdout.write(`${line}\n`);
  if (values.help) {
    say(HELP);
    process.exit(0);
  }
  for (const name of ['messages', 'seed'] as const) {
    if (/^[1-9]\d{0,8}$/.test(values[name])) continue;
    process.stderr.write(
      `--${name}: expected a whole number from 1 to 999999999, found ${JSON.stringify(values[name])}\n`,
    );
    process.exit(2);
  }
  if (!/^[4-9]$/.test(values.members)) {
    process.stderr.write(
      `--members: expected a whole number from 4 to 9, found ${JSON.stringify(values.members)}\n`,
    );
    process.exit(2);
  }
  const found = await search({
    messages: Number(values.messages),
    seed: Number(values.seed),
    members: Number(values.members),
    asLeader: values['as-leader'],
    hasSecret: values.secret,
    deputies: values.deputies,
    say,
  });
  say(
    `a member acted in ${Math.round(found.actingShare * 100 * (Number(values.members) - 1))} % of the time`,
  );
  say(`two acted at once: ${found.overlaps.length === 0 ? 'never' : found.overlaps.slice(0, 5).join('; ')}`);
  const slow = [found.electedMs, found.restartedMs].filter((ms) => ms > 2 * TIMEOUT_MS);
  if (slow.length > 0)
    say(`slower than two timeouts of ${TIMEOUT_MS} ms: ${slow.map(Math.round).join(', ')} ms`);
  for (const problem of found.problems) say(`lasting: ${problem}`);
  process.exitCode = found.overlaps.length + found.problems.length > 0 ? 1 : 0;
}
