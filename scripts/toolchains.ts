/**
 * Tries the packed package with the tools that its users have, and writes docs/toolchains.md. Installs those tools in a folder for
 * temporary files, so it needs a package registry: `npm run toolchains`
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');
const folder = mkdtempSync(path.join(tmpdir(), 'caucus-toolchains-'));
const bin = (name: string): string => path.join(folder, 'node_modules/.bin', name);

const TOOLS = [
  ...['typescript@5.9.3', 'tsx@4.23.15', 'ts-node@10.9.2', 'esbuild@0.28.2', '@types/node@20.19.43'],
  ...['webpack@5.112.2', 'webpack-cli@6.0.1', 'jest@30.5.2', 'deno@2.9.6', 'bun@1.4.4'],
  // What an application with this engine has; the package loads it when the engine is opened.
  'redis@6.3.1',
];

/** Elects itself twice: as a member of its own, and on an engine. */
const BODY = `
  const member = await join({ id: 'a' });
  const first = await member.election('job').lead(({ token }) => token > 0n);
  await member.close();
  const engine = new Memory().engine();
  const second = await new Election('job', engine).lead(({ token }) => token > 0n);
  await engine.close();
  console.log('leads', first, second);`;
const ESM = `import { Election, join } from 'caucus';\nimport { Memory } from 'caucus/memory';\n${BODY}\n`;
const CJS = `const { Election, join } = require('caucus');\nconst { Memory } = require('caucus/memory');\n(async () => {${BODY}\n})();\n`;
const TS_CJS = ESM.replace(BODY, `(async () => {${BODY}\n})();`);
const PRINTED = 'leads true true';

/** Three members, which connect to each other. */
const THREE = `import { join } from 'caucus';
  const base = 20000 + Math.floor(Math.random() * 20000);
  const peers = ['a', 'b', 'c'].map((id, i) => ({ id, url: 'http://127.0.0.1:' + (base + i) }));
  const members = await Promise.all(peers.map(({ id }) => join({ id, peers })));
  const leads = members.map((member) => member.election('job').lead(({ token }) => token > 0n));
  console.log('leads', await Promise.any(leads), true);
  await Promise.all(members.map((member) => member.close()));
  process.exit(0);`;

interface Outcome {
  readonly tool: string;
  readonly what: string;
  readonly isGood: boolean;
  /** What it printed, if it failed. */
  readonly printed: string;
}

/** Failures with a reason that is not ours. Everything else that fails is a fault. */
const REASONS: Readonly<Record<string, string>> = {
  'TypeScript 5.9, node16 in a CommonJS package':
    'node16 does not know that Node.js can require ES modules (TS1479). Use `"module": "nodenext"`, or `await import("caucus")`',
  'Bun 1.4, three members':
    '`join` refuses it with `E_UNSUPPORTED`: members cannot connect to each other under Bun. Elections on engines work',
  'jest, CommonJS test':
    'jest runs CommonJS tests in a loader of its own, which cannot require ES modules on this Node.js. Write the test as `.mjs`, as below',
};

const outcomes: Outcome[] = [];

function file(name: string, text: string): string {
  const at = path.join(folder, name);
  mkdirSync(path.dirname(at), { recursive: true });
  writeFileSync(at, text);
  return at;
}

function attempt(
  tool: string,
  what: string,
  commands: readonly (readonly string[])[],
  expected = PRINTED,
): void {
  let printed = '';
  let isGood = true;
  for (const [command, ...args] of commands) {
    const env = {
      ...process.env,
      NODE_OPTIONS: what.includes('ES module test') ? '--experimental-vm-modules' : '',
    };
    const run = spawnSync(command!, args, { cwd: folder, encoding: 'utf8', timeout: 240_000, env });
    printed = `${run.stdout}${run.stderr}`.trim();
    isGood = run.status === 0;
    if (!isGood) break;
  }
  if (isGood) isGood = printed.includes(expected);
  outcomes.push({ tool, what, isGood, printed });
  process.stdout.write(`${isGood ? 'works' : 'FAILS'}  ${tool}, ${what}\n`);
  if (!isGood) process.stdout.write(`${printed.split('\n').slice(-12).join('\n')}\n`);
}

/** Types of a program with these settings. */
function types(what: string, compiler: string, settings: object, isCommonJs: boolean): void {
  const name = `types-${outcomes.length}`;
  file(`${name}/package.json`, JSON.stringify({ type: isCommonJs ? 'commonjs' : 'module' }));
  file(`${name}/main.ts`, isCommonJs ? TS_CJS : ESM);
  const compilerOptions = {
    strict: true,
    target: 'es2022',
    lib: ['es2023'],
    types: ['node'],
    noEmit: true,
    ...settings,
  };
  const config = file(`${name}/tsconfig.json`, JSON.stringify({ compilerOptions, files: ['main.ts'] }));
  attempt(`TypeScript ${compiler === bin('tsc') ? '5.9' : '7.0'}`, what, [[compiler, '-p', config]], '');
}

/** The newest release of this line of Node.js, which is a package too. */
function node(major: number): string {
  const at = path.join(folder, `node-${major}`);
  const name = `node-${process.platform}-${process.arch}`;
  file(`node-${major}/package.json`, '{ "private": true }');
  spawnSync('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', `${name}@${major}`], {
    cwd: at,
  });
  return path.join(at, 'node_modules', name, 'bin/node');
}

try {
  const packing = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
  const packed = execFileSync('npm', packing, { cwd: root, encoding: 'utf8' });
  const tarball = path.join(folder, JSON.parse(packed)[0].filename);
  file('package.json', '{ "private": true }');
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', tarball, ...TOOLS], {
    cwd: folder,
    stdio: 'ignore',
  });
  file('main.mjs', ESM);
  file('main.cjs', CJS);
  file('three.mjs', THREE);

  const own = `Node.js ${process.versions.node.split('.')[0]}`;
  const versions = new Map([[own, process.execPath]]);
  for (const major of [22, 24]) versions.set(`Node.js ${major}`, node(major));
  for (const [name, command] of versions) {
    attempt(name, '`import`', [[command, 'main.mjs']]);
    attempt(name, '`require`', [[command, 'main.cjs']]);
    attempt(name, 'three members', [[command, 'three.mjs']]);
  }

  const tsc7 = path.join(root, 'node_modules/.bin/tsc');
  types('nodenext', bin('tsc'), { module: 'nodenext' }, false);
  types('nodenext in a CommonJS package', bin('tsc'), { module: 'nodenext' }, true);
  types('node16', bin('tsc'), { module: 'node16' }, false);
  types('node16 in a CommonJS package', bin('tsc'), { module: 'node16' }, true);
  types('bundler', bin('tsc'), { module: 'esnext', moduleResolution: 'bundler' }, false);
  types('node10', bin('tsc'), { module: 'commonjs', moduleResolution: 'node10' }, true);
  types('nodenext', tsc7, { module: 'nodenext' }, false);
  types('bundler', tsc7, { module: 'esnext', moduleResolution: 'bundler' }, false);

  file('run/package.json', '{ "type": "module" }');
  file('run/main.ts', ESM);
  file(
    'run/tsconfig.json',
    JSON.stringify({
      compilerOptions: { module: 'nodenext', target: 'es2022', strict: true, types: ['node'] },
    }),
  );
  attempt('tsx', 'an ES module', [[bin('tsx'), 'run/main.ts']]);
  file('run-cjs/package.json', '{ "type": "commonjs" }');
  file('run-cjs/main.ts', TS_CJS);
  file(
    'run-cjs/tsconfig.json',
    JSON.stringify({
      compilerOptions: { module: 'nodenext', target: 'es2022', strict: true, types: ['node'] },
    }),
  );
  attempt('ts-node', 'a CommonJS package', [
    [bin('ts-node'), '--project', 'run-cjs/tsconfig.json', 'run-cjs/main.ts'],
  ]);

  const bundle = (format: string, out: string, ...more: string[]): string[] => [
    ...[
      bin('esbuild'),
      'main.mjs',
      '--bundle',
      '--platform=node',
      `--format=${format}`,
      `--outfile=${out}`,
      ...more,
    ],
  ];
  file('async.mjs', TS_CJS);
  const cjs = bundle('cjs', 'out/bundle.cjs').map((each) => (each === 'main.mjs' ? 'async.mjs' : each));
  attempt('esbuild', 'one CommonJS file, nothing external', [cjs, [process.execPath, 'out/bundle.cjs']]);
  const banner =
    "--banner:js=import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";
  attempt('esbuild', 'one ES module, with `createRequire` as banner', [
    bundle('esm', 'out/bundle.mjs', banner),
    [process.execPath, 'out/bundle.mjs'],
  ]);
  file(
    'webpack.config.cjs',
    `module.exports = { mode: 'production', target: 'node20', entry: './async.mjs',
    output: { path: __dirname + '/out', filename: 'webpack.cjs' } };`,
  );
  attempt('webpack', 'one CommonJS file, nothing external', [
    [bin('webpack'), '--config', 'webpack.config.cjs'],
    [process.execPath, 'out/webpack.cjs'],
  ]);

  const inJest = (text: string): string =>
    text.replace("console.log('leads', first, second);", 'expect([first, second]).toEqual([true, true]);');
  file('jest/package.json', '{ "jest": { "transform": {} } }');
  file(
    'jest/cjs/lead.test.cjs',
    `test('leads', async () => {${inJest(CJS.replace('(async () => {', '{').replace('})();', '}'))}});`,
  );
  file(
    'jest/esm/lead.test.mjs',
    `${inJest(ESM).replace(/\n {2}const member/, "\ntest('leads', async () => {\n  const member")}});`,
  );
  const jest = (kind: string, extension: string): string[] => [
    ...[
      bin('jest'),
      '--rootDir',
      `jest/${kind}`,
      '--config',
      JSON.stringify({ transform: {}, testTimeout: 60_000, testMatch: [`**/*.test.${extension}`] }),
    ],
  ];
  attempt('jest', 'CommonJS test', [jest('cjs', 'cjs')], '1 passed');
  attempt(
    'jest',
    'ES module test (`NODE_OPTIONS=--experimental-vm-modules`)',
    [jest('esm', 'mjs')],
    '1 passed',
  );

  attempt('Deno 2.9', '`import`', [[bin('deno'), 'run', '-A', 'main.mjs']]);
  attempt('Deno 2.9', 'three members', [[bin('deno'), 'run', '-A', 'three.mjs']]);
  attempt('Bun 1.4', '`import`', [[bin('bun'), 'run', 'main.mjs']]);
  attempt('Bun 1.4', 'three members', [[bin('bun'), 'run', 'three.mjs']]);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

const keyOf = ({ tool, what }: Outcome): string => `${tool}, ${what}`;
const rows = outcomes.map((outcome) => {
  const said = outcome.isGood ? 'works' : (REASONS[keyOf(outcome)] ?? 'FAILS');
  return `| ${outcome.tool} | ${outcome.what} | ${said} |`;
});
const faults = outcomes.filter((outcome) => !outcome.isGood && REASONS[keyOf(outcome)] === undefined);
const page = `# Toolchains

What was tried with the packed package: a program that imports \`caucus\` and \`caucus/memory\`, elects itself as a member and on an engine, and prints what it leads.
This page is written by \`npm run toolchains\`.

| tool | how | |
|---|---|---|
${rows.join('\n')}

The package is ES modules only. \`require\` works on Node.js 20.19, 22.12 and later, which can require ES modules. Libraries of stores (\`pg\`, \`redis\`, …) are loaded when an engine is opened, so a bundler leaves
out those that are not installed.
`;
writeFileSync(path.join(root, 'docs/toolchains.md'), page);
process.stdout.write(
  `${outcomes.length - faults.length} of ${outcomes.length} work or have a stated reason\n`,
);
if (faults.length > 0) process.exitCode = 1;
