/** The examples run, and what the guides show of them is what stands in them. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const root = path.resolve(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');

async function run(example: string, more: readonly string[] = []): Promise<string> {
  const args = ['--import', 'tsx', path.join(root, 'examples', example), ...more];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root, timeout: 60_000 });
  return stdout;
}

describe('the examples', () => {
  it('fenced-http.ts prints what the guide says', async () => {
    const output = await run('fenced-http.ts');
    expect(output).toContain('token 4: 412 token 4 is stale: 5 was seen');
    const indented = output.replace(/^(?=.)/gm, '    ');
    expect(read('docs/fencing.md')).toContain(indented);
  });

  it('fenced-table.ts refuses the leader that comes too late', async () => {
    expect(await run('fenced-table.ts')).toContain('token 4: refused, a newer leader has written');
  });

  it('job-failover.ts does ten jobs with three leaders', async () => {
    const lines = (await run('job-failover.ts')).trim().split('\n');
    expect(lines.map((line) => Number(line.split(' ')[1]))).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(new Set(lines.map((line) => line.split(' ').at(-1))).size).toBe(3);
  });

  it('own-engine.ts passes the suite, as far as it says that it can', async () => {
    const output = await run('own-engine-suite.ts');
    // Node.js has changed how it prints this.
    for (const count of ['fail 0', 'cancelled 0', 'skipped 11'])
      expect(output).toMatch(new RegExp(`^\\S ${count}$`, 'm'));
    expect(output).toMatch(/^(ok \d+ -|✔) a leader that vanishes is replaced/m);
  });

  it('any-engine.ts ends in order when it is told to stop', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'caucus-example-'));
    const args = ['--import', 'tsx', path.join(root, 'examples/any-engine.ts'), `local:${folder}`];
    const example = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
    const lines = createInterface({ input: example.stdout })[Symbol.asyncIterator]();
    expect((await lines.next()).value).toMatch(/ leads with token \d+$/);
    example.kill('SIGTERM');
    expect((await lines.next()).value).toMatch(/ no longer leads: the election was closed$/);
    const [code] = await once(example, 'exit');
    expect(code).toBe(0);
    rmSync(folder, { recursive: true });
  });

  it('nightly-report.ts makes one report for a day', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'caucus-example-'));
    const args = [`local:${folder}`, '2026-11-16'];
    expect(await run('nightly-report.ts', args)).toMatch(
      /^making the report of 2026-11-16: attempt 1, token \d+\n2026-11-16: done, by this copy\n$/,
    );
    expect(await run('nightly-report.ts', args)).toBe('2026-11-16: already-done, by another one\n');
    rmSync(folder, { recursive: true });
  });

  it('shards.ts spreads sixteen shards, and prints what the guide says', async () => {
    const output = await run('shards.ts');
    expect(output).toMatch(/^a owns 8, b owns 8$/m);
    expect(read('docs/shards.md')).toContain(output.replace(/^(?=.)/gm, '    '));
  });

  it('are quoted word for word', () => {
    const guides = ['', 'engines/', 'adapters/'].flatMap((folder) =>
      readdirSync(path.join(root, 'docs', folder))
        .filter((name) => name.endsWith('.md'))
        .map((name) => `${folder}${name}`),
    );
    const quotes = guides.flatMap((guide) =>
      [...read(`docs/${guide}`).matchAll(/```ts\n\/\/ (examples\/\S+)\n([\s\S]*?)```/g)].map((match) => ({
        guide,
        file: match[1]!,
        text: match[2]!,
      })),
    );
    expect(quotes.length).toBeGreaterThanOrEqual(4);
    for (const { guide, file, text } of quotes) expect(read(file), `${guide} quotes ${file}`).toContain(text);
  });
});
