/** The examples run, and what the guides show of them is what stands in them. */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const root = path.resolve(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');

async function run(example: string): Promise<string> {
  const args = ['--import', 'tsx', path.join(root, 'examples', example)];
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

  it('are quoted word for word', () => {
    const guides = readdirSync(path.join(root, 'docs')).filter((name) => name.endsWith('.md'));
    const quotes = guides.flatMap((guide) =>
      [...read(`docs/${guide}`).matchAll(/```ts\n\/\/ (examples\/\S+)\n([\s\S]*?)```/g)].map((match) => ({
        guide,
        file: match[1]!,
        text: match[2]!,
      })),
    );
    expect(quotes.length).toBeGreaterThanOrEqual(2);
    for (const { guide, file, text } of quotes) expect(read(file), `${guide} quotes ${file}`).toContain(text);
  });
});
