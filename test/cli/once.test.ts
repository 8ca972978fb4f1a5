/** `caucus once`, `cron` and `runs` as they were built. `local:` is a store that every machine has. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { caucus, end, start } from './caucus.ts';

let folder: string;
const on = (...more: string[]): string[] => ['--engine', `local:${folder}`, '--election', 'nightly', ...more];
const say = [
  '--',
  'sh',
  '-c',
  'echo "$CAUCUS_OCCASION $CAUCUS_ATTEMPT $CAUCUS_ELECTION $CAUCUS_MEMBER $CAUCUS_TOKEN"',
];

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'caucus-once-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

describe('caucus once', () => {
  it('runs a command on one of three machines, and never again', async () => {
    const all = await Promise.all(
      ['a', 'b', 'c'].map((id) => caucus(['once', '--key', '2026-11-16', ...on('--id', id), ...say])),
    );
    expect(all.map(({ code }) => code)).toEqual([0, 0, 0]);
    const printed = all.filter(({ stdout }) => stdout !== '');
    expect(printed).toHaveLength(1);
    expect(printed[0]!.stdout).toMatch(/^2026-11-16 1 nightly [abc] \d+\n$/);
    const again = await caucus(['once', '--key', '2026-11-16', ...on(), ...say]);
    expect(again).toMatchObject({ code: 0, stdout: '' });
    expect(again.stderr).toMatch(/2026-11-16 is already done, by [abc] with token \d+\n/);
    const { stdout } = await caucus(['runs', ...on()]);
    expect(stdout).toMatch(
      /^occasion +series +outcome +member +token +attempt +began +ended\n2026-11-16 +main +done +[abc] /,
    );
  });

  it('runs again elsewhere what was killed in the middle, with a greater token', async () => {
    const wait = ['--', 'sh', '-c', 'echo "$CAUCUS_TOKEN"; exec sleep 600'];
    const first = start(['once', '--key', '7', ...on('--id', 'first'), ...wait]);
    const [token] = await once(createInterface({ input: first.stdout! }), 'line');
    const { stdout: open } = await caucus(['runs', '--json', ...on()]);
    expect(JSON.parse(open)).toMatchObject({
      occasion: 7,
      outcome: 'open',
      member: 'first',
      token,
      attempt: 1,
    });
    const second = end(start(['once', '--key', '7', ...on('--id', 'second'), ...say]));
    first.kill('SIGKILL');
    const { code, stdout } = await second;
    expect(code).toBe(0);
    const [occasion, attempt, , member, greater] = stdout.trim().split(' ');
    expect([occasion, attempt, member]).toEqual(['7', '2', 'second']);
    expect(BigInt(greater!)).toBeGreaterThan(BigInt(token));
  });

  it('ends with the code of its command, which it tries again if it is told to', async () => {
    const flags = ['--retries', '1', '--back-off', '0.05'];
    const failed = await caucus([
      'once',
      '--key',
      '1',
      ...on(),
      ...flags,
      '--',
      'sh',
      '-c',
      'echo x; exit 7',
    ]);
    expect(failed).toMatchObject({ code: 7, stdout: 'x\nx\n' });
    expect(failed.stderr).toContain('1 has failed: sh ended with exit code 7');
    const again = await caucus(['once', '--key', '1', ...on(), ...say]);
    expect(again).toMatchObject({ code: 3, stdout: '' });
    expect(again.stderr).toContain('1 has already failed');
  });

  it('ends a command that takes too long, first with SIGTERM', async () => {
    const polite = 'trap "echo ending; exit 0" TERM; echo go; while :; do sleep 0.05; done';
    const slow = await caucus(['once', '--key', '3', ...on(), '--max-run', '0.5', '--', 'sh', '-c', polite]);
    expect(slow.stderr).toContain('3 has failed: the work did not end within 500 ms');
    expect(slow).toMatchObject({ code: 1, stdout: 'go\nending\n' });
    const deaf = 'trap "" TERM; while :; do sleep 0.05; done';
    const limits = ['--max-run', '0.5', '--kill-after', '0.2'];
    const killed = await caucus(['once', '--key', '4', ...on(), ...limits, '--', 'sh', '-c', deaf]);
    expect(killed).toMatchObject({ code: 137 });
    expect(killed.stderr).toContain('4 has failed: the work did not end within 500 ms');
  });

  it('leaves what cannot be run here to another host, and does not record it as failed', async () => {
    const missing = await caucus(['once', '--key', '2', ...on(), '--', '/no/such/thing']);
    expect(missing).toMatchObject({ code: 127, stdout: '' });
    expect(missing.stderr).toContain(
      '/no/such/thing cannot be run on this host (exit code 127): 2 is left to others',
    );
    expect((await caucus(['once', '--key', '2', ...on(), ...say])).stdout).toMatch(/^2 2 nightly /);
  });

  it('gives way to a signal, and the occasion is run again', async () => {
    const child = start(['once', '--key', '1', ...on(), '--', 'sh', '-c', 'echo go; exec sleep 600']);
    const ended = end(child);
    await once(createInterface({ input: child.stdout! }), 'line');
    child.kill('SIGTERM');
    expect((await ended).code).toBe(143);
    expect((await caucus(['once', '--key', '1', ...on(), ...say])).stdout).toMatch(/^1 2 /);
  });

  it.each([
    [['once', '--key', 'tomorrow'], '--key: expected a whole number, a month (2026-11)'],
    [['once', '--key', '2026-11-16T03:00:00'], '--key: expected a zone at the end, Z or +01:00'],
    [
      ['once', '--key', '1', '--retries', 'x'],
      '--retries: expected a whole number from 0 to 1000, found "x"',
    ],
    [['once', '--key', '1', '--misfire', 'run away'], '--misfire: expected '],
    [['once', '--key', '1', '--misfire', 'skip'], '--misfire: expected a --key that is a date and time'],
    [['once', '--key', '1', '--series', 'a b'], '--series: expected 1 to 64 letters'],
    [['once', '--key', '1', '--max-run', '0'], '--max-run: expected a number from 0.001 to'],
    [['once'], "required option '--key <occasion>' not specified"],
    [
      ['cron', '61 * * * *'],
      'LINE: expected a cron line, as in "0 3 * * *", found "61 * * * *" (Invalid value',
    ],
    [['cron', '0 0 30 2 *'], 'LINE: expected a cron line that fires some day'],
    [['cron', '0 0 31 2,4,6 *'], 'LINE: expected a cron line that fires some day'],
    [
      ['cron', '* * * * *', '--timezone', 'Mars/Phobos'],
      '--timezone: expected a zone, as in UTC or Europe/Berlin',
    ],
    [['cron', '* * * * *', '--catch-up', 'some'], '--catch-up: expected '],
  ])('refuses %j in one line', async (args, words) => {
    const { code, stderr, stdout } = await caucus([...args, ...on('--quiet'), '--', 'true']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(`caucus: ${words}`);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  });

  it.each([
    ['once', '--key', '1'],
    ['cron', '* * * * *'],
  ])('refuses %s with neither a store nor other members, which would remember nothing', async (...args) => {
    expect(await caucus([...args, '--quiet', '--', 'echo', 'ran'])).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'caucus: nothing would remember what was run: expected --engine (local: for one machine), or --peers with --data, found neither\n',
    });
  });

  it('refuses an election that the store cannot hold', async () => {
    for (const args of [['once', '--key', '1'], ['runs']])
      expect(
        await caucus([
          ...args,
          ...['--engine', `local:${folder}`, '--election', 'a{b}'],
          ...(args[0] === 'once' ? say : []),
        ]),
      ).toEqual({
        code: 2,
        stdout: '',
        stderr:
          'caucus: --election: expected a name of 1 to 64 letters, digits, ".", "_" and "-", found "a{b}"\n',
      });
  });

  it('warns of members that have no data folders', async () => {
    const peers = ['--id', '1', '--listen', '127.0.0.1:0', '--peer', '2=http://127.0.0.1:9'];
    const { stderr } = await caucus(['once', '--key', '1', ...peers, '--timeout', '0.1', '--', 'true']);
    expect(stderr).toContain(
      'without --data this member forgets what was run when it ends: if all members restart, it is run again',
    );
  });

  it('refuses an occasion that goes back', async () => {
    await caucus(['once', '--key', '2026-11-16', ...on(), '--', 'true']);
    expect(await caucus(['once', '--key', '2026-11-15', ...on('--quiet'), '--', 'true'])).toMatchObject({
      code: 2,
      stderr:
        'caucus: --key: expected an occasion after 2026-11-16, which was recorded last, found "2026-11-15"\n',
    });
  });
});

it('caucus runs says so if nothing is recorded', async () => {
  for (const json of [[], ['--json']])
    expect(await caucus(['runs', ...json, ...on()])).toEqual({
      code: 1,
      stdout: '',
      stderr: 'caucus: nothing is recorded in the election nightly\n',
    });
});

describe('caucus cron', () => {
  it.each([
    ['127, since it is not found', ['/no/such/thing'], 127],
    ['126, since it cannot be run', ['sh', '-c', 'exit 126'], 126],
  ])('leaves a fire time to another host if its command exits with %s', async (_name, command, code) => {
    const child = start(['cron', '* * * * * *', '--catch-up', 'all', ...on('--id', 'a'), '--', ...command]);
    const ended = end(child);
    let told = '';
    child.stderr!.on('data', (text) => {
      told += text;
    });
    const words = `${command[0]} cannot be run on this host (exit code ${code})`;
    await expect.poll(() => told, { timeout: 60_000 }).toContain(words);
    const other = start(['cron', '* * * * * *', '--catch-up', 'all', ...on('--id', 'b'), ...say]);
    const otherEnded = end(other);
    let done = '';
    other.stdout!.on('data', (text) => {
      done += text;
    });
    // Each attempt counts, also those that cannot be run, and ten are too many: a host that starts late misses the first.
    const left = (): string[] => [...told.matchAll(/ for (\S+), attempt \d+,/g)].map(([, each]) => each!);
    await expect
      .poll(() => left().some((occasion) => done.includes(`${occasion} `)), { timeout: 60_000 })
      .toBe(true);
    for (const each of [child, other]) each.kill('SIGTERM');
    expect([(await ended).code, (await otherEnded).code]).toEqual([0, 0]);
  });

  it('says how long it waits for its command after a signal, and ends it at the second one', async () => {
    const child = start([
      'cron',
      '* * * * * *',
      ...on(),
      '--drain',
      '600',
      '--',
      'sh',
      '-c',
      'echo go; sleep 600',
    ]);
    const ended = end(child);
    await once(createInterface({ input: child.stdout! }), 'line');
    child.kill('SIGINT');
    const waits =
      'SIGINT: waiting up to 600 s for sh to end, before it gets SIGTERM; another signal ends it at once';
    let told = '';
    child.stderr!.on('data', (text) => {
      told += text;
    });
    await expect.poll(() => told, { timeout: 60_000 }).toContain(waits);
    child.kill('SIGINT');
    expect((await ended).code).toBe(0);
    const { stdout } = await caucus(['runs', '--json', ...on()]);
    expect(JSON.parse(stdout)).toMatchObject({ outcome: 'open', attempt: 1 });
  });

  it('runs a command at each fire time on one of two machines, and ends in order', async () => {
    const lines: string[] = [];
    const told: string[] = [];
    const both = ['a', 'b'].map((id) => {
      const child = start(['cron', '* * * * * *', '--catch-up', 'all', ...on('--id', id), ...say]);
      createInterface({ input: child.stdout! }).on('line', (line) => lines.push(line));
      createInterface({ input: child.stderr! }).on('line', (line) => told.push(line));
      return { child, ended: end(child) };
    });
    // A process that has not started yet is ended by the signal itself.
    for (const id of ['a', 'b'])
      await expect.poll(() => told.join(), { timeout: 60_000 }).toContain(`${id} takes part`);
    await expect.poll(() => lines.length, { timeout: 60_000 }).toBeGreaterThan(3);
    for (const { child } of both) child.kill('SIGTERM');
    for (const { ended } of both) expect((await ended).code).toBe(0);
    const occasions = lines.map((line) => line.split(' ')[0]!);
    expect(new Set(occasions).size).toBe(occasions.length);
    const gaps = occasions.map((each, i) =>
      i === 0 ? 1000 : Date.parse(each) - Date.parse(occasions[i - 1]!),
    );
    expect(new Set(gaps)).toEqual(new Set([1000]));
  });
});
