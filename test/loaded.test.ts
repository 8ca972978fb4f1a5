/** What `import 'caucus'` loads: not the simulator, no adapter, no member before `join`, and no store before its engine is opened. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const root = path.resolve(import.meta.dirname, '..');

/** The files and packages that a module loads at once, with all that these load. Imports of types are not loaded. */
function loadedBy(file: string, seen: Set<string> = new Set()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  const code = readFileSync(path.join(root, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');
  for (const [, typeOnly, target] of code.matchAll(
    /^(?:import|export)\s+(type\s)?[^;]*?from\s+'([^']+)'/gm,
  )) {
    if (typeOnly !== undefined) continue;
    if (target!.startsWith('.')) loadedBy(path.join(path.dirname(file), target!), seen);
    else seen.add(target!);
  }
  return seen;
}

const roomsOf = (loaded: ReadonlySet<string>): string[] =>
  [
    ...new Set(
      [...loaded].map((file) => /^src\/(\w+)\//.exec(file)?.[1]).filter((room) => room !== undefined),
    ),
  ].sort();

describe("import 'caucus'", () => {
  const loaded = loadedBy('src/index.ts');

  it('loads the rooms of elections, occasions and shards, and no others', () => {
    expect(roomsOf(loaded)).toEqual(['core', 'door', 'election', 'engines', 'once', 'shards']);
  });

  it('loads no engine', () => {
    const engines = [...loaded].filter((file) => /^src\/engines\/\w+\//.test(file));
    expect(engines).toEqual([]);
  });

  it('loads no package', () => {
    expect([...loaded].filter((each) => !each.startsWith('src/') && !each.startsWith('node:'))).toEqual([]);
  });
});

describe('a member', () => {
  const loaded = loadedBy('src/member/index.ts');

  it('loads the rooms that it needs, and no others', () => {
    const needed = [
      'api',
      'auth',
      'balance',
      'core',
      'election',
      'host',
      'leases',
      'member',
      'once',
      'peers',
    ];
    expect(roomsOf(loaded)).toEqual([...needed, 'protocols', 'shards', 'store', 'support']);
  });

  it('loads the protocol quorum, and no other one', () => {
    const protocols = [...loaded].flatMap((file) => /^src\/protocols\/([^/]+)/.exec(file)?.[1] ?? []);
    expect([...new Set(protocols)]).toEqual(['quorum']);
  });

  it('loads one package', () => {
    const packages = [...loaded].filter((each) => !each.startsWith('src/') && !each.startsWith('node:'));
    expect(packages).toEqual(['ws']);
  });
});

describe.each(['croner', 'express', 'fastify', 'fencing', 'hono', 'local', 'nestjs', 'node-cron'])(
  "import 'caucus/%s'",
  (name) => {
    it('loads no package, no member and no other adapter', () => {
      const loaded = loadedBy(`src/adapters/${name}/index.ts`);
      expect([...loaded].filter((each) => !each.startsWith('src/') && !each.startsWith('node:'))).toEqual([]);
      expect(roomsOf(loaded)).not.toContain('member');
      const adapters = [...loaded].flatMap((file) => /^src\/adapters\/([^/]+)\//.exec(file)?.[1] ?? []);
      expect([...new Set(adapters)].filter((each) => each !== name && each !== 'http')).toEqual([]);
    });
  },
);
