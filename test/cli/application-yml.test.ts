/** The properties of seed 002 in a file, as flags and as variables. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { joinOptions } from '../../src/cli/input/config/join-options.ts';
import { type MemberConfig, readMemberConfig } from '../../src/cli/input/config/member-config.ts';
import type { MemberFlags } from '../../src/cli/input/config/member-flags.ts';
import { caucus, end, MAIN, start } from './caucus.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'caucus-yml-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(text: string, name = 'application.yml'): string {
  const file = path.join(folder, name);
  writeFileSync(file, text);
  return file;
}

const read = (text: string, env: NodeJS.ProcessEnv = {}, flags: MemberFlags = {}): Promise<MemberConfig> =>
  readMemberConfig({ config: write(text), ...flags }, env);

/** As the seed documents each property. */
const SEED = `voter-url: https://route.to.region-three-voter.instance
voter-id: region-three-voter
voter-list: [{{"voterId":"region-one-voter"},{"voterUrl":"https://route.to.region-one-voter.instance"}},{{"voterId":"region-two-voter"},{"voterUrl":"https://route.to.region-two-voter.instance"}}]
heartbeat-interval: 30
missed-heartbeat-tolerance: 0
`;
const VOTERS = [
  { id: 'region-one-voter', url: 'https://route.to.region-one-voter.instance' },
  { id: 'region-two-voter', url: 'https://route.to.region-two-voter.instance' },
];

describe('application.yml', () => {
  it('is printed as it was understood, and then what a member lacks to start with it', async () => {
    const file = write(SEED);
    const { code, stdout, stderr } = await caucus(['node', '--config', file, '--print-config', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({
      id: { value: 'region-three-voter', from: `${file} line 2` },
      url: { value: 'https://route.to.region-three-voter.instance', from: `${file} line 1` },
      peers: { value: VOTERS, from: `${file} line 3` },
      'timing.heartbeatMs': { value: 30_000, from: `${file} line 4` },
      'timing.timeoutMs': { value: [60_000, 120_000], from: `${file} line 5` },
    });
    expect(stderr).toMatch(
      /^caucus: listen: expected an address, and certificates .*or --insecure, since https:.*\n$/,
    );
    expect(code).toBe(2);
    const open = ['--listen', '0.0.0.0:8080', '--insecure'];
    const whole = await caucus(['node', '--config', file, '--print-config', ...open]);
    expect(whole).toMatchObject({ code: 0, stderr: '' });
    expect(whole.stdout).toMatch(/^listen +"0\.0\.0\.0:8080" +--listen$/m);
  });

  it('takes variables and defaults as Quarkus and Spring write them', async () => {
    const text = `voter-url: \${VOTER_URL:/voter}
voter-id: \${MY_ID}-\${ZONE:a}
voter-list: '\${VOTERS:{"x": "http://127.0.0.1:1"}}'
heartbeat-interval: \${BEAT:500ms}
missed-heartbeat-tolerance: \${MISSED:2}
priority: \${PRIORITY:3}
insecure: \${INSECURE:false}
record: \\\${folder}
data: \${DATA:\${DIR:here}}
seed-host: \${SEEDS:}
protocol: draw
`;
    const { settings, timing, options } = await read(text, {
      MY_ID: 'one',
      BEAT: '2',
      DIR: 'there',
      ZONE: '',
    });
    expect(settings).toMatchObject({
      url: '/voter',
      id: 'one-a',
      peers: [{ id: 'x', url: 'http://127.0.0.1:1' }],
      priority: 3,
      insecure: false,
      record: `$\{folder}`,
      data: 'there',
    });
    expect(settings.seedHost).toBeUndefined();
    expect(timing).toEqual({ heartbeatMs: 2000 });
    expect(options).toEqual({ missedHeartbeatTolerance: 2 });
    await expect(read(`voter-id: a\nvoter-url: $\{NONE}\n`)).rejects.toThrow(
      /application\.yml line 2: voter-url: expected the variable NONE in the environment, or a default as in \$\{NONE:…\}, found none$/,
    );
  });

  it('may have a group caucus, beside which other programs have theirs', async () => {
    const { settings } = await read(
      'quarkus:\n  http:\n    port: 8080\ncaucus:\n  voter-id: a\n  seedHost: voters\n',
    );
    expect(settings).toMatchObject({ id: 'a', seedHost: 'voters' });
    await expect(read('caucus:\n  voter-id: a\nvoter-url: /\n')).rejects.toThrow(
      /line 3: voter-url: expected it in the group caucus, with all others, found it beside that group$/,
    );
    await expect(read('caucus:\n  voter-id: a\n  voter-name: /\n')).rejects.toThrow(
      /line 3: caucus\.voter-name: expected one of the fields id, /,
    );
  });

  it.each(['voter-url', 'voterUrl', 'voter_url', 'VOTER_URL', 'url'])('knows %s', async (name) => {
    expect((await read(`${name}: http://127.0.0.1:7101\n`)).settings.url).toBe('http://127.0.0.1:7101');
  });

  it('keeps an id as it is written', async () => {
    const ids = ['1e3', 'no', 'true', '0x10', '1_0'];
    for (const id of ids) expect((await read(`voter-id: ${id}\n`)).settings.id).toBe(id);
    expect((await read('voter-id: 12\n')).settings.id).toBe(12);
    const list = 'voter-list:\n  - voterId: 1e3\n    voterUrl: http://127.0.0.1:1\n';
    expect((await read(list)).settings.peers).toEqual([{ id: '1e3', url: 'http://127.0.0.1:1' }]);
  });

  it('counts an empty value as unset', async () => {
    const { settings } = await read('voter-id: a\nvoter-list:\nvoter-url: ""\n');
    expect(settings.peers).toBeUndefined();
    expect(settings.url).toBeUndefined();
  });

  it('may be JSON', async () => {
    const text = '{ "voter-id": "a",\n  "heartbeat-interval": "2s" }';
    const { settings, timing, origins } = await readMemberConfig({ config: write(text, 'a.json') }, {});
    expect(settings.id).toBe('a');
    expect(timing.heartbeatMs).toBe(2000);
    expect(origins.find(({ field }) => field === 'timing.heartbeatMs')?.from).toMatch(/a\.json line 2$/);
    expect((await readMemberConfig({ config: write(text, 'member') }, {})).settings.id).toBe('a');
  });

  it.each([
    ['voter-id: [a', /application\.yml: not YAML: line 1, column 13: /],
    ['voter-id: a\n\tvoter-url: b', /not YAML: line 2, column 1: tabs are not allowed as indentation$/],
    ['voter-id: a\nvoter-id: b', /not YAML: line 2, column 1: map keys must be unique$/],
    ['voter-id: a: b', /not YAML: line 1, column 11: nested mappings are not allowed in compact mappings$/],
    ['voter-id: !secret a', /not YAML: line 1, column 11: unresolved tag: !secret$/],
    ['voter-id: *a', /not YAML: line 1, column 11: expected an anchor &a before it, found none$/],
    ['voter-id: a\n---\nvoter-id: b', /not YAML: line \d, column \d: expected one document, found 2$/],
    [
      `voter-list: ${'['.repeat(200)}`,
      /not YAML: line 1, column 113: expected at most 100 levels, found more$/,
    ],
    [`voter-list: ${'{a: '.repeat(30_000)}`, /expected at most 100 levels, found more$/],
    [`voter-list:\n${'- '.repeat(100_000)}a`, /not YAML: line 2, column 1: expected at most 100 levels/],
    [
      `a: &a [x, x, x, x, x, x, x, x, x]\n${Array.from('bcdefgh', (name, i) => `${name}: &${name} [${Array(9).fill(`*${'abcdefg'[i]}`)}]\n`).join('')}`,
      /expected at most 10000 values, found more$/,
    ],
    ['', /application\.yml line 1: the document: expected an object, found null$/],
    ['- a', /line 1: the document: expected an object, found \["a"\]$/],
    ['voter-id: a\nvoter-name: b', /line 2: voter-name: expected one of the fields id, .*voter-url/],
    ['quarkus: {}', /line 1: quarkus: expected one of the fields id, /],
    ['id: a\nvoter-id: b', /line 2: voter-id: expected it or id, found both$/],
    ['engine: redis', /line 1: engine: expected it as --engine/],
    [
      'voter-url: region.example',
      /line 1: voter-url: expected a URL that begins with .*, found "region\.example"$/,
    ],
    [
      'heartbeat-interval: soon',
      /line 1: heartbeat-interval: expected a duration .*30s or 500ms, found "soon"$/,
    ],
    ['heartbeat-interval: 0', /heartbeat-interval: expected a duration from 1ms .*, found 0$/],
    ['heartbeat-interval: -5', /heartbeat-interval: expected a duration from 1ms .*, found -5$/],
    ['heartbeat-interval: 5 weeks', /heartbeat-interval: expected a duration from 1ms .*, found "5 weeks"$/],
    [
      'heartbeat-interval: 5\nmissed-heartbeat-tolerance: -1',
      /line 2: missed-heartbeat-tolerance: expected a whole number from 0 to 1000, found -1$/,
    ],
    ['missed-heartbeat-tolerance: 1', /line 1: expected a heartbeat interval with it, found none$/],
    [
      'heartbeat-interval: 5\ntiming: { heartbeat-ms: 4 }',
      /line 1: expected it or timing\.heartbeatMs, found both$/,
    ],
    [
      'voter-list:\n  - voterId: a\n    voterUrl: http://127.0.0.1:1\n  - voterId: b\n    voterUrl: nowhere',
      /line 5: voter-list\[1\]\.url: expected a URL that begins with/,
    ],
    [
      'voter-list: [{{"voterId":"a"},{"voterUri":"u"}}]',
      /voter-list\[0\]\.voterUri: expected the fields id and url/,
    ],
    ['voter-list: a', /line 1: voter-list: expected ID=URL, separated by commas, found "a"$/],
  ])('is refused in one line: %j', async (text, message) => {
    await expect(read(text)).rejects.toThrow(message);
  });

  it('is refused with exit code 2', async () => {
    const { code, stdout, stderr } = await caucus(['node', '--config', write('voter-id: [a\n')]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^caucus: \S+application\.yml: not YAML: line 2, column 1: [^\n]+\n$/);
  });
});

describe('the list of voters', () => {
  const one = '"https://route.to.region-one-voter.instance"';
  const two = '"https://route.to.region-two-voter.instance"';
  it.each([
    `[{{"voterId":"region-one-voter"},{"voterUrl":${one}}},{{"voterId":"region-two-voter"},{"voterUrl":${two}}}]`,
    `[{{"voterUrl":${one}},{"voterId":"region-one-voter"}},{{"voterUrl":${two}},{"voterId":"region-two-voter"}}]`,
    `[ { { "voterId" : "region-one-voter" } , { "voterUrl" : ${one} } } ,\n {{"voterUrl":${two}},{"voterId":"region-two-voter"}} ]`,
    `[[{"voterId":"region-one-voter"},{"voterUrl":${one}}],[{"voterUrl":${two}},{"voterId":"region-two-voter"}]]`,
    JSON.stringify(VOTERS),
    JSON.stringify(VOTERS.map(({ id, url }) => ({ voterUrl: url, voterId: id }))),
    JSON.stringify(VOTERS.map(({ id, url }) => ({ 'voter-id': id, 'voter-url': url }))),
    JSON.stringify(VOTERS.map(({ id, url }) => `${id}=${url}`)),
    JSON.stringify(Object.fromEntries(VOTERS.map(({ id, url }) => [id, url]))),
    VOTERS.map(({ id, url }) => `${id}=${url}`).join(', '),
  ])('is the same from a variable, a flag and a file: %s', async (list) => {
    const found = [
      await readMemberConfig({}, { VOTER_LIST: list }),
      await readMemberConfig({ voterList: list }, {}),
      await readMemberConfig({ peers: list }, {}),
      await read(`voter-list: '${list}'\n`),
      await read(`voter-list: $\{VOTERS}\n`, { VOTERS: list }),
      ...(list.startsWith('[') ? [await read(`voter-list: ${list}\n`)] : []),
    ];
    for (const { settings } of found) expect(settings.peers).toEqual(VOTERS);
  });

  it('is refused in one line where it is none', async () => {
    await expect(readMemberConfig({}, { VOTER_LIST: '[{"voterId"' })).rejects.toThrow(
      /^VOTER_LIST: expected a list in JSON, or ID=URL,ID=URL, found /,
    );
    await expect(readMemberConfig({ voterList: '[{{"voterId":"a"}}]' }, {})).rejects.toThrow(
      /^--voter-list: expected a URL that begins/,
    );
  });
});

describe('the times of seed 002', () => {
  it.each([
    ['30', 30_000],
    ['30s', 30_000],
    ['500ms', 500],
    ['0.5', 500],
    ['2m', 120_000],
  ])('are read from %s', async (text, heartbeatMs) => {
    const found = [
      await readMemberConfig({}, { HEARTBEAT_INTERVAL: text }),
      await readMemberConfig({ heartbeatInterval: text }, {}),
      await read(`heartbeat-interval: ${text}\n`),
    ];
    for (const { timing } of found) expect(timing.heartbeatMs).toBe(heartbeatMs);
  });

  it('come from the first of flag, variable and file, whatever name each of them uses', async () => {
    const text = 'protocol: draw\nheartbeat-interval: 3\ntiming: { timeoutMs: [70, 80] }\n';
    expect((await read(text, { HEARTBEAT_INTERVAL: '2' })).timing).toEqual({
      heartbeatMs: 2000,
      timeoutMs: [70, 80],
    });
    const flags = { timing: ['heartbeatMs=900'] };
    expect((await read(text, { HEARTBEAT_INTERVAL: '2' }, flags)).timing.heartbeatMs).toBe(900);
    expect((await read(text, {}, { heartbeatInterval: '1s' })).timing.heartbeatMs).toBe(1000);
  });

  it('may tolerate no missed heartbeat', async () => {
    const env = { HEARTBEAT_INTERVAL: '2', MISSED_HEARTBEAT_TOLERANCE: '0' };
    expect((await readMemberConfig({}, env)).timing.timeoutMs).toEqual([4000, 8000]);
    const flags = { heartbeatInterval: '2', missedHeartbeatTolerance: '0' };
    expect((await readMemberConfig(flags, {})).timing.timeoutMs).toEqual([4000, 8000]);
  });
});

describe('flags of seed 002', () => {
  it('are the same as the short ones, and refused beside them', async () => {
    const { settings } = await readMemberConfig({ voterId: 'a', voterUrl: 'http://127.0.0.1:1' }, {});
    expect(settings).toMatchObject({ id: 'a', url: 'http://127.0.0.1:1' });
    await expect(readMemberConfig({ id: 'a', voterId: 'b' }, {})).rejects.toThrow(
      '--voter-id: expected it or --id, found both',
    );
  });
});

describe('a seed that is wrong', () => {
  it.each([
    [{ SEED_HOST: 'voters:0' }, /^caucus: SEED_HOST: expected a host, .*, found "voters:0"\n$/],
    [
      { SEED_HOST: 'voters:7200', VOTER_URL: ':7100' },
      /^caucus: VOTER_URL: expected the port of the seed host, 7200/,
    ],
    [
      { VOTER_URL: ':7100' },
      /^caucus: VOTER_URL: expected a whole URL, or a seed host .*, found ":7100" and no seed host\n$/,
    ],
  ])('is named by its variable: %j', async (env, message) => {
    const { code, stderr } = await end(start(['node', '--protocol', 'draw', '--id', 'a'], MAIN, env));
    expect(stderr).toMatch(message);
    expect(code).toBe(2);
  });
});

describe('where a member listens', () => {
  it('has the port of its URL or of the seed if --listen has none', async () => {
    const listenOf = async (flags: MemberFlags): Promise<unknown> =>
      joinOptions(await readMemberConfig({ insecure: true, id: 'a', listen: '0.0.0.0', ...flags }, {}))
        .listen;
    const seed = { protocol: 'draw', seedHost: 'voters' };
    expect(await listenOf({ url: 'http://192.0.2.1:7101/x' })).toEqual({ host: '0.0.0.0', port: 7101 });
    expect(await listenOf({ ...seed, url: ':7100' })).toEqual({ host: '0.0.0.0', port: 7100 });
    expect(await listenOf({ ...seed, seedHost: 'voters:7200', url: '/' })).toEqual({
      host: '0.0.0.0',
      port: 7200,
    });
    await expect(listenOf({ ...seed, url: '/' })).rejects.toThrow(
      /^listen: expected HOST:PORT, .*"0\.0\.0\.0"$/,
    );
  });

  it('asks the seed by the port and the path of a whole URL', async () => {
    const seedOf = async (seedHost: string, url: string): Promise<unknown> =>
      joinOptions(await readMemberConfig({ insecure: true, id: 'a', protocol: 'draw', seedHost, url }, {}))
        .seed;
    expect(await seedOf('voters', 'http://192.0.2.1:7101/x')).toEqual({ host: 'voters', url: ':7101/x' });
    expect(await seedOf('voters:7100', 'http://192.0.2.1:7101')).toEqual({ host: 'voters:7100', url: '/' });
    expect(await seedOf('voters', 'https://route.example')).toEqual({ host: 'voters', url: '/' });
  });
});
