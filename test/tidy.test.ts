/** The architecture as a test: which room may import which, and what the pure rooms may never touch. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const root = path.resolve(import.meta.dirname, '..');

/** Arrows point one way: a room may import itself and the rooms listed here. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  core: [],
  protocols: ['core'],
  host: ['core'],
  peers: ['core'],
  store: ['core'],
  properties: ['core'],
  simulation: ['core', 'host', 'peers', 'store', 'properties'],
  exploration: ['core', 'properties'],
  story: ['core', 'properties', 'simulation'],
  election: ['core'],
  api: ['core', 'host', 'election'],
  member: ['core', 'protocols', 'host', 'peers', 'store', 'election', 'api'],
  engines: ['core', 'election'],
  testing: ['core', 'protocols', 'host', 'simulation', 'election'],
  cli: [
    'core',
    'protocols',
    'properties',
    'simulation',
    'exploration',
    'story',
    'election',
    'engines',
    'member',
    'api',
    'index.ts',
  ],
  'index.ts': ['core', 'protocols', 'simulation', 'election', 'engines', 'member'],
};

/** The same inside the command: what shows, what reads, and what does. */
const CLI_MAY_IMPORT: Record<string, readonly string[]> = {
  terminal: [],
  input: ['terminal'],
  commands: ['terminal', 'input'],
  'program.ts': ['terminal', 'input', 'commands'],
  'main.ts': ['input', 'program.ts'],
};

const PURE = [
  'core',
  'protocols',
  'host',
  'peers',
  'store',
  'properties',
  'simulation',
  'exploration',
  'story',
];

/** Each would make a run depend on something other than its scenario and seed. */
const BANNED: readonly [pattern: RegExp, reason: string][] = [
  [/\bDate\b/, 'a clock'],
  [/\bperformance\b/, 'a clock'],
  [/Math\.random/, 'an unseeded random source'],
  [/\bcrypto\b/, 'an unseeded random source'],
  [
    /Math\.(log\w*|exp\w*|pow|sqrt|cbrt|hypot|a?sinh?|a?cosh?|a?tanh?|atan2)\b|\*\*(?!\/)/,
    'arithmetic that engines may round differently',
  ],
  [/\b(setTimeout|setInterval|setImmediate|queueMicrotask)\b/, 'a timer'],
  [/\bprocess\b\.|\bglobalThis\b|\bimport\.meta\b/, 'its surroundings'],
  [/\b(async|await|Promise)\b/, 'the event loop'],
  [/\b(localeCompare|toLocale\w+|Intl)\b/, 'the locale'],
  [/from 'node:|require\(/, 'Node.js'],
];

interface Source {
  readonly file: string;
  readonly room: string;
  /** Without comments: words there do no harm. */
  readonly code: string;
  readonly imports: readonly string[];
  /** Those of files of ours, as paths from the root. */
  readonly targets: readonly string[];
}

function readSources(): Source[] {
  const files = readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' });
  return files
    .filter((name) => name.endsWith('.ts'))
    .map((name) => {
      const file = path.join('src', name);
      const text = readFileSync(path.join(root, file), 'utf8');
      const code = text.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');
      const imports = [...code.matchAll(/(?:\bfrom\s+|\bimport\()'([^']+)'/g)].map((match) => match[1]!);
      const targets = imports
        .filter((each) => each.startsWith('.'))
        .map((each) => path.relative(root, path.resolve(root, path.dirname(file), each)));
      return { file, room: roomOf(file), code, imports, targets };
    });
}

function roomOf(file: string): string {
  return file.split(path.sep)[1]!;
}

describe('the source tree', () => {
  const sources = readSources();

  it('has only rooms that this test knows', () => {
    expect(sources.length).toBeGreaterThan(20);
    expect(Object.keys(MAY_IMPORT)).toEqual(expect.arrayContaining(sources.map((source) => source.room)));
  });

  it('imports along the arrows only', () => {
    const wrong = sources.flatMap(({ file, room, targets }) =>
      targets
        .filter((target) => roomOf(target) !== room && !MAY_IMPORT[room]!.includes(roomOf(target)))
        .map((target) => `${file} imports ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  it('enters other rooms by an index.ts', () => {
    const wrong = sources.flatMap(({ file, room, targets }) =>
      targets
        .filter((target) => roomOf(target) !== room && path.basename(target) !== 'index.ts')
        .map((target) => `${file} imports ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  it('imports along the arrows inside the command too', () => {
    const folderOf = (file: string): string => file.split(path.sep)[2]!;
    const inside = sources.filter(({ room }) => room === 'cli');
    expect(Object.keys(CLI_MAY_IMPORT)).toEqual(
      expect.arrayContaining(inside.map(({ file }) => folderOf(file))),
    );
    const wrong = inside.flatMap(({ file, targets }) =>
      targets
        .filter((target) => roomOf(target) === 'cli' && folderOf(target) !== folderOf(file))
        .filter((target) => !CLI_MAY_IMPORT[folderOf(file)]!.includes(folderOf(target)))
        .map((target) => `${file} imports ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  it('lets protocols share files but not look into each other', () => {
    const wrong = sources.flatMap(({ file, imports }) => {
      const mine = /^src\/protocols\/([^/]+)\//.exec(file)?.[1];
      if (mine === undefined) return [];
      return imports.filter((each) => /^\.\.\/[^./]+\//.test(each)).map((each) => `${file} imports ${each}`);
    });
    expect(wrong).toEqual([]);
  });

  it('lets the explorer tell of a search, and search a model, and not the other way round', () => {
    const mayImport: Record<string, readonly string[]> = {
      model: [],
      search: ['model'],
      tell: ['model', 'search'],
    };
    const folderOf = (file: string): string | undefined => /^src\/exploration\/(\w+)\//.exec(file)?.[1];
    const inside = sources.filter(({ file }) => folderOf(file) !== undefined);
    expect(inside.length).toBeGreaterThan(20);
    const wrong = inside.flatMap(({ file, imports }) => {
      const mine = folderOf(file)!;
      return imports
        .map((each) => folderOf(path.relative(root, path.resolve(root, path.dirname(file), each))))
        .filter((folder) => folder !== undefined && folder !== mine && !mayImport[mine]!.includes(folder))
        .map((folder) => `${file} imports from ${folder}`);
    });
    expect(wrong).toEqual([]);
  });

  it('enters the rooms of properties and exploration by their index', () => {
    const wrong = sources.flatMap(({ file, room, imports }) =>
      imports
        .map((each) => path.relative(root, path.resolve(root, path.dirname(file), each)))
        .filter((target) => ['properties', 'exploration'].includes(roomOf(target)) && roomOf(target) !== room)
        .filter((target) => path.basename(target) !== 'index.ts')
        .map((target) => `${file} imports ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  it('keeps packages out of the pure rooms', () => {
    const wrong = sources
      .filter(({ room }) => PURE.includes(room))
      .flatMap(({ file, imports }) =>
        imports.filter((each) => !each.startsWith('.')).map((each) => `${file} imports ${each}`),
      );
    expect(wrong).toEqual([]);
  });

  for (const [pattern, reason] of BANNED) {
    it(`keeps ${reason} (${pattern.source}) out of the pure rooms`, () => {
      const wrong = sources
        .filter(({ room }) => PURE.includes(room))
        .flatMap(({ file, code }) =>
          code
            .split('\n')
            .flatMap((line, i) => (pattern.test(line) ? [`${file}:${i + 1} ${line.trim()}`] : [])),
        );
      expect(wrong).toEqual([]);
    });
  }

  it('has no file that escaped: at most 350 lines each', () => {
    const long = sources
      .map(({ file }) => ({ file, lines: readFileSync(path.join(root, file), 'utf8').split('\n').length }))
      .filter(({ lines }) => lines > 350);
    expect(long).toEqual([]);
  });

  it('opens every protocol with what it promises and what it does not', () => {
    const catalogue = readFileSync(path.join(root, 'src/protocols/index.ts'), 'utf8');
    const files = [...catalogue.matchAll(/import \{ \w+ \} from '\.\/([^']+)'/g)].map((match) => match[1]!);
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) {
      const text = readFileSync(path.join(root, 'src/protocols', file), 'utf8');
      const header = /^\/\*\*[\s\S]*?\*\//.exec(text)?.[0] ?? '';
      expect(header, `${file} has no header`).toMatch(/Promises/);
      expect(header, `${file} does not say what it does not promise`).toMatch(
        /(Does not promise|Promises nothing)/,
      );
    }
  });
});
