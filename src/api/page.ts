/**
 * Serves the page: the playground, and the dashboard if there is a cluster. It is a folder of files from the build;
 * the page reads `about.json` beside them to learn what its server is.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { builtFolder, type PageFile, type PageFiles, readPageFiles } from './page-files.ts';

/** What the server of the page says about itself. */
export interface About {
  /** `play`: there is no cluster. `member`: the page of one member. `up`: that of a whole cluster on this machine. */
  readonly mode: 'play' | 'member' | 'up';
  /** May processes be killed, stopped and started from the page? */
  readonly chaos: boolean;
  /** Where the HTTP API is, relative to the page. */
  readonly api: string;
  /** The roles for which a token is needed here. */
  readonly tokens: readonly string[];
}

/** The result of a request. The caller reports failures in its own way. */
export type Outcome = 'sent' | 'no such file' | 'not built';

export interface Page {
  /** Answers GET and HEAD for a path below the page's address; the empty path is the page itself. */
  answer(request: IncomingMessage, response: ServerResponse, name: string): Promise<Outcome>;
}

/** The error if the page was not built. */
export const NOT_BUILT = 'the page is not part of this build: npm run build makes it';

/** The page loads only from its own server, runs no inline scripts, and cannot be framed by another page. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const SAFE = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};

/** Files are read at the first request: most members never serve the page. */
export function createPage(about: () => About, folder: string = builtFolder()): Page {
  let reading: Promise<PageFiles | null> | null = null;
  const files = async (): Promise<PageFiles | null> => {
    reading ??= readPageFiles(folder);
    const found = await reading;
    // It may be built while this process runs.
    if (found === null) reading = null;
    return found;
  };
  return {
    async answer(request, response, name) {
      if (name === 'about.json') {
        sendAbout(response, about());
        return 'sent';
      }
      const found = await files();
      if (found === null) return 'not built';
      const file = found.get(name === '' ? 'index.html' : name);
      if (file === undefined) return 'no such file';
      sendFile(request, response, file);
      return 'sent';
    },
  };
}

function sendAbout(response: ServerResponse, about: About): void {
  const bytes = Buffer.from(`${JSON.stringify(about)}\n`);
  response.writeHead(200, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': bytes.length,
    'cache-control': 'no-store',
    ...SAFE,
  });
  response.end(bytes);
}

function sendFile(request: IncomingMessage, response: ServerResponse, file: PageFile): void {
  const { type, bytes, zipped, isHashed } = file;
  const isZipped = zipped !== null && takesGzip(request.headers['accept-encoding']);
  const body = isZipped ? zipped : bytes;
  response.writeHead(200, {
    'content-type': type,
    'content-length': body.length,
    'cache-control': isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
    vary: 'accept-encoding',
    ...(isZipped ? { 'content-encoding': 'gzip' } : {}),
    ...SAFE,
  });
  // Node.js omits the body of a HEAD answer by itself.
  response.end(body);
}

/** No browser sends more. */
const LONGEST_HEADER = 200;

/** `gzip;q=0` means no. */
export function takesGzip(header: string | string[] | undefined): boolean {
  const codings = String(header ?? '')
    .slice(0, LONGEST_HEADER)
    .toLowerCase()
    .split(',');
  for (const coding of codings) {
    const [name = '', ...parameters] = coding.split(';').map((part) => part.trim());
    if (name !== 'gzip') continue;
    const quality = parameters.map((part) => part.split('=')).find(([key = '']) => key.trim() === 'q');
    return Number(quality?.[1] ?? 1) > 0;
  }
  return false;
}
