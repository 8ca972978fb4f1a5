/** The packed tarball, installed elsewhere and used: what users get, not what the checkout has. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = path.resolve(import.meta.dirname, '..');
let folder: string;
let tarball: string;

const run = (command: string, args: string[], cwd = folder): string =>
  execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'caucus-package-'));
  const packed = run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], root);
  tarball = path.join(folder, JSON.parse(packed)[0].filename);
  writeFileSync(path.join(folder, 'package.json'), '{ "type": "module", "private": true }');
  run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', tarball]);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the packed package', () => {
  it('holds what it needs and nothing else', () => {
    const names = run('tar', ['-tzf', tarball]).trim().split('\n');
    const outside = names.filter(
      (name) =>
        !/^package\/(dist\/.*\.(js|d\.ts)|package\.json|README\.md|LICENSE|CHANGELOG\.md)$/.test(name),
    );
    expect(outside).toEqual([]);
    expect(names).toContain('package/dist/cli/main.js');
  });

  it('imports by every name it exports', () => {
    const names = Object.keys(JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')).exports);
    const modules = names
      .filter((name) => !name.endsWith('.json'))
      .map((name) => name.replace('.', 'caucus'));
    expect(modules).toContain('caucus/simulation');
    for (const name of modules) {
      const count = run('node', [
        '-e',
        `import('${name}').then((m) => process.stdout.write(String(Object.keys(m).length)))`,
      ]);
      expect(Number(count), name).toBeGreaterThan(0);
    }
  });

  it('runs the program of its README, which prints what it says', () => {
    const readme = readFileSync(path.join(root, 'README.md'), 'utf8');
    const program = /```ts\n([\s\S]*?)```/.exec(readme)![1]!;
    const printed = /console\.log\(.*\); \/\/ (.*)/.exec(program)![1]!;
    expect(run('node', ['--input-type=module', '-e', program]).trim()).toBe(printed);
  });

  it('brings the command', () => {
    const result = JSON.parse(run('npx', ['caucus', 'simulate', '--protocol', 'epoch', '--json']));
    expect(result).toMatchObject({ protocol: 'epoch', final: { agreed: true } });
  });

  it('is well formed for publishing, and its types resolve', () => {
    run(path.join(root, 'node_modules/.bin/publint'), ['--strict', tarball], root);
    run(path.join(root, 'node_modules/.bin/attw'), ['--profile', 'esm-only', tarball], root);
  });
});
