import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Command } from 'commander';
import { afterAll, describe, expect, it } from 'vitest';
import { collect } from '../../src/cli/input/values.ts';
import { createProgram } from '../../src/cli/program.ts';
import { caucus, end, start } from './caucus.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'caucus-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** One clear line, exit code 2, nothing on standard output. */
async function refused(args: readonly string[], input?: string): Promise<string> {
  const { code, stdout, stderr } = await caucus(args, input);
  expect(stdout).toBe('');
  expect(stderr).toMatch(/^caucus: [^\n]+\n$/);
  expect(code).toBe(2);
  return stderr.slice('caucus: '.length, -1);
}

const crash = (member: unknown) => ({ atMs: 1, do: 'crash', member });

describe.concurrent('a scenario that is wrong', () => {
  const cases: readonly [name: string, scenario: unknown, message: RegExp][] = [
    [
      'unknown protocol',
      { protocol: 'raft' },
      /^standard input: protocol: expected one of .*epoch.*, found "raft"$/,
    ],
    [
      'unknown member',
      { events: [crash(1), crash(9)] },
      /^standard input: events\[1\]\.member: expected one of the members 1, 2, 3, 4, 5, or .*, found 9$/,
    ],
    [
      'unknown event',
      { events: [{ atMs: 1, do: 'explode' }] },
      /^standard input: events\[0\]\.do: expected one of crash, .*, found "explode"$/,
    ],
    [
      'unknown field',
      { membres: 5 },
      /^standard input: membres: expected one of the fields protocol, .*, found an unknown field$/,
    ],
    [
      'unknown field of an event',
      { events: [{ ...crash(1), how: 1 }] },
      /^standard input: events\[0\]\.how: expected one of the fields/,
    ],
    [
      'negative time',
      { events: [{ ...crash(1), atMs: -1 }] },
      /^standard input: events\[0\]\.atMs: expected milliseconds from 0.*, found -1$/,
    ],
    ['negative end', { untilMs: -5 }, /^standard input: untilMs: expected milliseconds above 0.*, found -5$/],
    [
      'timing of another protocol',
      { protocol: 'epoch', timing: { nonsense: 1 } },
      /^standard input: timing\.nonsense: expected one of the fields heartbeatMs/,
    ],
    [
      'times that an operator cannot set',
      {
        protocol: 'quorum',
        events: [{ atMs: 1, do: 'reconfigure', timing: { leaseMs: 9000 } }],
      },
      /^standard input: events\[0\]\.timing\.leaseMs: expected times and options that work together, found 9000 with a timeout from 1800/,
    ],
    ['no members', { members: [] }, /^standard input: members: expected/],
    ['a list', [1], /^standard input: the document: expected an object, found \[1\]$/],
    ['null', null, /^standard input: the document: expected an object, found null$/],
  ];
  for (const [name, scenario, message] of cases) {
    it(name, async () => {
      expect(await refused(['simulate', '-'], JSON.stringify(scenario))).toMatch(message);
      expect(await refused(['simulate', '-', '--runs', '3', '--json'], JSON.stringify(scenario))).toMatch(
        message,
      );
    });
  }
});

describe.concurrent('a document that is not JSON', () => {
  const cases: readonly [text: string, message: RegExp][] = [
    ['', /line 1, column 1: expected a value, found the end of the text$/],
    ['hello', /line 1, column 1: expected a value, found "hello"$/],
    ['{}x', /line 1, column 3: expected the end of the text, found "x"$/],
    ['{\n  "members": 5\n  "untilMs": 1 }', /line 3, column 3: expected a comma or \}, found/],
    ['{ "members": 5, }', /line 1, column 17: expected a name in double quotes, found "\}"$/],
    ['{ "members": 5, "members": 3 }', /line 1, column 17: expected each name once, found "members" again$/],
    [
      '{ "members',
      /line 1, column 3: expected the end of the string that began here, found the end of the text$/,
    ],
    ['{ "mem\tbers": 5 }', /line 1, column 7: .*, found a control character$/],
    ['['.repeat(900_000), /line 1, column 102: expected at most 100 levels, found a deeper one$/],
  ];
  for (const [text, message] of cases) {
    it(JSON.stringify(text.slice(0, 40)), async () => {
      expect(await refused(['simulate', '-'], text)).toMatch(message);
    });
  }

  it('names the file and the field, in one line, whatever a name holds', async () => {
    const file = path.join(folder, 'odd.json');
    writeFileSync(file, '{ "a\\nb\\u001b[31m": 1 }');
    expect(await refused(['simulate', file])).toMatch(/odd\.json: a b \[31m: expected one of the fields/);
    writeFileSync(file, `{ "${'x'.repeat(100_000)}": 1 }`);
    expect((await refused(['simulate', file])).length).toBeLessThan(500);
  });

  it('is told when the bytes are no text', async () => {
    const file = path.join(folder, 'bytes.json');
    writeFileSync(file, Buffer.from([0xff, 0xfe, 0x7b, 0x7d]));
    expect(await refused(['simulate', file])).toMatch(/expected text in UTF-8/);
  });
});

describe.concurrent('too much input', () => {
  it('10 MB in a file', async () => {
    const file = path.join(folder, 'large.json');
    writeFileSync(file, Buffer.alloc(10_000_000, ' '));
    expect(await refused(['simulate', file])).toMatch(
      /large\.json: expected at most 1000000 bytes, found more$/,
    );
  });

  it('standard input without an end', async () => {
    const child = start(['simulate', '-']);
    const ended = end(child);
    const chunk = Buffer.alloc(64 * 1024, ' ');
    let over = false;
    child.stdin!.on('error', () => {
      over = true;
    });
    const pour = (): void => {
      while (!over && child.stdin!.write(chunk)) {
        // Until the pipe is full.
      }
    };
    child.stdin!.on('drain', pour);
    pour();
    const { code, stderr } = await ended;
    expect(stderr).toBe('caucus: standard input: expected at most 1000000 bytes, found more\n');
    expect(code).toBe(2);
  });
});

describe.concurrent('flags that are wrong', () => {
  const cases: readonly [args: readonly string[], message: RegExp][] = [
    [['--seed', '-1'], /^--seed: expected a whole number from 0 to 9007199254740991, found -1$/],
    [['--seed', '1.5'], /^--seed: .*, found 1\.5$/],
    [['--seed', '9007199254740992'], /^--seed: .*, found 9007199254740992$/],
    [['--seed', 'abc'], /^--seed: .*, found "abc"$/],
    [['--seed', ''], /^--seed: .*, found ""$/],
    [['--seed', '1e3'], /^--seed: .*, found "1e3"$/],
    [['--runs', '0'], /^--runs: expected a whole number from 1 to 10000000, found 0$/],
    [['--runs', '-3'], /^--runs: .*, found -3$/],
    [['--runs', '99999999999'], /^--runs: .*, found 99999999999$/],
    [
      ['--runs', '2', '--seed', '9007199254740991'],
      /^--runs: expected seeds up to 9007199254740991, found 9007199254740991 and 2 runs$/,
    ],
    [
      ['--runs', '2', '--trace', 'x.ndjson'],
      /^--trace: expected a single run, found --runs \(a trace is the history of one seed\)$/,
    ],
    [['--until', '-5'], /^--until: expected milliseconds above 0, up to 1000000000, found -5$/],
    [['--until', '0'], /^--until: .*, found 0$/],
    [['--until', 'NaN'], /^--until: .*, found "NaN"$/],
    [['--until', 'Infinity'], /^--until: .*, found "Infinity"$/],
    [['--until', '99999999999'], /^--until: .*, found 99999999999$/],
    [['--members', '0'], /^--members: expected a number from 1 to 1000, or a list of ids, found 0$/],
    [['--members', '1001'], /^--members: .*, found 1001$/],
    [['--members', '-2'], /^--members/],
    [['--members', 'a,a'], /^--members\[1\]: expected an id that no other member has, found "a"$/],
    [['--members', 'leader,b'], /^--members\[0\]: expected an id other than leader/],
    [['--members', ''], /^--members/],
    [['--protocol', 'raft'], /^--protocol: expected one of .*epoch.*, found "raft"$/],
    [['--protocol', 'constructor'], /^--protocol: .*, found "constructor"$/],
    [['--trace', '-'], /^--trace: expected the name of a file, found "-"$/],
    [['--trace', ''], /^--trace: expected the name of a file, found ""$/],
    [['--trace', folder], /^--trace: .*: expected a file, found a directory$/],
    [['--trace', path.join(folder, 'none', 'x.ndjson')], /^--trace: .*x\.ndjson: no such file or directory$/],
    [['--sede', '1'], /^unknown option '--sede' \(Did you mean --seed\?\)$/],
    [['--seed'], /^option '--seed <n>' argument missing$/],
    [['one.json', 'two.json'], /^too many arguments/],
    [[path.join(folder, 'missing.json')], /missing\.json: no such file or directory$/],
    [[folder], /: expected a file, found a directory$/],
  ];
  for (const [args, message] of cases) {
    it(args.join(' '), async () => {
      expect(await refused(['simulate', ...args])).toMatch(message);
    });
  }

  it('an unknown command', async () => {
    expect(await refused(['simulat'])).toBe("unknown command 'simulat' (Did you mean simulate?)");
    expect(await refused(['help', 'nosuch'])).toBe("unknown command 'nosuch'");
    expect(await refused(['--nosuch'])).toBe("unknown option '--nosuch'");
    expect(await refused(['protocols', 'nosuch'])).toMatch(/^NAME: expected one of .*, found "nosuch"$/);
  });
});

describe.concurrent('a flag that is given twice', () => {
  const again = 'expected it once, found it again';
  const both = ['--timing', 'heartbeatMs=100', '--timing', 'heartbeatMs=200'];
  const cases: readonly [args: readonly string[], message: string][] = [
    [['simulate', '--seed', '1', '--seed=2'], `--seed: ${again}`],
    [['check', 'epoch', '--amnesia', '--amnesia', '2'], `--amnesia: ${again}`],
    [
      ['member', 'add', '9', 'http://h:1', '--token-file', 'a', '--token-file', 'b'],
      `--token-file: ${again}`,
    ],
    [['run', '--id', 'a', '--id', 'a', '--', 'true'], `--id: ${again}`],
    [['run', '--id', 'a', '--voter-id', 'a', '--', 'true'], '--voter-id: expected it or --id, found both'],
    // One that can be repeated names something else each time.
    [['node', ...both], `--timing heartbeatMs: ${again}`],
    [['up', ...both], `--timing heartbeatMs: ${again}`],
    [['check', 'quorum', '--bound', 'n=1', '--bound', 'n=2'], `--bound n: ${again}`],
    [
      ['leader', '--engine', 'local:', '--engine-option', 'wait=1', '--engine-option', 'wait=2'],
      `--engine-option wait: ${again}`,
    ],
  ];
  for (const [args, message] of cases) {
    it(args.join(' '), async () => expect(await refused(args)).toBe(message));
  }

  it('can be repeated where its help says so, and only there', () => {
    const flags = (command: Command): string[] => [
      ...command.options
        .filter(
          ({ description, parseArg }) => description.includes('can be repeated') !== (parseArg === collect),
        )
        .map(({ flags: given }) => `${command.name()} ${given}`),
      ...command.commands.flatMap(flags),
    ];
    expect(flags(createProgram())).toEqual([]);
  });

  it('is one of CMD after --', async () => {
    const { code, stdout } = await caucus([
      ...['once', '--key', '1', '--engine', `local:${folder}`, '--', 'echo', '--key', '2', '--key', '3'],
    ]);
    expect([code, stdout]).toEqual([0, '--key 2 --key 3\n']);
  });
});

it('leaves nothing half done: no trace of a scenario that is refused', async () => {
  const trace = path.join(folder, 'never.ndjson');
  await refused(['simulate', '-', '--trace', trace], '{ "members": 0 }');
  expect(readdirSync(folder).filter((name) => name.includes('never'))).toEqual([]);
});

describe.concurrent('times that are set while a cluster runs', () => {
  it.each([
    [['foo=1'], /^SETTING: expected timing=PRESET, timing.NAME=VALUE or options.NAME=VALUE, found "foo=1"$/],
    [['timing.leaseMs=soon'], /^timing.leaseMs: expected a number of milliseconds, .*, found "soon"$/],
    [['timing=wan', 'timing=lan'], /^SETTING: expected each once, found preset twice$/],
  ])('%j', async (settings, message) => {
    expect(await refused(['reconfigure', ...settings, 'http://127.0.0.1:1'])).toMatch(message);
  });
});

describe.concurrent('a question about an election', () => {
  for (const name of ['status', 'leader', 'watch', 'history', 'resign', 'value'])
    it(`whose name none can have: ${name}`, async () => {
      for (const election of ['', 'a b'])
        expect(await refused([name, '--election', election])).toBe(
          `--election: expected a name of 1 to 100 letters, digits, ".", "_" and "-", found ${JSON.stringify(election)}`,
        );
    });
});

it('a setting that does not fit the protocol is named as it was given: a flag, or a field of a file', async () => {
  const why = 'expected false, since leaders of bully cannot transfer elections, found true';
  const bully = ['--protocol', 'bully', '--balance'];
  expect(await refused(['up', '--elections', '3', ...bully])).toBe(`--balance: ${why}`);
  expect(await refused(['node', ...bully])).toBe(`--balance: ${why}`);
  expect(await refused(['up', '--protocol', 'bully', '--deputies'])).toBe(
    '--deputies: expected false, since bully elects no successor in advance, found true',
  );
  const file = path.join(folder, 'unfit.json');
  writeFileSync(file, '{ "protocol": "bully",\n  "balance": true }');
  expect(await refused(['node', '--config', file])).toBe(`${file} line 2: balance: ${why}`);
});

it('a protocol that does not keep what is published, where shards or occasions are recorded', async () => {
  const found = (what: string): string =>
    `expected quorum, since ${what} need a protocol that keeps what is published, found bully`;
  const bully = ['--protocol', 'bully'];
  const command = ['--', 'true'];
  const line = '0 3 * * *';
  const refusals = [
    [['run', '--shards', '4', ...bully, ...command], `--protocol: ${found('shards')}`],
    [['cron', line, '--shards', '4', ...bully, ...command], `--protocol: ${found('shards')}`],
    [['cron', line, ...bully, ...command], `--protocol: ${found('occasions')}`],
    [['once', '--key', '2026-11-19', ...bully, ...command], `--protocol: ${found('occasions')}`],
  ] as const;
  for (const [args, why] of refusals) expect(await refused(args)).toBe(why);
  const file = path.join(folder, 'forgets.json');
  writeFileSync(file, '{ "id": "a",\n  "protocol": "bully" }');
  expect(await refused(['run', '--shards', '4', '--config', file, ...command])).toBe(
    `${file} line 2: protocol: ${found('shards')}`,
  );
});

it('a main election with a name of the elections beside it', async () => {
  const why = '--election: expected another name than those of --elections, found job-0002';
  const args = ['--election', 'job-0002', '--elections', '3'];
  expect(await refused(['up', ...args])).toBe(why);
  expect(await refused(['node', ...args])).toBe(why);
});

it('settings that every member would refuse, before any is started', async () => {
  const unfit =
    /^timing\.leaseMs: expected settings that fit each other, found 5000 with a timeout from 1800/;
  expect(await refused(['up', '--timing', 'leaseMs=5000'])).toMatch(unfit);
  const { code, stderr } = await caucus(['node', '--timing', 'leaseMs=5000', '--print-config']);
  expect(stderr.slice('caucus: '.length)).toMatch(unfit);
  expect(code).toBe(2);
});

it('a file for the shrunk scenario that cannot be written, before anything runs', async () => {
  for (const file of ['/proc/x', path.join(folder, 'none', 'x.json')])
    expect(await refused(['simulate', '--swarm', '--shrink', file, '--runs', '1'])).toBe(
      `--shrink: ${file}: no such file or directory`,
    );
  const file = path.join(folder, 'shrunk.json');
  expect((await caucus(['simulate', '--swarm', '--shrink', file, '--runs', '1'])).code).toBe(0);
  expect(readdirSync(folder)).not.toContain('shrunk.json');
});

it('a command that is empty', async () => {
  expect(await refused(['run', '--', ''])).toBe('CMD: expected a command, found ""');
});
