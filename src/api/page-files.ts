import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

/** One file of the page, ready to be sent. */
export interface PageFile {
  readonly type: string;
  readonly bytes: Buffer;
  /** Compressed, if that is smaller. */
  readonly zipped: Buffer | null;
  /** Its name contains a hash of its content, so it can be cached for ever. */
  readonly isHashed: boolean;
}

/** By its name below the page's address, as in `assets/index-x.js`. */
export type PageFiles = ReadonlyMap<string, PageFile>;

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
};
const zip = promisify(gzip);

/**
 * Where the build puts the page, relative to the source and to the compiled code. A program that was bundled into one
 * CommonJS file has no such place, and no page.
 */
export function builtFolder(): string {
  const { url } = import.meta;
  if (url === undefined) return '';
  return fileURLToPath(new URL(url.endsWith('.ts') ? '../../dist/playground' : '../playground', url));
}

/**
 * All files of a folder; null if there is no page in it. Requests are looked up among these names, so no path can
 * reach another file.
 */
export async function readPageFiles(folder: string): Promise<PageFiles | null> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile()).map((entry) => readPageFile(folder, entry));
    const found = new Map(await Promise.all(files));
    return found.has('index.html') ? found : null;
  } catch {
    return null;
  }
}

async function readPageFile(
  folder: string,
  { parentPath, name }: { readonly parentPath: string; readonly name: string },
): Promise<[name: string, file: PageFile]> {
  const file = path.join(parentPath, name);
  const bytes = await readFile(file);
  const zipped = await zip(bytes, { level: 9 });
  const below = path.relative(folder, file).split(path.sep).join('/');
  return [
    below,
    {
      type: TYPES[path.extname(name)] ?? 'application/octet-stream',
      bytes,
      zipped: zipped.length < bytes.length ? zipped : null,
      isHashed: /^assets\/.+-[\w-]{8}\.\w+$/.test(below),
    },
  ];
}
