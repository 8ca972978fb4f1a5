import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { shrinkLine } from '../../src/cli/commands/simulate/shrinking.ts';
import { epoch } from '../../src/protocols/epoch.ts';
import { catalogue } from '../../src/protocols/index.ts';
import { drawStorm, RunTotals, scenarioOf, swarmOutcome } from '../../src/simulation/index.ts';
import { caucus, type Ended, end, MAIN, start } from './caucus.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'caucus-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Settles when a process has used so many seconds of the processor: by then a swarm has done some of its runs. */
async function usesProcessor(pid: number, seconds: number): Promise<void> {
  const TICKS_A_SECOND = 100;
  for (;;) {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    if (Number(fields[11]) + Number(fields[12]) > seconds * TICKS_A_SECOND) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

describe.concurrent('caucus simulate --swarm', () => {
  it('adds up runs that are drawn from their seeds, and exits with 0 if none fails', async () => {
    const args = ['simulate', '--swarm', '--protocol', 'ring', '--seed', '3', '--runs', '40', '--json'];
    const { code, stdout } = await caucus(args);
    expect(code).toBe(0);
    const totals = new RunTotals('ring', 0, 3);
    for (let seed = 3; seed < 43; seed++) totals.add(swarmOutcome(catalogue.ring!, seed));
    const { untilMs: _, ...result } = totals.result();
    const expected = { ...result, swarm: true, failed: 0, failing: [], shrunk: null };
    expect(JSON.parse(stdout)).toEqual(JSON.parse(JSON.stringify(expected)));
  });

  it('tells what it has found so far when it is interrupted', async () => {
    const args = ['--protocol', 'bully', '--seed', '7', '--runs', '2000000', '--jobs', '1'];
    const child = start(['simulate', '--swarm', ...args]);
    const ended = end(child);
    await usesProcessor(child.pid!, 4);
    child.kill('SIGINT');
    const { code, stdout, stderr } = await ended;
    expect(code).toBe(130);
    const [, runs] = /^caucus: interrupted after ([\d,]+) of 2,000,000 runs; --seed \d+ goes on\n$/.exec(
      stderr,
    )!;
    expect(stdout).toMatch(new RegExp(`^bully: a swarm of ${runs} runs?, seeds 7 to `));
  });

  it('tells people the same', async () => {
    const { code, stdout } = await caucus(['simulate', '--swarm', '--protocol', 'bully', '--runs', '20']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^bully: a swarm of 20 runs, seeds 1 to 20\n/);
    expect(stdout).toMatch(/ {2}settled +all 20\n/);
    expect(stdout).toMatch(/ {2}failed +none\n/);
    expect(stdout).not.toContain('npx caucus');
  });

  it('tells a single run in full, with the command that repeats it', async () => {
    const { code, stdout } = await caucus(['simulate', '--swarm', '--protocol', 'epoch', '--seed', '5']);
    expect(code).toBe(0);
    expect(stdout).toContain('★ leads');
    expect(stdout).toContain('npx caucus simulate --swarm --protocol epoch --seed 5\n');
  });

  it('prints the scenario of a seed, which is a scenario like any other', async () => {
    const swarm = ['simulate', '--swarm', '--protocol', 'draw', '--seed', '8'];
    const printed = await caucus([...swarm, '--print-scenario']);
    expect([printed.code, JSON.parse(printed.stdout)]).toEqual([
      0,
      scenarioOf(drawStorm(catalogue.draw!, 8)),
    ]);
    const [drawn, replayed] = await Promise.all([
      caucus([...swarm, '--json']),
      caucus(['simulate', '-', '--json'], printed.stdout),
    ]);
    const { swarm: isSwarm, failure, scenario, shrunk, ...result } = JSON.parse(drawn.stdout);
    expect({ isSwarm, failure, shrunk }).toEqual({ isSwarm: true, failure: null, shrunk: null });
    expect(scenario).toEqual(JSON.parse(printed.stdout));
    expect(JSON.parse(replayed.stdout)).toEqual(result);
  });

  it('gives the same on one thread and on several', async () => {
    const swarm = ['simulate', '--swarm', '--protocol', 'epoch', '--runs', '30', '--json'];
    const [one, three] = await Promise.all(['1', '3'].map((jobs) => caucus([...swarm, '--jobs', jobs])));
    expect(one).toMatchObject({ code: 0, stderr: '' });
    expect(one).toEqual(three);
  });

  const refused: readonly [args: readonly string[], message: string][] = [
    [['--swarm', 'file.json'], '--swarm: expected no FILE, since every scenario is drawn'],
    [['--swarm', '--members', '3'], '--members: expected no --swarm, which draws it itself'],
    [['--swarm', '--until', '3'], '--until: expected no --swarm, which draws it itself'],
    [['--swarm', '--print-scenario', '--runs', '2'], '--print-scenario: expected a single run, found --runs'],
    [['--swarm', '--shrink', '-'], '--shrink: expected the name of a file, found "-"'],
    [['--swarm', '--shrink', folder], `--shrink: ${folder}: expected a file, found a directory`],
    [['--swarm', '--shrink', '/no/such/folder/x'], '--shrink: /no/such/folder/x: no such file or directory'],
    [['--swarm', '--jobs', '2'], '--jobs: expected --runs with it, found none'],
    [['--runs', '9', '--jobs', '0'], '--jobs: expected a whole number from 1 to 256, found 0'],
    [['--shrink', 'x.json'], '--shrink: expected --swarm with it, found none'],
    [['--print-scenario'], '--print-scenario: expected --swarm with it, found none'],
  ];
  for (const [args, message] of refused) {
    it(`refuses ${args.join(' ')}`, async () => {
      expect(await caucus(['simulate', ...args])).toEqual({
        code: 2,
        stdout: '',
        stderr: `caucus: ${message}\n`,
      });
    });
  }

  it('refuses an unknown protocol', async () => {
    const { code, stderr } = await caucus(['simulate', '--swarm', '--protocol', 'raft', '--runs', '9']);
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/^caucus: --protocol: expected one of .*found "raft"\n$/),
    ]);
  });
});

/** Spoils `epoch` in the process and in each of its threads: its members forget whom they voted for. */
const PLANT = `
  import { catalogue } from ${JSON.stringify(new URL('../../dist/protocols/index.js', import.meta.url).href)};
  const { epoch } = catalogue;
  const create = epoch.create.bind(epoch);
  epoch.create = (config) => {
    const honest = create(config);
    return { ...honest, step(s, input, out) { s.votedFor = null; honest.step(s, input, out); } };
  };`;

describe('a swarm that fails', () => {
  const plant = path.join(folder, 'plant.mjs');
  writeFileSync(plant, PLANT);

  function spoilt(args: readonly string[], cwd: string): Promise<Ended> {
    const env = { ...process.env, COLUMNS: '80', NODE_OPTIONS: `--import ${plant}` };
    return end(spawn(process.execPath, [MAIN, 'simulate', ...args], { cwd, env }));
  }

  const newFolder = (): string => mkdtempSync(path.join(folder, 'in-'));
  const swarm = ['--swarm', '--protocol', 'epoch'];

  it('exits with 1, names the seeds and how to see the first, and writes that one small to a file', async () => {
    const cwd = newFolder();
    const { code, stdout, stderr } = await spoilt([...swarm, '--runs', '30'], cwd);
    expect([code, stderr]).toEqual([1, '']);
    const seed = Number(/ {2}seed (\d+) +S\d/.exec(stdout)![1]);
    expect(stdout).toContain(`npx caucus simulate --swarm --protocol epoch --seed ${seed}\n`);
    expect(stdout).toContain(`npx caucus simulate caucus-epoch-seed${seed}.json --seed ${seed}\n`);
    expect(readdirSync(cwd)).toEqual([`caucus-epoch-seed${seed}.json`]);

    // Both commands show a broken promise.
    const [repro, replay] = await Promise.all([
      spoilt([...swarm, '--seed', String(seed)], cwd),
      spoilt([`caucus-epoch-seed${seed}.json`, '--seed', String(seed)], cwd),
    ]);
    expect(repro.code).toBe(1);
    expect(repro.stdout).toMatch(/ {2}FAILED +S\d/);
    expect(repro.stdout).toContain(`--seed ${seed} --shrink FILE\n`);
    expect(replay.code).toBe(1);
    const saved = JSON.parse(readFileSync(path.join(cwd, `caucus-epoch-seed${seed}.json`), 'utf8'));
    expect(saved.events.length).toBeLessThanOrEqual(drawStorm(epoch, seed).faults.length);
  });

  it('prints it all as JSON, with the small scenario inside, and writes no file', async () => {
    const cwd = newFolder();
    const { code, stdout } = await spoilt([...swarm, '--runs', '30', '--json'], cwd);
    expect(code).toBe(1);
    const { swarm: isSwarm, failed, failing, shrunk, broken } = JSON.parse(stdout);
    expect(isSwarm).toBe(true);
    expect(failed).toBe(broken.count);
    expect(failing).toHaveLength(Math.min(failed, 20));
    expect(failing[0]).toEqual({
      seed: expect.any(Number),
      property: expect.stringMatching(/^S\d$/),
      detail: expect.any(String),
      repro: `npx caucus simulate --swarm --protocol epoch --seed ${failing[0].seed}`,
    });
    expect(shrunk).toMatchObject({
      seed: failing[0].seed,
      property: failing[0].property,
      file: null,
      replay: null,
    });
    expect(shrunk.scenario).toMatchObject({ protocol: 'epoch', seed: failing[0].seed });
    expect(readdirSync(cwd)).toEqual([]);
  });

  it('writes it where --shrink says, also for a single run', async () => {
    const cwd = newFolder();
    const { stdout } = await spoilt([...swarm, '--runs', '30', '--json', '--shrink', 'small.json'], cwd);
    const { shrunk } = JSON.parse(stdout);
    expect(shrunk.file).toBe('small.json');
    const file = path.join(cwd, 'small.json');
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(shrunk.scenario);
    rmSync(file);
    const one = await spoilt([...swarm, '--seed', String(shrunk.seed), '--shrink', 'small.json'], cwd);
    expect(one.code).toBe(1);
    expect(one.stdout).toContain(`npx caucus simulate small.json --seed ${shrunk.seed}\n`);
    expect(existsSync(file)).toBe(true);
  });

  it('shows on a terminal how far the shrinking is', () => {
    const storm = drawStorm(epoch, 2);
    const failure = { property: 'S1', atMs: 0, detail: '' };
    const { faults, members } = storm;
    expect(shrinkLine({ storm, failure, tries: 1200 })).toBe(
      `shrinking seed 2: ${faults.length} events, ${members.length} members after 1,200 runs`,
    );
  });
});
