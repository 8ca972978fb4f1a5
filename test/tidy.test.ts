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
  simulation: ['core', 'host'],
  exploration: ['core'],
  election: ['core'],
  page: [],
  member: ['core', 'protocols', 'host', 'election', 'page'],
  engines: ['core', 'election'],
  testing: ['core', 'protocols', 'host', 'simulation', 'election'],
  cli: [
    'core',
    'protocols',
    'simulation',
    'exploration',
    'election',
    'engines',
    'member',
    'page',
    'index.ts',
  ],
  'index.ts': ['core', 'protocols', 'simulation', 'election', 'engines', 'member'],
};

const PURE = ['core', 'protocols', 'host', 'simulation', 'exploration'];

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
      return { file, room: roomOf(file), code, imports };
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
    const wrong = sources.flatMap(({ file, room, imports }) =>
      imports
        .filter((each) => each.startsWith('.'))
        .map((each) => path.relative(root, path.resolve(root, path.dirname(file), each)))
        .filter((target) => roomOf(target) !== room && !MAY_IMPORT[room]!.includes(roomOf(target)))
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
