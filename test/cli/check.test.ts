/** `caucus check` as users run it. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { caucus } from './caucus.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'caucus-check-'));
afterAll(() => rmSync(folder, { recursive: true }));

interface Told {
  readonly property: string;
  readonly claimed: boolean;
  readonly replays: boolean;
  readonly trace: readonly string[];
  readonly scenario: object;
}

// biome-ignore lint/suspicious/noExplicitAny: tests look at whatever was printed.
async function checkJson(...args: readonly string[]): Promise<any> {
  const { code, stdout, stderr } = await caucus(['check', ...args, '--json']);
  if (code !== 0) throw new Error(`exit ${code}: ${stderr}`);
  return JSON.parse(stdout);
}

const properties = ({ violations }: { violations: readonly Told[] }): string[] =>
  violations.map(({ property, claimed }) => `${property}${claimed ? '!' : ''}`);

describe('caucus check', () => {
  it('epoch: complete, no promise broken, and two leaders at once', async () => {
    const result = await checkJson('epoch', '--members', '3');
    expect(result).toMatchObject({ protocol: 'epoch', members: [1, 2, 3], complete: true, states: 653 });
    expect(properties(result)).toEqual(['S6', 'S10']);
    expect(Object.keys(result)).toEqual(
      expect.arrayContaining(['bounds', 'transitions', 'depth', 'seconds', 'statesPerSecond', 'eventually']),
    );
    expect(Object.values(result.sometimes)).not.toContain(false);
  });

  it('epoch with amnesia: two winners in one epoch, each with a scenario that was seen to show it', async () => {
    const result = await checkJson('epoch', '--members', '3', '--amnesia');
    const twice = result.violations.find(({ property }: Told) => property === 'S1');
    expect(twice).toMatchObject({ claimed: false, replays: true, shortest: true });
    expect(twice.detail).toMatch(/both won term 1$/);
    expect(result.violations.every(({ replays }: Told) => replays)).toBe(true);
  });

  it('bully: two leaders at once', async () => {
    const result = await checkJson('bully', '--members', '3');
    expect(result.complete).toBe(true);
    expect(properties(result)).toEqual(['S10']);
    expect(result.violations[0].trace).toHaveLength(4);
  });

  it('writes a scenario that caucus simulate plays to the same end', async () => {
    const file = path.join(folder, 'twice.json');
    await checkJson('epoch', '--terms', '1', '--amnesia', '--scenario', file);
    const { code, stdout } = await caucus(['simulate', file, '--json']);
    const written = JSON.parse(readFileSync(file, 'utf8'));
    expect(written.events[0]).toEqual({ atMs: 0, do: 'hold', count: 1_000_000 });
    expect(code).toBe(0);
    expect(properties(JSON.parse(stdout))).toContain('S1');
  });

  it('takes the bounds that it is given', async () => {
    const args = [
      '--terms',
      '1',
      '--crashes',
      '0',
      '--drops',
      '1',
      '--in-flight',
      '3',
      '--evidence',
      '2',
      '--depth',
      '4',
    ];
    const { bounds, covering, complete, depth } = await checkJson('epoch', ...args);
    expect(bounds).toMatchObject({
      terms: 1,
      crashes: 0,
      network: { drops: 1, duplicates: 1, inFlight: 3 },
      evidence: 2,
      depth: 4,
    });
    expect({ covering, complete, depth }).toEqual({ covering: false, complete: false, depth: 4 });
    const few = await checkJson('epoch', '--max-states', '50', '--exact');
    expect(few).toMatchObject({ complete: false, covering: false });
    const short = await checkJson('epoch', '--fingerprints', '--terms', '1');
    expect(short).toMatchObject({ complete: true, covering: false, fingerprints: { bits: 64 } });
    expect((await checkJson('bully', '--option', 'prefer=lowest')).violations[0].trace[0]).toContain(
      '1 starts · is candidate · is leader',
    );
  });

  it('tells people the shortest history, what was kept and within which bounds', async () => {
    const { code, stdout } = await caucus(['check', 'epoch']);
    expect(code).toBe(0);
    expect(stdout).toContain('S10 (one leader at a time) does not hold, and was not promised');
    expect(stdout).toContain('   9  2 ← 3 vote 2 · is leader in 2');
    expect(stdout).toContain('No promise is broken, and the search within the bounds is complete.');
    expect(stdout).toMatch(/kept +S1 S2 S3 S4 S9\n/);
    expect(stdout).toMatch(/bounds +terms up to 2;/);
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  const refused: readonly [args: readonly string[], line: RegExp][] = [
    [['paxos'], /^caucus: PROTOCOL: expected one of .*epoch.*, found "paxos"\n$/],
    [[], /^caucus: missing required argument 'PROTOCOL'\n$/],
    [['epoch', '--members', '0'], /^caucus: --members: expected a number from 1/],
    [['epoch', '--members', '8'], /^caucus: --members: expected at most 7, found 8\n$/],
    [['epoch', '--terms', 'two'], /^caucus: --terms: expected a whole number from 0 to 1000, found "two"\n$/],
    [['epoch', '--terms', '-1'], /^caucus: --terms: expected a whole number/],
    [['epoch', '--crashes', '16'], /^caucus: --crashes: expected a whole number from 0 to 15, found 16\n$/],
    [['epoch', '--in-flight', '0'], /^caucus: --in-flight: expected a whole number from 1/],
    [['epoch', '--quorum'], /^caucus: --option quorum: expected no fields here, found an unknown field\n$/],
    [['bully', '--option', 'prefer=middle'], /^caucus: --option prefer: expected "highest" or "lowest"/],
    [['bully', '--option', 'prefer'], /^caucus: --option: expected name=value, found "prefer"\n$/],
    [['epoch', '--bound', 'round=-1'], /^caucus: --bound round: expected a whole number/],
    [
      ['epoch', '--bound', 'foo=1'],
      /^caucus: --bound: expected none, since epoch has no other counters than its term \(--terms\), found "foo"\n$/,
    ],
    [
      ['quorum', '--bound', 'term=1'],
      /^caucus: --bound: expected one of the counters round, version, found "term"\n$/,
    ],
    [['epoch', '--progress', '0'], /^caucus: --progress: expected a whole number from 1/],
    [['epoch', '--max-states', '0'], /^caucus: --max-states: expected a whole number from 1/],
    [
      ['epoch', '--scenario', '/nowhere/x.json'],
      /^caucus: --scenario: \/nowhere\/x.json: no such file or directory\n$/,
    ],
    [['epoch', '--color'], /^caucus: unknown option '--color'\n$/],
  ];
  for (const [args, line] of refused) {
    it(`refuses ${JSON.stringify(args)} in one line`, async () => {
      const { code, stdout, stderr } = await caucus(['check', ...args]);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toMatch(line);
    });
  }
});
