import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { caucus, end, simulateJson, start } from './caucus.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'caucus-'));
afterAll(() => rmSync(folder, { recursive: true }));

const examples = readdirSync(new URL('../../examples/', import.meta.url)).filter((name) =>
  name.endsWith('.json'),
);

describe.concurrent('caucus simulate --json', () => {
  it('prints the object, and nothing else', async () => {
    const { code, stdout, stderr } = await caucus(['simulate', '--json']);
    expect([code, stderr]).toEqual([0, '']);
    const result = JSON.parse(stdout);
    expect(Object.keys(result)).toEqual([
      'protocol',
      'seed',
      'untilMs',
      'hash',
      'claims',
      'acting',
      'final',
      'changes',
      'darkMs',
      'doubleMs',
      'messages',
      'violations',
    ]);
    expect(result).toMatchObject({ protocol: 'epoch', seed: 1, untilMs: 20_000 });
    expect(Object.keys(result.final)).toEqual(['leader', 'agreed', 'views']);
    expect(Object.keys(result.final.views['1'])).toEqual(['role', 'leader', 'term', 'version', 'value']);
  });

  it('without a file, lets the leader crash and come back', async () => {
    const { stdout } = await caucus(['simulate', '--json']);
    const { claims, changes, final } = JSON.parse(stdout);
    expect(claims[0].toMs).toBe(8000);
    expect(changes).toBeGreaterThan(0);
    expect(Object.values<{ role: string }>(final.views).map((view) => view.role)).not.toContain('down');
  });

  it('lets flags override the file', async () => {
    const given = { protocol: 'epoch', members: 3, untilMs: 1000, seed: 5 };
    expect(await simulateJson(given)).toMatchObject({ seed: 5, untilMs: 1000 });
    const changed = await simulateJson(given, '--members', 'a,b,7', '--until', '3000', '--seed', '6');
    expect(changed).toMatchObject({ seed: 6, untilMs: 3000 });
    expect(Object.keys(changed.final.views)).toEqual(['7', 'a', 'b']);
  });

  it('exits with 1 when a promise was broken', async () => {
    // A protocol that promises one winner per term, while everybody wins term 1 at once.
    const code = `
      import { catalogue } from ${JSON.stringify(new URL('../../dist/protocols/index.js', import.meta.url))};
      const view = (id) => ({ role: 'leader', leader: id, term: 1, lease: null, version: 0, value: null });
      catalogue.liar = {
        name: 'liar', summary: '', timing: {}, options: {}, messages: {}, commands: [],
        create: () => ({
          name: 'liar',
          pledges: [{ property: 'S1', assuming: [] }],
          init: ({ id }) => ({ id }),
          step: (s, input, out) => { if (input.type === 'start') out.push({ type: 'report', view: view(s.id) }); },
        }),
      };
      await import(${JSON.stringify(new URL('../../dist/cli/main.js', import.meta.url))});`;
    const file = path.join(folder, 'liar.mjs');
    writeFileSync(file, code);
    const run = (...args: string[]) => end(start(['simulate', '--protocol', 'liar', ...args], file));
    const json = await run('--json');
    expect(json.code).toBe(1);
    expect(JSON.parse(json.stdout).violations).toContainEqual(
      expect.objectContaining({ property: 'S1', claimed: true, members: [1, 2] }),
    );
    const words = await run();
    expect(words.code).toBe(1);
    expect(words.stdout).toContain('BROKEN PROMISE');
  });
});

describe.concurrent('caucus simulate', () => {
  for (const name of examples) {
    it(`tells ${name} in lines that fit a terminal`, async () => {
      const { code, stdout, stderr } = await caucus(['simulate', `examples/${name}`]);
      expect([code, stderr]).toEqual([0, '']);
      const lines = stdout.split('\n');
      expect(lines.length).toBeLessThan(90);
      for (const line of lines) expect(line.length, line).toBeLessThanOrEqual(80);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be there.
      expect(stdout).not.toMatch(/\x1b/);
      expect(stdout).toContain(`npx caucus simulate examples/${name} --seed 1`);
    });
  }

  it('gives the command that repeats the run', async () => {
    const { stdout } = await caucus(['simulate', '--members', 'a,b', '--until', '900', '--seed', '4']);
    expect(stdout).toContain('npx caucus simulate --members a,b --until 900 --seed 4\n');
  });

  it('ends quietly when its reader has seen enough', async () => {
    const child = start(['simulate', '--json', '--members', '100']);
    child.stdout!.once('data', () => child.stdout!.destroy());
    expect(await end(child)).toMatchObject({ code: 0, stderr: '' });
  });

  it('has help with examples for every command, and a version', async () => {
    for (const args of [
      [],
      ['--help'],
      ['simulate', '--help'],
      ['protocols', '--help'],
      ['help', '--help'],
    ]) {
      const { code, stdout, stderr } = await caucus(args);
      expect([code, stderr]).toEqual([0, '']);
      expect(stdout).toMatch(/Examples?:\n {2}\$ caucus /);
    }
    expect((await caucus(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect((await caucus(['help', 'simulate'])).stdout).toBe((await caucus(['simulate', '--help'])).stdout);
  });

  it('describes the protocols', async () => {
    const all = JSON.parse((await caucus(['protocols', '--json'])).stdout);
    const one = JSON.parse((await caucus(['protocols', 'epoch', '--json'])).stdout);
    expect(all).toContainEqual(one);
    expect(one.timing.heartbeatMs).toEqual({
      default: 1000,
      expected: 'milliseconds above 0, up to 1000000000',
      about: 'a leader sends a keep-alive this often',
    });
    expect(one.promises[0]).toEqual({ property: 'S1', assuming: ['disk', 'no-forgery'] });
    expect((await caucus(['protocols'])).stdout).toContain('  epoch ');
    expect((await caucus(['protocols', 'epoch'])).stdout).toContain('default [1500,3000]');
    expect((await caucus(['simulate', '--help'])).stdout).toContain('caucus protocols lists the elections');
  });
});

describe.concurrent('--trace', () => {
  it('writes the header, and then everything that happened', async () => {
    const file = path.join(folder, 'trace.ndjson');
    writeFileSync(file, 'what was there before');
    const { code, stdout } = await caucus(['simulate', '--json', '--seed', '3', '--trace', file]);
    expect(code).toBe(0);
    const text = readFileSync(file, 'utf8');
    expect(text.endsWith('\n')).toBe(true);
    const [header, ...lines] = text
      .slice(0, -1)
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(header).toMatchObject({ trace: 'caucus/1', protocol: 'epoch', members: [1, 2, 3, 4, 5], seed: 3 });
    const { messages, untilMs } = JSON.parse(stdout);
    const sent = lines.flatMap((line) => line.effects ?? []).filter((effect) => effect.type === 'send');
    expect(sent).toHaveLength(messages.total);
    const times = lines.map((line) => line.atMs);
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect(times.at(-1)).toBeLessThanOrEqual(untilMs);
    expect(readdirSync(folder).filter((name) => name.startsWith('.'))).toEqual([]);
  });

  it('writes to what is no ordinary file directly', async () => {
    expect((await caucus(['simulate', '--json', '--trace', '/dev/null'])).code).toBe(0);
  });

  it('leaves the old file alone when it is interrupted', async () => {
    const own = mkdtempSync(path.join(folder, 'interrupted-'));
    const file = path.join(own, 'trace.ndjson');
    writeFileSync(file, 'what was there before');
    const child = start(['simulate', '--until', '1000000000', '--trace', file]);
    const ended = end(child);
    // Once the new file is there, it runs.
    while (readdirSync(own).length < 2) await new Promise((resolve) => setImmediate(resolve));
    child.kill('SIGINT');
    expect(await ended).toMatchObject({ code: 130, stdout: '', stderr: '' });
    expect(readdirSync(own)).toEqual(['trace.ndjson']);
    expect(readFileSync(file, 'utf8')).toBe('what was there before');
  });
});
