/** Scripts of tests as one file of JavaScript: a process that compiles all that it loads takes a second to start, on a core that others need. */
import { mkdirSync, mkdtempSync } from 'node:fs';
import path from 'node:path';
import { build } from 'vite';

const ROOT = path.resolve(import.meta.dirname, '../..');
/** Within the project, so that packages are found from there. */
const CACHE = path.join(ROOT, 'node_modules/.cache/caucus-tests');

const made = new Map<string, Promise<string>>();

/** The path of the compiled script. Packages are not in it. */
export function compiled(script: string): Promise<string> {
  const known = made.get(script) ?? compile(script);
  made.set(script, known);
  return known;
}

async function compile(script: string): Promise<string> {
  mkdirSync(CACHE, { recursive: true });
  const outDir = mkdtempSync(path.join(CACHE, `${path.parse(script).name}-`));
  await build({
    root: ROOT,
    configFile: false,
    logLevel: 'error',
    build: {
      ssr: script,
      outDir,
      target: 'node20',
      rolldownOptions: { output: { entryFileNames: 'main.mjs' } },
    },
  });
  return path.join(outDir, 'main.mjs');
}
