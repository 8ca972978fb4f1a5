/** docs/discovery.md says what the command does, and the pages agree on whether members compare settings. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { VARIABLES } from '../../src/cli/input/config/environment.ts';
import { readMemberConfig } from '../../src/cli/input/config/member-config.ts';
import { caucus } from './caucus.ts';

const DOCS = path.resolve(import.meta.dirname, '../../docs');
const page = (name: string): string => {
  const file = path.join(DOCS, name);
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
};
const folder = mkdtempSync(path.join(tmpdir(), 'caucus-docs-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('docs/discovery.md', () => {
  const text = page('discovery.md');

  it('is linked from the pages of the command and of operations, and has its pictures', () => {
    for (const name of ['cli.md', 'operations.md']) expect(page(name)).toContain('discovery.md');
    const pictures = [...text.matchAll(/!\[[^\]]+\]\(([^)]+)\)/g)].map((match) => match[1]!);
    expect(pictures.length).toBeGreaterThanOrEqual(2);
    for (const picture of pictures) expect(existsSync(path.join(DOCS, picture)), picture).toBe(true);
  });

  it('has an application.yml that is understood as the page says', async () => {
    const yaml = /```yaml\n([\s\S]*?)```/.exec(text)?.[1];
    const file = path.join(folder, 'application.yml');
    writeFileSync(file, yaml ?? '');
    const { settings, timing } = await readMemberConfig({ config: file }, {});
    expect(settings).toMatchObject({
      id: 'region-three-voter',
      url: expect.stringContaining('region-three'),
    });
    expect(settings.peers).toHaveLength(2);
    expect(timing.heartbeatMs).toBe(30_000);
  });

  it('names flags and variables that exist', async () => {
    const { stdout } = await caucus(['node', '--help']);
    const rows = text.split('\n').filter((line) => /^\| `(voter|heartbeat|missed|seed)-/.test(line));
    expect(rows).toHaveLength(6);
    for (const row of rows) {
      const [, , flags, variable] = row.split('|').map((cell) => cell.trim()) as string[];
      for (const [flag] of flags!.matchAll(/--[a-z-]+/g)) expect(stdout).toContain(flag);
      expect(Object.keys(VARIABLES)).toContain(variable!.replaceAll('`', ''));
    }
  });
});

it('the pages say the same of members whose settings differ', () => {
  const sentence = /Members compare (?:what they use|their settings) when they connect[^;]*; ([^.]+)\./;
  const [cli, operations] = ['cli.md', 'operations.md'].map((name) => sentence.exec(page(name))?.[1]);
  expect(cli).toBe('those whose settings differ refuse each other and say in which setting');
  expect(operations).toBe(cli);
});
