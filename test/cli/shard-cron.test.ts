/** `caucus cron --shards` as it was built: replicas on one machine, of which one is killed. */
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { caucus, start } from './caucus.ts';

const SHARDS = 3;
const COMMAND = 'echo "$CAUCUS_SHARD/$CAUCUS_SHARDS $CAUCUS_OCCASION $CAUCUS_TOKEN $CAUCUS_ATTEMPT" >> "$0"';

let folder: string;
let file: string;
const replicas: ChildProcess[] = [];
/** What the replicas have told as done: the shard and the occasion. */
const done: string[] = [];
/** What the log tells of the commands: when they start and end. */
const commands: { readonly text: string; readonly shard: number | undefined }[] = [];
let look = (): void => {};

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'caucus-cron-shards-'));
  file = path.join(folder, 'runs');
  done.length = 0;
  commands.length = 0;
});
afterEach(async () => {
  for (const child of replicas.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill('SIGKILL');
    await new Promise((resolve) => child.once('exit', resolve));
  }
  rmSync(folder, { recursive: true, force: true });
});

function replica(): ChildProcess {
  const child = start([
    ...['cron', '* * * * * *', '--json', '--engine', `local:${folder}`, '--election', 'tenants'],
    ...['--shards', String(SHARDS), '--catch-up', 'all', '--', 'sh', '-c', COMMAND, file],
  ]);
  child.stdout!.resume();
  createInterface({ input: child.stderr! }).on('line', (line) => {
    const { event, text, shard } = JSON.parse(line) as { event: string; text: string; shard?: number };
    if (event === 'done') done.push(text);
    if (event === 'started' || event === 'ended') commands.push({ text, shard });
    look();
  });
  replicas.push(child);
  return child;
}

/** Waits until every shard has so many more occasions that are done. */
function more(count: number): Promise<void> {
  const countOf = (shard: number): number =>
    done.filter((text) => text.startsWith(`shard ${shard}: `)).length;
  const shards = Array.from({ length: SHARDS }, (_, shard) => shard);
  const wanted = shards.map((shard) => countOf(shard) + count);
  return new Promise((resolve) => {
    look = () => {
      if (shards.every((shard) => countOf(shard) >= wanted[shard]!)) resolve();
    };
    look();
  });
}

describe('caucus cron --shards', () => {
  it('runs the command once for each shard and fire time, also when a replica is killed, and ends in order', async () => {
    const [first, second] = [replica(), replica()];
    await more(2);
    first.kill('SIGKILL');
    await more(3);
    const code = new Promise((resolve) => second.once('exit', resolve));
    second.kill('SIGTERM');
    expect(await code).toBe(0);
    expect(new Set(done).size).toBe(done.length);
    // Which shard a command works on is in its lines, since all shards have the same occasion.
    expect(new Set(commands.map(({ shard }) => shard))).toEqual(new Set([...Array(SHARDS).keys()]));
    for (const { text, shard } of commands)
      expect(text).toMatch(new RegExp(`^shard ${shard}: (starting )?sh `));
    const lines = readFileSync(file, 'utf8').trim().split('\n');
    for (let shard = 0; shard < SHARDS; shard++) {
      const tokens = lines
        .filter((line) => line.startsWith(`${shard}/${SHARDS} `))
        .map((line) => Number(line.split(' ')[2]));
      expect(tokens.length).toBeGreaterThanOrEqual(5);
      expect(tokens).toEqual([...tokens].sort((a, b) => a - b));
    }
    const { stdout } = await caucus([
      'runs',
      '--engine',
      `local:${folder}`,
      '--election',
      'tenants.shards.r0',
    ]);
    expect(stdout).toMatch(/shard-2/);
    for (const election of ['tenants', 'tenants.shards'])
      expect(await caucus(['runs', '--engine', `local:${folder}`, '--election', election])).toEqual({
        code: 1,
        stdout: '',
        stderr: `caucus: nothing is recorded in the election ${election}; what was run for its shards is in tenants.shards.r0: caucus runs --election tenants.shards.r0\n`,
      });
  });

  it('refuses a number of shards that cannot be', async () => {
    const args = ['--engine', `local:${folder}`, '--shards', '0', '--', 'true'];
    const { code, stderr } = await caucus(['cron', '* * * * *', ...args]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('--shards: expected')]);
  });
});
