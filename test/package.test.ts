/** The packed tarball, installed elsewhere and used: what users get, not what the checkout has. */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = path.resolve(import.meta.dirname, '..');
let folder: string;
let tarball: string;

const run = (command: string, args: string[], cwd = folder): string =>
  execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

/** Every name that can be imported. */
function modules(): string[] {
  const { exports } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  const names = Object.keys(exports).filter((name) => !name.endsWith('.json'));
  return names.map((name) => name.replace('.', 'caucus'));
}

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'caucus-package-'));
  const packed = run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], root);
  tarball = path.join(folder, JSON.parse(packed)[0].filename);
  cpSync(path.join(root, 'examples'), path.join(folder, 'examples'), { recursive: true });
  writeFileSync(path.join(folder, 'package.json'), '{ "type": "module", "private": true }');
  run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', tarball]);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the packed package', () => {
  it('holds what it needs and nothing else', () => {
    const names = run('tar', ['-tzf', tarball]).trim().split('\n');
    const outside = names.filter(
      (name) =>
        !/^package\/(dist\/.*\.(js|d\.ts)|dist\/playground\/.*\.(html|css|svg)|docs\/.*\.md|examples\/(adapters\/)?[^/]*\.(ts|json)|package\.json|README\.md|LICENSE|CHANGELOG\.md|CONTRIBUTING\.md|SECURITY\.md)$/.test(
          name,
        ),
    );
    expect(outside).toEqual([]);
    expect(names).toContain('package/dist/cli/main.js');
    expect(names).toContain('package/dist/playground/index.html');
  });

  it('holds the pages that its README links to, and the examples that it runs', () => {
    const names = run('tar', ['-tzf', tarball]).trim().split('\n');
    const readme = readFileSync(path.join(root, 'README.md'), 'utf8');
    const named = readme.matchAll(/\]\(([\w/.-]+\.md)|\b(examples\/[\w-]+\.json)/g);
    const files = [...named].map(([, page, example]) => `package/${page ?? example}`);
    expect(files).toContain('package/docs/operations.md');
    expect(files).toContain('package/examples/split-brain.json');
    expect(files.filter((file) => !names.includes(file))).toEqual([]);
  });

  it('imports by every name it exports', () => {
    expect(modules()).toContain('caucus/simulation');
    for (const name of modules()) {
      const count = run('node', [
        '-e',
        `import('${name}').then((m) => process.stdout.write(String(Object.keys(m).length)))`,
      ]);
      expect(Number(count), name).toBeGreaterThan(0);
    }
  });

  it('loads nothing that a program does not use', () => {
    const hook = `export async function load(url, context, next) {
      process._rawDebug(url);
      return next(url, context);
    }`;
    const hooks = JSON.stringify(`data:text/javascript,${encodeURIComponent(hook)}`);
    const register = `import { register } from 'node:module'; register(${hooks});`;
    const loadedBy = (program: string): string[] => {
      const args = [
        '--import',
        `data:text/javascript,${encodeURIComponent(register)}`,
        '--input-type=module',
      ];
      const { stderr, status } = spawnSync('node', [...args, '-e', program], {
        cwd: folder,
        encoding: 'utf8',
      });
      expect(status, stderr).toBe(0);
      const files = [...stderr.matchAll(/^file:.*\/node_modules\/(?:caucus\/dist\/)?(.*)$/gm)];
      return files.map(([, file]) => file!);
    };
    const rooms = (files: readonly string[]): string[] => [
      ...new Set(files.map((file) => file.split('/')[0]!)),
    ];
    const bare = loadedBy(`await import('caucus');`);
    expect(rooms(bare).sort()).toEqual(['core', 'door', 'election', 'engines', 'index.js', 'once', 'shards']);
    expect(bare.filter((file) => /^engines\/\w+\//.test(file))).toEqual([]);
    const lead = (options: string): string =>
      `const { join } = await import('caucus'); const member = await join(${options});
       await member.election('job').lead(() => {}); await member.close();`;
    const joined = loadedBy(lead('{}'));
    for (const unused of ['simulation', 'exploration', 'testing', 'playground', 'story', 'cli', 'adapters'])
      expect(rooms(joined)).not.toContain(unused);
    const protocols = (files: readonly string[]): string[] =>
      rooms(files.flatMap((file) => /^protocols\/(.*)$/.exec(file)?.[1] ?? []));
    expect(protocols(joined)).toEqual(['quorum']);
    expect(protocols(loadedBy(lead(`{ protocol: 'epoch' }`)))).toContain('epoch.js');
  });

  it('names the same types to tools that do not read "exports"', () => {
    const { exports, types, typesVersions } = JSON.parse(
      readFileSync(path.join(root, 'package.json'), 'utf8'),
    );
    const named = Object.entries<{ types?: string }>(exports).flatMap(([name, entry]) =>
      entry.types === undefined || name === '.' ? [] : [[name.slice(2), [entry.types]]],
    );
    expect(types).toBe(exports['.'].types);
    expect(typesVersions).toEqual({ '*': Object.fromEntries(named) });
  });

  it('runs the program of its README, which prints what it says', () => {
    const readme = readFileSync(path.join(root, 'README.md'), 'utf8');
    const program = /```ts\n([\s\S]*?)```/.exec(readme)![1]!;
    const printed = /console\.log\(.*\); \/\/ (.*)/.exec(program)![1]!;
    expect(run('node', ['--input-type=module', '-e', program]).trim()).toBe(printed);
  });

  it('runs the program of the guide to the engines, in memory', () => {
    const guide = readFileSync(path.join(root, 'docs/engines/README.md'), 'utf8');
    const program = /```ts\n([^`]*'caucus\/memory'[\s\S]*?)```/.exec(guide)![1]!;
    const printed = run('node', ['--input-type=module', '-e', program]).trim().split('\n');
    expect(printed).toEqual(['a leads with token 1', 'b leads with token 2']);
  });

  it('brings the command', () => {
    const result = JSON.parse(run('npx', ['caucus', 'simulate', '--protocol', 'epoch', '--json']));
    expect(result).toMatchObject({ protocol: 'epoch', final: { agreed: true } });
  });

  it('says at once which packages a store needs that are not there, and how to get them', () => {
    for (const [url, packages] of [
      ['postgres://u@127.0.0.1:1/d', ['pg']],
      ['redis://127.0.0.1:1', ['redis']],
      ['nats://127.0.0.1:1', ['@nats-io/transport-node', '@nats-io/jetstream', '@nats-io/kv']],
    ] as const) {
      const { status, stderr } = spawnSync('npx', ['caucus', 'leader', '--engine', url], {
        cwd: folder,
        encoding: 'utf8',
      });
      expect(stderr.trim().split('\n').at(-1)).toMatch(
        /^caucus: --engine: the engine \w+ needs the packages? /,
      );
      expect(stderr).toContain(`npm install ${packages.join(' ')}`);
      expect(status).toBe(2);
      const program = `import { openEngine } from 'caucus';
        openEngine('${url}').catch(({ name, code }) => console.log(name, code));`;
      expect(run('node', ['--input-type=module', '-e', program]).trim()).toBe('CaucusError E_UNSUPPORTED');
    }
  });

  it('compiles with its examples in a strict project that checks the types of its libraries too', () => {
    // Whoever uses none of the stores has none of their libraries.
    expect(compile(modules(), ['examples/*.ts'])).toEqual({ status: 0, stdout: '' });
  });

  it('completes and checks what join, once and schedule take, and shows no internals', () => {
    writeFileSync(path.join(folder, 'typed.ts'), TYPED);
    expect(compile(['caucus'], ['typed.ts'])).toEqual({ status: 0, stdout: '' });
  });

  it('runs no script when it is installed', () => {
    const { scripts } = JSON.parse(
      readFileSync(path.join(folder, 'node_modules/caucus/package.json'), 'utf8'),
    );
    const run = ['preinstall', 'install', 'postinstall', 'prepare'].filter((name) => name in scripts);
    expect(run).toEqual([]);
  });

  it('runs its examples, which print what the documentation says', () => {
    const tsx = path.join(root, 'node_modules/.bin/tsx');
    const printed = (name: string): string[] =>
      run(tsx, [`examples/${name}`])
        .trim()
        .split('\n');
    const told = readFileSync(path.join(root, 'docs/fencing.md'), 'utf8').matchAll(/^ {4}(token .*)$/gm);
    expect(printed('fenced-http.ts')).toEqual([...told].map(([, line]) => line));
    expect(printed('fenced-table.ts')).toContain('token 4: refused, a newer leader has written');
    expect(printed('job-failover.ts')).toHaveLength(10);
    expect(printed('own-engine-suite.ts').filter((line) => line.includes('fail 0'))).toHaveLength(1);
  });

  it('is well formed for publishing, and its types resolve', () => {
    run(path.join(root, 'node_modules/.bin/publint'), ['--strict', tarball], root);
    run(path.join(root, 'node_modules/.bin/attw'), ['--profile', 'esm-only', tarball], root);
  });
});

/** Each line after a comment must be refused by the compiler, and every other one be accepted. */
const TYPED = `import { type Election, type JoinOptions, type Member, join } from 'caucus';
await join({ options: { preset: 'lan' }, timing: { timeoutMs: [1500, 3000], leaseMs: null } });
await join({ protocol: 'bully', timing: { heartbeatMs: 500 }, options: { prefer: 'lowest' } });
await join({ isolate: true, maxStallMs: 1000, options: { preset: 'wan' } });
const options: JoinOptions<'ring'> = { protocol: 'ring', options: { prefer: 'highest' } };
await join(options);
// @ts-expect-error: no such preset
await join({ options: { preset: 'lna' } });
// @ts-expect-error: no such protocol
await join({ protocol: 'buly' });
// @ts-expect-error: no such time
await join({ timing: { heartbeatMS: 500 } });
// @ts-expect-error: a time of another protocol
await join({ timing: { maxTransmissionMs: 500 } });
// @ts-expect-error: an option of another protocol
await join({ protocol: 'bully', options: { preset: 'lan' } });
// @ts-expect-error: no such value
await join({ protocol: 'bully', options: { prefer: 'middle' } });

declare const member: Member;
await member.membership!.reconfigure({ timing: 'wan' });
await member.membership!.reconfigure({ timing: { preset: 'lan', heartbeatMs: 20 } });
// @ts-expect-error: no such preset
await member.membership!.reconfigure({ timing: 'wann' });
// @ts-expect-error: internal
member.electionPort('main');
// @ts-expect-error: internal
member.countRefusal('removed');
// @ts-expect-error: internal
void member.definition;

declare const election: Election;
await election.once(1, ({ transaction }) => transaction.query('SELECT 1'), { transaction: true });
await election.schedule('0 3 * * *', ({ transaction }) => transaction.query(''), { transaction: { idleMs: 5 } });
// @ts-expect-error: there is none
await election.once(1, ({ transaction }) => transaction);
// @ts-expect-error: there is none
await election.schedule('0 3 * * *', ({ transaction }) => transaction, { transaction: false });
// @ts-expect-error: internal
void election.occupation;
// @ts-expect-error: internal
await election.leave();
`;

/** Compiles a program that imports these modules, as a user would who trusts no library. */
function compile(
  names: readonly string[],
  include: readonly string[],
): { status: number | null; stdout: string } {
  const imports = names.map((name, i) => `import * as m${i} from '${name}';\nvoid m${i};`);
  writeFileSync(path.join(folder, 'main.ts'), imports.join('\n'));
  const compilerOptions = {
    ...{ strict: true, skipLibCheck: false, exactOptionalPropertyTypes: false },
    ...{ target: 'es2023', module: 'nodenext', types: ['node'] },
    ...{ noEmit: true, allowImportingTsExtensions: true },
    typeRoots: [path.join(root, 'node_modules/@types')],
  };
  const settings = { compilerOptions, include: ['main.ts', ...include] };
  writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify(settings));
  const tsc = path.join(root, 'node_modules/.bin/tsc');
  const { status, stdout } = spawnSync(tsc, ['-p', folder], { encoding: 'utf8' });
  return { status, stdout };
}
