/** Scripts of tests as one file of JavaScript: a process that compiles all that it loads takes a second to start, on a core that others need. */
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { build } from 'vite';

const ROOT = path.resolve(import.meta.dirname, '../..');
/** Within the project, so that packages are found from there. */
const CACHE = path.join(ROOT, 'node_modules/.cache/caucus-tests');
/** Names the folder of one whole run to its test files, which then compile each script once among them. */
const RUN_FOLDER = 'CAUCUS_COMPILED';

const made = new Map<string, Promise<string>>();

/** Begins a whole run: what is compiled from now on, by any of its processes, is kept until the run ends. */
export function keepCompiled(): () => void {
  mkdirSync(CACHE, { recursive: true });
  const folder = mkdtempSync(path.join(CACHE, 'run-'));
  process.env[RUN_FOLDER] = folder;
  return () => {
    delete process.env[RUN_FOLDER];
    rmSync(folder, { recursive: true, force: true });
  };
}

/** The path of the compiled script. Packages are not in it. */
export function compiled(script: string): Promise<string> {
  const known = made.get(script) ?? compile(script);
  made.set(script, known);
  return known;
}

async function compile(script: string): Promise<string> {
  const { name } = path.parse(script);
  const kept = process.env[RUN_FOLDER];
  const place = kept === undefined ? null : path.join(kept, `${name}.mjs`);
  if (place !== null && existsSync(place)) return place;
  mkdirSync(CACHE, { recursive: true });
  const outDir = mkdtempSync(path.join(kept ?? CACHE, `${name}-`));
  await build({
    root: ROOT,
    configFile: false,
    logLevel: 'error',
    build: {
      ssr: script,
      outDir,
      target: 'node20',
      // One file, since it is moved.
      rolldownOptions: { output: { entryFileNames: 'main.mjs', codeSplitting: false } },
    },
  });
  const file = path.join(outDir, 'main.mjs');
  if (place === null) return file;
  // At once: another process may have compiled it meanwhile, and have started it.
  renameSync(file, place);
  return place;
}
