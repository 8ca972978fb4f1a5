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
  support: ['core', 'host'],
  simulation: ['core', 'host', 'peers', 'store', 'support', 'properties'],
  exploration: ['core', 'properties'],
  story: ['core', 'properties', 'simulation'],
  once: ['core'],
  shards: ['core'],
  balance: ['core'],
  election: ['core', 'once', 'shards'],
  auth: ['core'],
  leases: ['core'],
  api: ['core', 'host', 'election', 'auth', 'leases', 'once', 'shards'],
  member: [
    'core',
    'balance',
    'protocols',
    'host',
    'peers',
    'store',
    'support',
    'election',
    'auth',
    'api',
    'leases',
  ],
  engines: ['core', 'election', 'leases'],
  testing: ['core', 'protocols', 'host', 'simulation', 'election'],
  adapters: ['core', 'election', 'engines', 'member'],
  door: ['core', 'protocols', 'election', 'engines', 'member', 'auth', 'api'],
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
    'auth',
    'leases',
    'once',
    'api',
    'door',
    'index.ts',
  ],
  'index.ts': ['core', 'protocols', 'election', 'engines', 'auth', 'member', 'door'],
};

/** The same for the folders of a folder: a file or folder there may import itself and those listed here. */
const INSIDE: Record<string, Record<string, readonly string[]>> = {
  // What shows, what reads, and what does.
  'src/cli': {
    terminal: [],
    input: ['terminal'],
    commands: ['terminal', 'input'],
    'program.ts': ['terminal', 'input', 'commands'],
    'main.ts': ['input', 'program.ts'],
  },
  // Each adapter is loaded alone.
  'src/adapters': {
    fencing: [],
    local: [],
    redlock: [],
    croner: [],
    'node-cron': [],
    nestjs: [],
    kubernetes: [],
    http: [],
    express: ['http'],
    fastify: ['http'],
    hono: ['http'],
  },
  'playground/src': {
    game: [],
    draw: ['game'],
    stage: ['game', 'draw'],
    panels: ['game', 'draw'],
    pages: ['game', 'draw'],
    live: [],
    app: ['game', 'stage', 'panels', 'pages', 'live'],
    'main.ts': ['app', 'live'],
    'svelte.d.ts': [],
  },
  'playground/src/game': {
    history: [],
    run: ['history'],
    cause: ['history', 'run'],
    words: ['history', 'cause'],
    'selection.ts': [],
    'settings.svelte.ts': [],
    'game.svelte.ts': ['history', 'run', 'cause', 'selection.ts'],
  },
  'playground/src/pages': { gallery: [], race: ['gallery'], challenges: [], files: [] },
};

/** What the page may know of the library: only what runs in a browser. */
const PAGE_MAY_IMPORT = ['core', 'protocols', 'properties', 'simulation', 'story', 'shards', 'api/wire'];

/**
 * An entrance of a room beside its index.ts. It explains the protocols to people, for the page and `caucus protocols`; a member
 * that takes part in an election imports src/protocols/index.ts, and does not load the prose.
 */
const EXPLAINED = 'src/protocols/explained.ts';

/** Another one: the part of core that every program loads, without the contract of protocols. */
const VALUES = 'src/core/values.ts';

const PURE = [
  'core',
  'protocols',
  'host',
  'peers',
  'store',
  'support',
  'leases',
  'once',
  'shards',
  'balance',
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

function readSources(folder: string): Source[] {
  const files = readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' });
  return files
    .filter((name) => /\.(ts|svelte)$/.test(name))
    .map((name) => {
      const file = path.join(folder, name);
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
  const sources = readSources('src');
  const page = readSources('playground/src');

  it('has only rooms that this test knows', () => {
    expect(sources.length).toBeGreaterThan(20);
    expect(Object.keys(MAY_IMPORT)).toEqual(expect.arrayContaining(sources.map((source) => source.room)));
  });

  it('combines signals with anyOf, since AbortSignal.any loses time limits', () => {
    const users = sources.filter(({ code }) => /AbortSignal\.any\b/.test(code)).map(({ file }) => file);
    expect(users).toEqual(['src/election/aborts.ts']);
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
        .filter((target) => !(room === 'cli' && target === EXPLAINED) && target !== VALUES)
        // It names the files that every program loads; the index of a room loads all of that room.
        .filter(() => room !== 'index.ts')
        .map((target) => `${file} imports ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  for (const [folder, mayImport] of Object.entries(INSIDE)) {
    it(`imports along the arrows inside ${folder}`, () => {
      const partOf = (file: string): string => path.relative(folder, file).split(path.sep)[0]!;
      const inside = [...sources, ...page].filter(({ file }) => partOf(file) !== '..');
      expect(Object.keys(mayImport)).toEqual(expect.arrayContaining(inside.map(({ file }) => partOf(file))));
      const wrong = inside.flatMap(({ file, targets }) =>
        targets
          .filter((target) => ![partOf(file), '..', ...mayImport[partOf(file)]!].includes(partOf(target)))
          .map((target) => `${file} imports ${target}`),
      );
      expect(wrong).toEqual([]);
    });
  }

  it('lets the page enter only rooms that run in a browser, by their index.ts', () => {
    const allowed = [EXPLAINED, ...PAGE_MAY_IMPORT.map((room) => `src/${room}/index.ts`)];
    const wrong = page.flatMap(({ file, targets }) =>
      targets
        .filter((target) => !target.startsWith('playground/') && !allowed.includes(target))
        .map((target) => `${file} imports ${target}`),
    );
    expect(page.length).toBeGreaterThan(20);
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
      .map(({ file }) => ({
        file,
        lines: readFileSync(path.join(root, file), 'utf8').trimEnd().split('\n').length,
      }))
      .filter(({ lines }) => lines > 350);
    expect(long).toEqual([]);
  });

  it('tells of every error code in the documentation', () => {
    const codes = new Set(
      sources.flatMap(({ file }) => readFileSync(path.join(root, file), 'utf8').match(/'E_[A-Z_]+'/g) ?? []),
    );
    expect(codes.size).toBeGreaterThan(20);
    const pages = ['docs/library.md', 'docs/http.md', 'docs/cli.md'];
    const text = pages.map((page) => readFileSync(path.join(root, page), 'utf8')).join('\n');
    expect([...codes].filter((code) => !text.includes(code.slice(1, -1)))).toEqual([]);
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
