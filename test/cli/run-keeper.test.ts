/** The keeper of a command by itself: with leases that the test writes, and real processes. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KeptCommand as Kept } from '../../src/cli/commands/run/kept-command.ts';
import { noted, notesOf } from './run-log.ts';

const built = (name: string): Promise<unknown> =>
  import(new URL(`../../dist/cli/commands/run/${name}`, import.meta.url).href);
const { KeptCommand } = (await built(
  'kept-command.js',
)) as typeof import('../../src/cli/commands/run/kept-command.ts');
const { runUnderLease } = (await built(
  'under-lease.js',
)) as typeof import('../../src/cli/commands/run/under-lease.ts');
const PROCESS_GROUP = new URL('../../dist/cli/commands/run/process-group.js', import.meta.url).href;
const { isGroupDead } = (await import(
  PROCESS_GROUP
)) as typeof import('../../src/cli/commands/run/process-group.ts');
const CHILD = fileURLToPath(new URL('./run-child.mjs', import.meta.url));
const env = process.env as Record<string, string>;

let folder: string;
let file: string;
const opened: Kept[] = [];

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'caucus-run-'));
  file = path.join(folder, 'notes');
});

afterEach(async () => {
  for (const kept of opened.splice(0)) await kept.close();
  rmSync(folder, { recursive: true, force: true });
});

async function open(onLost: () => void = () => {}): Promise<Kept> {
  const kept = await KeptCommand.open(onLost);
  opened.push(kept);
  return kept;
}

const line = (...habits: string[]): { command: string; args: string[]; env: Record<string, string> } => ({
  command: process.execPath,
  args: [CHILD, file, ...habits],
  env,
});

/**
 * Long enough that a busy machine costs nothing: the keeper has a fifth of it from the kill to its end, and the command
 * another fifth between the two signals.
 */
const LEASE_MS = 5000;

/** A lease that is renewed whenever it is looked at, until `stop`, which returns when it ends. */
function renewed(leaseMs: number): { signal: AbortSignal; readonly expiresInMs: number; stop(): number } {
  let endsAtMs: number | null = null;
  return {
    signal: new AbortController().signal,
    get expiresInMs(): number {
      return endsAtMs === null ? leaseMs : endsAtMs - nowMs();
    },
    stop() {
      endsAtMs ??= nowMs() + leaseMs;
      return endsAtMs;
    },
  };
}

const started = (): Promise<{ pid: number; atMs: number }> => noted(file, ({ what }) => what === 'tick');
/** By the clock of the command's notes. */
const nowMs = (): number => Number(process.hrtime.bigint()) / 1e6;

describe('a command under a lease', () => {
  it('gives the exit code of what ends by itself, and that of a shell for what is not there', async () => {
    const kept = await open();
    const lease = renewed(10_000);
    const sh = (script: string) => ({ command: '/bin/sh', args: ['-c', script], env });
    expect(await runUnderLease(kept, sh('exit 7'), lease, 1000)).toMatchObject({ how: 'exited', code: 7 });
    expect(await runUnderLease(kept, sh('kill -ABRT $$'), lease, 1000)).toMatchObject({ signal: 'SIGABRT' });
    const missing = { command: '/nowhere/at-all', args: [], env };
    expect(await runUnderLease(kept, missing, lease, 1000)).toMatchObject({ how: 'exited', code: 127 });
  });

  it('is asked to end, then killed, before a lease that is not renewed ends', async () => {
    const kept = await open();
    const lease = renewed(LEASE_MS);
    const ended = runUnderLease(kept, line('ignore-term'), lease, 1000);
    await started();
    const endsAtMs = lease.stop();
    expect(await ended).toMatchObject({ how: 'killed', signal: 'SIGKILL', overdue: true });
    const notes = notesOf(file);
    expect(notes.some(({ what }) => what === 'term')).toBe(true);
    // Not when we hear of it: this process may be late itself.
    expect(notes.at(-1)!.atMs, 'the last act of the command').toBeLessThan(endsAtMs);
  });

  it('is overdue, not done, if it ends because it was asked to', async () => {
    const kept = await open();
    const lease = renewed(LEASE_MS);
    const ended = runUnderLease(kept, line(), lease, 1000);
    await started();
    lease.stop();
    expect(await ended).toMatchObject({ how: 'exited', code: 0, overdue: true });
  });

  it('is killed although the process that renews is stopped by SIGSTOP', async () => {
    const script = fileURLToPath(new URL('./run-lease-holder.mjs', import.meta.url));
    const holder = spawn(process.execPath, [
      script,
      String(LEASE_MS),
      process.execPath,
      CHILD,
      file,
      'ignore-term',
    ]);
    try {
      const { pid } = await started();
      holder.kill('SIGSTOP');
      const stoppedAtMs = nowMs();
      await dead(pid);
      const last = notesOf(file).at(-1)!;
      expect(last.atMs, 'the last act of the command').toBeLessThan(stoppedAtMs + LEASE_MS);
    } finally {
      holder.kill('SIGKILL');
    }
  });

  it('dies with its whole group when the process that renews is killed', async () => {
    const script = fileURLToPath(new URL('./run-lease-holder.mjs', import.meta.url));
    const holder = spawn(process.execPath, [
      script,
      '60000',
      process.execPath,
      CHILD,
      file,
      'ignore-term',
      'fork',
    ]);
    const first = await started();
    const second = await noted(file, ({ what, pid }) => what === 'tick' && pid !== first.pid);
    holder.kill('SIGKILL');
    await Promise.all([dead(first.pid), dead(second.pid)]);
  });

  it.each<[string, (holder: number, keeper: number) => void]>([
    [
      'both are killed at the same moment',
      (holder, keeper) => {
        process.kill(keeper, 'SIGKILL');
        process.kill(holder, 'SIGKILL');
      },
    ],
    [
      'the keeper is stopped, and the process that renews is killed',
      (holder, keeper) => {
        process.kill(keeper, 'SIGSTOP');
        process.kill(holder, 'SIGKILL');
      },
    ],
    [
      'the process that renews is stopped, and the keeper is killed',
      (holder, keeper) => {
        process.kill(holder, 'SIGSTOP');
        process.kill(keeper, 'SIGKILL');
      },
    ],
  ])('dies with its whole group when %s', async (_, happen) => {
    const script = fileURLToPath(new URL('./run-lease-holder.mjs', import.meta.url));
    const args = [script, '60000', process.execPath, CHILD, file, 'ignore-term', 'fork'];
    const holder = spawn(process.execPath, args);
    const keeper = Number(await new Promise<Buffer>((resolve) => holder.stdout.once('data', resolve)));
    try {
      const first = await started();
      const second = await noted(file, ({ what, pid }) => what === 'tick' && pid !== first.pid);
      happen(holder.pid!, keeper);
      await Promise.all([dead(first.pid), dead(second.pid)]);
    } finally {
      holder.kill('SIGKILL');
      if (!isDead(keeper)) process.kill(keeper, 'SIGKILL');
    }
  });

  it('dies when its keeper is killed, and whoever runs it is told', async () => {
    let lost = false;
    const kept = await open(() => {
      lost = true;
    });
    const ended = runUnderLease(kept, line('ignore-term', 'fork'), renewed(60_000), 1000);
    const { pid } = await started();
    process.kill(kept.keeperPid, 'SIGKILL');
    await ended;
    expect(lost).toBe(true);
    expect(isGroupDead(pid)).toBe(true);
  });

  it('is given its grace when it is stopped in order, and no more', async () => {
    const kept = await open();
    const polite = runUnderLease(kept, line(), renewed(60_000), 60_000);
    await started();
    kept.stop(60_000);
    expect(await polite).toMatchObject({ how: 'exited', code: 0, overdue: false });
    const first = notesOf(file)[0]!.pid;
    const stubborn = runUnderLease(kept, line('ignore-term'), renewed(60_000), 60_000);
    await noted(file, ({ what, pid }) => what === 'tick' && pid !== first);
    kept.stop(50);
    expect(await stubborn).toMatchObject({ how: 'killed', signal: 'SIGKILL', overdue: false });
  });

  it('leaves nothing behind that it started in the background', async () => {
    const kept = await open();
    const script = `"${process.execPath}" "${CHILD}" "${file}" ignore-term & while ! [ -s "${file}" ]; do :; done`;
    const end = await runUnderLease(
      kept,
      { command: '/bin/sh', args: ['-c', script], env },
      renewed(60_000),
      1000,
    );
    expect(end).toMatchObject({ how: 'exited', code: 0 });
    await dead(notesOf(file)[0]!.pid);
  });
});

/** Can this process run no more? */
function isDead(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return /^[ZX] /.test(stat.slice(stat.lastIndexOf(')') + 2));
  } catch {
    return true;
  }
}

async function dead(pid: number): Promise<void> {
  while (!isDead(pid)) await new Promise((resolve) => setTimeout(resolve, 1));
}

/** A pid namespace without a /proc of its own: there the kernel and /proc speak of different processes. */
const unshare = ['--pid', '--fork', '--kill-child'];
const canUnshare = spawnSync('unshare', [...unshare, 'true']).status === 0;

describe('a process group', () => {
  it.skipIf(!canUnshare)('is not dead because a /proc of others does not show it (needs unshare)', () => {
    const script = `
      const { spawn } = require('node:child_process');
      import(${JSON.stringify(PROCESS_GROUP)}).then(({ isGroupDead, signalGroup }) => {
        const child = spawn('sleep', ['600'], { detached: true });
        child.on('spawn', () => {
          const alive = isGroupDead(child.pid);
          signalGroup(child.pid, 'SIGKILL');
          child.on('exit', () => process.stdout.write([alive, isGroupDead(child.pid)].join()));
        });
      });`;
    const { stdout } = spawnSync('unshare', [...unshare, process.execPath, '-e', script], {
      encoding: 'utf8',
    });
    expect(stdout).toBe('false,true');
  });
});
