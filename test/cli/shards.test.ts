/**
 * `caucus run --shards` as it was built: replicas on one machine, each with a command for each shard that it owns. All commands append
 * to one file, and the order of its lines is the order in which they were at work.
 */
import type { ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { freePorts } from '../support/free-ports.ts';
import { staleWrites } from '../support/shard-lab.ts';
import { caucus, start } from './caucus.ts';

const SHARDS = 4;
/** It says which shard it works on, until it is ended. */
const COMMAND = 'while :; do echo "$CAUCUS_SHARD $CAUCUS_TOKEN" >> "$0"; sleep 0.05; done';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'caucus-run-shards-'));
  file = path.join(folder, 'writes');
});
afterEach(async () => {
  for (const run of runs.splice(0)) {
    if (run.child.exitCode === null && run.child.signalCode === null) run.child.kill('SIGKILL');
    await run.ended;
  }
  rmSync(folder, { recursive: true, force: true });
});

interface Run {
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
  /** The shards whose commands run. */
  readonly shards: Set<number>;
}
const runs: Run[] = [];
let look = (): void => {};

function replica(...command: readonly string[]): Run {
  const child = start([
    ...['run', '--json', '--engine', `local:${folder}`, '--election', 'orders'],
    ...['--shards', String(SHARDS), '--kill-after', '5', '--', ...command],
  ]);
  const ended = new Promise<number | null>((resolve) => child.on('exit', resolve));
  const run: Run = { child, ended, shards: new Set() };
  child.stdout!.resume();
  createInterface({ input: child.stderr! }).on('line', (line) => {
    const { event, shard } = JSON.parse(line) as { event: string; shard: number };
    if (event === 'started') run.shards.add(shard);
    if (event === 'ended') run.shards.delete(shard);
    look();
  });
  runs.push(run);
  return run;
}

/** Waits until these run commands for as many shards. */
function share(...wanted: readonly (readonly [Run, number])[]): Promise<void> {
  return new Promise((resolve) => {
    look = () => {
      if (wanted.every(([run, count]) => run.shards.size === count)) resolve();
    };
    look();
  });
}

describe('caucus run --shards', () => {
  it('runs one command for each shard, moves them when replicas come and go, and ends in order', async () => {
    const a = replica('sh', '-c', COMMAND, file);
    await share([a, SHARDS]);
    const b = replica('sh', '-c', COMMAND, file);
    await share([a, SHARDS / 2], [b, SHARDS / 2]);
    a.child.kill('SIGKILL');
    await a.ended;
    await share([b, SHARDS]);
    const c = replica('sh', '-c', COMMAND, file);
    await share([b, SHARDS / 2], [c, SHARDS / 2]);
    b.child.kill('SIGTERM');
    expect(await b.ended).toBe(128 + 15);
    await share([c, SHARDS]);
    c.child.kill('SIGINT');
    expect(await c.ended).toBe(128 + 2);
    const writes = readFileSync(file, 'utf8');
    expect(staleWrites(writes)).toEqual([]);
    const seen = new Set(writes.split('\n').map((line) => line.split(' ')[0]));
    for (let shard = 0; shard < SHARDS; shard++) expect(seen).toContain(String(shard));
  }, 120_000);

  it('ends with the code of a command that ends by itself', async () => {
    const a = replica('sh', '-c', 'test "$CAUCUS_SHARD" = 2 && exit 7; sleep 60');
    expect(await a.ended).toBe(7);
    expect(existsSync(file)).toBe(false);
  }, 60_000);

  it('refuses what it cannot use', async () => {
    const tried = (...flags: readonly string[]): Promise<{ code: number | null; stderr: string }> =>
      caucus(['run', '--engine', `local:${folder}`, ...flags, '--', 'true']);
    expect(await tried('--shards', '0')).toMatchObject({
      code: 2,
      stderr: 'caucus: --shards: expected a whole number from 1 to 1000, found 0\n',
    });
    expect(await tried('--shards', '4', '--once')).toMatchObject({
      code: 2,
      stderr: 'caucus: --once: expected nothing beside --shards\n',
    });
  });

  it.each([['run'], ['cron', '* * * * *']])(
    '%s refuses a name that leaves no room for those of its elections',
    async (...command) => {
      const name = 'y'.repeat(60);
      for (const engine of [
        ['--engine', `local:${folder}`],
        ['--id', 'a'],
      ])
        expect(
          await caucus([...command, ...engine, '--election', name, '--shards', '2', '--', 'true']),
        ).toMatchObject({
          code: 2,
          stderr: expect.stringContaining('--election: expected the name of a partition: 1 to 52 letters'),
        });
    },
  );

  it('has a leader as a cluster of members, which status and doctor find well', async () => {
    const [port] = await freePorts(1);
    const child = start([
      ...['run', '--json', '--id', 'a', '--listen', `127.0.0.1:${port}`, '--data', path.join(folder, 'a')],
      ...['--election', 'orders', '--shards', '2', '--', 'sleep', '1000'],
    ]);
    child.stdout!.resume();
    child.stderr!.resume();
    const code = new Promise((resolve) => child.once('exit', resolve));
    onTestFinished(() => void child.kill('SIGKILL'));
    const of = [`http://127.0.0.1:${port}`];
    await vi.waitFor(async () => expect((await caucus(['leader', ...of])).code).toBe(0), {
      timeout: 60_000,
      interval: 200,
    });
    await vi.waitFor(
      async () => expect((await caucus(['status', ...of])).stdout).toContain('all 3 elections have a leader'),
      {
        timeout: 60_000,
        interval: 200,
      },
    );
    expect(await caucus(['doctor', ...of])).toMatchObject({ code: 0 });
    for (const election of ['orders', 'orders.shards'])
      expect(await caucus(['runs', '--election', election, ...of])).toMatchObject({
        code: 1,
        stderr: `caucus: nothing is recorded in the election ${election}; what was run for its shards is in orders.shards.r0: caucus runs --election orders.shards.r0\n`,
      });
    child.kill('SIGTERM');
    expect(await code).toBe(143);
  }, 150_000);
});
