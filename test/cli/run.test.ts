/**
 * `caucus run` as it was built: three real processes, each with a command that ignores SIGTERM. All commands append to one
 * file, and the order of its lines is the order in which they were at work: as soon as a token has appeared, no smaller one
 * may appear again.
 */
import type { ChildProcess } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { freePorts } from '../support/free-ports.ts';
import { caucus, start } from './caucus.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests look at whatever was printed.
type Printed = any;

const CHILD = fileURLToPath(new URL('./run-child.sh', import.meta.url));
/** `CAUCUS_ROUNDS=50 npx vitest run test/cli/run.test.ts` takes more. */
const ROUNDS = Number(process.env.CAUCUS_ROUNDS ?? 10);
const IDS = [1, 2, 3];

/** One `caucus run`, with its log. */
class Run {
  readonly id: number;
  readonly process: ChildProcess;
  readonly ended: Promise<number | null>;

  constructor(id: number, args: readonly string[], onLog: (run: Run, entry: Printed) => void) {
    this.id = id;
    this.process = start(['run', '--json', ...args]);
    createInterface({ input: this.process.stderr! }).on('line', (line) => onLog(this, JSON.parse(line)));
    this.process.stdout!.resume();
    // Not `close`: a command that outlives it would hold its output open.
    this.ended = new Promise((resolve) => this.process.on('exit', resolve));
  }
}

/** Three of them for one election. */
class Trio {
  readonly log: { readonly run: Run; readonly entry: Printed }[] = [];
  readonly runs = new Map<number, Run>();
  readonly #folder: string;
  readonly #ports: readonly number[];
  readonly #command: readonly string[];
  readonly #waiting = new Set<() => void>();

  constructor(folder: string, ports: readonly number[], command: readonly string[]) {
    this.#folder = folder;
    this.#ports = ports;
    this.#command = command;
  }

  url(id: number): string {
    return `http://127.0.0.1:${this.#ports[id - 1]}`;
  }

  start(id: number, ...flags: string[]): Run {
    const peers = IDS.map((each) => `${each}=${this.url(each)}`).join(',');
    const data = path.join(this.#folder, String(id));
    // Rounds are many, so leases are short.
    const own = ['--election', 'job', '--id', String(id), '--peers', peers, '--data', data];
    const args = [...own, '--option', 'preset=lan', ...flags];
    const run = new Run(id, [...args, '--', ...this.#command], (from, entry) => {
      this.log.push({ run: from, entry });
      for (const look of [...this.#waiting]) look();
    });
    this.runs.set(id, run);
    return run;
  }

  /** The first entry from this place of the log on that fits. */
  seen(fits: (entry: Printed, run: Run) => boolean, from = 0): Promise<{ run: Run; entry: Printed }> {
    return new Promise((resolve) => {
      const look = (): void => {
        const found = this.log.slice(from).find(({ run, entry }) => fits(entry, run));
        if (found === undefined) return;
        this.#waiting.delete(look);
        resolve(found);
      };
      this.#waiting.add(look);
      look();
    });
  }

  /** Whose command is at work, of those that were started from this place of the log on. */
  async atWork(file: string, from = 0): Promise<{ run: Run; entry: Printed }> {
    for (;;) {
      const last = this.log.slice(from).findLast(({ entry }) => isStarted(entry));
      // On a busy machine a lease may end before a command has come to anything; then another is started.
      if (last !== undefined && isWorking(file, last.entry.token)) return last;
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
  }

  async end(): Promise<void> {
    for (const { process: child, ended } of this.runs.values()) {
      child.kill('SIGCONT');
      child.kill('SIGTERM');
      await ended;
    }
  }
}

/** Its first child. */
function keeperOf({ pid }: ChildProcess): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ')[0]);
}

const isStarted = (entry: Printed): boolean => entry.event === 'started';

/** The lines of the commands that stand after the first of a larger token: there may be none. */
function late(file: string): string[] {
  let largest = 0n;
  return readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .filter((line) => {
      const token = BigInt(line.split(' ')[0]!);
      if (token > largest) largest = token;
      return token < largest;
    });
}

const LOOK_EVERY_MS = 5;

/** Is the command of this token the one that wrote last? */
function isWorking(file: string, token: string): boolean {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').slice(-TAIL).split('\n') : [];
  return lines.at(-2)?.startsWith(`${token} tick `) ?? false;
}

/** As much of a file as holds its last lines. */
const TAIL = 200;

let folder: string;
let file: string;
const trios: Trio[] = [];

async function trio(...command: string[]): Promise<Trio> {
  const made = new Trio(folder, await freePorts(3), command);
  trios.push(made);
  return made;
}

beforeEach(() => {
  chmodSync(CHILD, 0o755);
  folder = mkdtempSync(path.join(tmpdir(), 'caucus-run-'));
  file = path.join(folder, 'work');
});

afterEach(async () => {
  for (const each of trios.splice(0)) await each.end();
  rmSync(folder, { recursive: true, force: true });
});

/** Takes the lead away from whoever has it, again and again; a command is at work each time. */
async function rounds(
  take: (trio: Trio, leader: Run) => void | Promise<void>,
  ...flags: string[]
): Promise<string[]> {
  const three = await trio(CHILD, file);
  for (const id of IDS) three.start(id, ...flags);
  let seen = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const { run } = await three.atWork(file, seen);
    seen = three.log.length;
    await take(three, run);
  }
  await three.atWork(file, seen);
  await three.end();
  return late(file);
}

const TIME_LIMIT_MS = 300_000;
/** A command that ignores SIGTERM has its whole grace, in every round. */
const BRIEF = ['--kill-after', '0.2'];

describe('a command that ignores SIGTERM is dead before the next one starts', () => {
  it(`when caucus run is killed with -9, ${ROUNDS} times of ${ROUNDS}`, {
    timeout: TIME_LIMIT_MS,
  }, async () => {
    const found = await rounds(async (three, leader) => {
      leader.process.kill('SIGKILL');
      await leader.ended;
      three.start(leader.id);
    });
    expect(found).toEqual([]);
  });

  it(`when caucus run and its keeper are killed with -9, ${ROUNDS} times of ${ROUNDS}`, {
    timeout: TIME_LIMIT_MS,
  }, async () => {
    const found = await rounds(async (three, leader) => {
      process.kill(keeperOf(leader.process), 'SIGKILL');
      leader.process.kill('SIGKILL');
      await leader.ended;
      three.start(leader.id);
    });
    expect(found).toEqual([]);
  });

  it(`when it is told to resign, ${ROUNDS} times of ${ROUNDS}`, { timeout: TIME_LIMIT_MS }, async () => {
    const found = await rounds(
      async (three, leader) => {
        await fetch(`${three.url(leader.id)}/elections/job/resign`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: '{}',
        });
      },
      ...BRIEF,
    );
    expect(found).toEqual([]);
  });

  it(`when caucus run is stopped with SIGSTOP, ${ROUNDS} times of ${ROUNDS}`, {
    timeout: TIME_LIMIT_MS,
  }, async () => {
    let stopped: Run | null = null;
    const found = await rounds((_, leader) => {
      stopped?.process.kill('SIGCONT');
      stopped = leader;
      leader.process.kill('SIGSTOP');
    });
    expect(found).toEqual([]);
  });

  it('when it resigns: SIGTERM first, the whole grace although it is longer than the lease, then SIGKILL', async () => {
    const GRACE_MS = 3000;
    // That makes it 1.5 s: on a busy machine, a shorter lease ends before the resignation.
    const lease = ['--timing', 'timeoutMs=[1800,3600]'];
    const three = await trio(CHILD, file);
    for (const id of IDS) three.start(id, '--kill-after', String(GRACE_MS / 1000), ...lease);
    const { run, entry } = await three.atWork(file);
    const seen = three.log.length;
    const startMs = performance.now();
    const asked = fetch(`${three.url(run.id)}/elections/job/resign`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });
    const { entry: end } = await three.seen(({ event }, from) => event === 'ended' && from === run, seen);
    expect(performance.now() - startMs).toBeGreaterThan(GRACE_MS * 0.9);
    expect(end).toMatchObject({ how: 'killed', signal: 'SIGKILL', overdue: false });
    expect((await asked).status).toBe(200);
    expect(readFileSync(file, 'utf8')).toContain(`${entry.token} term `);
    await three.atWork(file, seen);
    expect(late(file)).toEqual([]);
  });

  it('when it is ended in order, and the others take over', async () => {
    const three = await trio(CHILD, file);
    for (const id of IDS) three.start(id, '--kill-after', '0.2');
    const { run, entry } = await three.atWork(file);
    const seen = three.log.length;
    run.process.kill('SIGTERM');
    expect(await run.ended).toBe(128 + 9);
    await three.atWork(file, seen);
    expect(late(file)).toEqual([]);
    expect(readFileSync(file, 'utf8')).toContain(`${entry.token} term `);
  });
});

describe('why a command lost its lead', () => {
  /** What each of the members says of the end of the leadership with this token. */
  const endings = (three: Trio, token: string, ids = IDS): Promise<string[]> =>
    Promise.all(
      ids.map(async (id) => {
        for (;;) {
          const answered = await fetch(`${three.url(id)}/elections/job/history`);
          const { history } = (await answered.json()) as Printed;
          const end = history[history.findLastIndex((row: Printed) => row.token === token) + 1];
          if (end !== undefined && end.leader === null) return `${end.cause}: ${end.detail}`;
          await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
        }
      }),
    );

  async function working(): Promise<{ three: Trio; run: Run; token: string; pid: number }> {
    const three = await trio('/bin/sh', '-c', `echo $$ > "${file}"; exec sleep 1000`);
    for (const id of IDS) three.start(id, '--timing', 'timeoutMs=[6000,12000]');
    const { run, entry } = await three.seen(isStarted);
    while (!existsSync(file) || !readFileSync(file, 'utf8').endsWith('\n'))
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    return { three, run, token: entry.token, pid: Number(readFileSync(file, 'utf8')) };
  }

  it('because its renewal was late: all members say so', { timeout: 120_000 }, async () => {
    const { three, run, token, pid } = await working();
    run.process.kill('SIGSTOP');
    while (existsSync(`/proc/${pid}`)) await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    run.process.kill('SIGCONT'); // The lease lasts for as long again as CMD has had between the two signals.
    const why = `lease-expired: ${run.id} stopped leading: its lease was not renewed in time, so its command was ended`;
    expect(await endings(three, token)).toEqual([why, why, why]);
  });

  it('because its command ended: the others say so', { timeout: 120_000 }, async () => {
    const { three, run, token, pid } = await working();
    process.kill(pid, 'SIGKILL');
    await run.ended;
    const others = IDS.filter((id) => id !== run.id);
    const why = `resigned: ${run.id} resigned: its command was ended by SIGKILL`;
    expect(await endings(three, token, others)).toEqual([why, why]);
  });
});

describe('caucus run', () => {
  /** Long enough that a busy machine does not cost a member its lead. */
  const CALM = ['--timing', 'timeoutMs=[1500,3000]'];
  /** One member alone is its own majority. */
  const alone = (flags: readonly string[], ...command: string[]): ReturnType<typeof caucus> =>
    caucus(['run', '--election', 'job', '--id', 'solo', ...CALM, ...flags, '--', ...command]);

  it('gives the command its token, its election and its name, and ends with its exit code', async () => {
    const script = 'echo "$CAUCUS_TOKEN $CAUCUS_ELECTION $CAUCUS_MEMBER"; exit 7';
    const { code, stdout, stderr } = await alone(['--data', folder], '/bin/sh', '-c', script);
    expect({ code, stdout }).toEqual({ code: 7, stdout: '1 job solo\n' });
    expect(stderr).toMatch(/elected with token 1\n[\s\S]*ended with exit code 7\n/);
  });

  it('ends as a shell does when its command dies of a signal, is not there or cannot be run', async () => {
    expect((await alone(['--quiet'], '/bin/sh', '-c', 'kill -USR1 $$')).code).toBe(128 + 10);
    expect((await alone([], path.join(folder, 'missing'))).code).toBe(127);
    expect((await alone([], folder)).code).toBe(126);
  });

  it('starts the command again if that is wanted, under the same token', async () => {
    const script = `echo "$CAUCUS_TOKEN" >> "${file}"`;
    const flags = ['--election', 'job', '--id', 'solo', ...CALM, '--on-exit', 'restart'];
    const run = start(['run', ...flags, '--', '/bin/sh', '-c', script]);
    try {
      while (!existsSync(file) || readFileSync(file, 'utf8').split('\n').length < 3) {
        await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
      }
      expect(readFileSync(file, 'utf8')).toMatch(/^(\d+)\n\1\n/);
    } finally {
      run.kill('SIGTERM');
      await new Promise((resolve) => run.once('exit', resolve));
    }
  });

  it('gives up when it is not elected in time', async () => {
    const [port] = await freePorts(1);
    const { code, stderr } = await alone(
      ['--timeout', '0.3', '--listen', '127.0.0.1:0', '--peer', `b=http://127.0.0.1:${port}`],
      'true',
    );
    expect(code).toBe(1);
    expect(stderr).toContain('not elected within 300 ms');
  });

  it('passes signals on, and what is typed', async () => {
    const script =
      'trap "echo got it; exit 0" USR1; read line; echo "read $line"; while :; do sleep 0.01; done';
    const run = start(['run', '--id', 'solo', ...CALM, '--', '/bin/sh', '-c', script]);
    const lines = createInterface({ input: run.stdout! })[Symbol.asyncIterator]();
    run.stdin!.write('something\n');
    expect((await lines.next()).value).toBe('read something');
    run.kill('SIGUSR1');
    expect((await lines.next()).value).toBe('got it');
    expect(await new Promise((resolve) => run.once('exit', resolve))).toBe(0);
  });

  it('gives up, with nothing left of the command, when its keeper is killed', async () => {
    const run = start(['run', '--id', 'solo', '--quiet', ...CALM, '--', CHILD, file]);
    const ended = new Promise((resolve) => run.once('exit', resolve));
    while (!existsSync(file)) await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    process.kill(keeperOf(run), 'SIGKILL');
    expect(await ended).toBe(1);
    const pid = Number(readFileSync(file, 'utf8').split(' ')[2]);
    const stat = existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, 'utf8') : ') Z';
    expect(stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3)).toMatch(/[ZX]/);
  });

  it('ends with a code of its own after a loss under --once, also if the command ends well', async () => {
    const ports = await freePorts(2);
    const peers = `a=http://127.0.0.1:${ports[0]},b=http://127.0.0.1:${ports[1]}`;
    const voter = start(['node', '--id', 'b', '--peers', peers, '--priority', '0', ...CALM]);
    const voterGone = new Promise((resolve) => voter.once('exit', resolve));
    voter.stdout!.resume();
    const script = 'trap "echo ending; exit 0" TERM; echo up; while :; do sleep 0.01; done';
    const flags = ['--id', 'a', '--peers', peers, '--once', '--quiet', ...CALM];
    const run = start(['run', ...flags, '--', '/bin/sh', '-c', script]);
    const ended = new Promise((resolve) => run.once('exit', resolve));
    try {
      const lines = createInterface({ input: run.stdout! })[Symbol.asyncIterator]();
      expect((await lines.next()).value).toBe('up');
      voter.kill('SIGKILL');
      expect((await lines.next()).value).toBe('ending');
      expect(await ended).toBe(75);
    } finally {
      voter.kill('SIGKILL');
      run.kill('SIGTERM');
      await Promise.all([voterGone, ended]);
    }
  });

  it('refuses bad flags in one line, with exit code 2', async () => {
    const refused = async (...flags: string[]): Promise<string> => {
      const { code, stderr } = await alone(flags, 'true');
      expect(code).toBe(2);
      return stderr;
    };
    expect(await refused('--kill-after', 'soon')).toBe(
      'caucus: --kill-after: expected a number from 0 to 1000000, found "soon"\n',
    );
    expect(await refused('--on-exit', 'panic')).toMatch(
      /^caucus: --on-exit: expected "resign" or "restart", .*\n$/,
    );
    expect(await refused('--priority', '0')).toMatch(/^caucus: --priority: .*never lead\n$/);
    expect((await caucus(['run', 'echo', '-n', 'hi'])).stderr).toBe(
      "caucus: unknown option '-n' (write -- before the command)\n",
    );
    expect((await caucus(['run'])).stderr).toMatch(/^caucus: missing required argument 'CMD'\n$/);
  });
});
