/**
 * Hands out the page: the playground, and with a cluster behind it the dashboard. It is a folder of files that the build makes;
 * what its server is, the page asks for in `about.json` beside them.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { BUILT, type PageFile, type PageFiles, readPageFiles } from './page-files.ts';

/** What the server of the page says about itself. */
export interface About {
  /** `play`: no cluster behind it. `member`: the page of one member. `up`: of a whole cluster on this machine. */
  readonly mode: 'play' | 'member' | 'up';
  /** May processes be killed, stopped and started from the page? */
  readonly chaos: boolean;
  /** Where the HTTP API is, relative to the page. */
  readonly api: string;
}

/** What became of a request. Whoever is behind the server has its own way to say what is wrong. */
export type Outcome = 'sent' | 'no such file' | 'not built';

export interface Page {
  /** Answers GET and HEAD for a name below the page's address: nothing is its beginning. */
  answer(request: IncomingMessage, response: ServerResponse, name: string): Promise<Outcome>;
}

/** One line for whoever finds no page here. */
export const NOT_BUILT = 'the page is not part of this build: npm run build makes it';

/** The page loads from its own server, runs nothing that stands in its text, and is shown in no other page. */
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

/** Nothing is read before somebody asks: most members are never looked at. */
export function createPage(about: About, folder: string = BUILT): Page {
  let reading: Promise<PageFiles | null> | null = null;
  const files = async (): Promise<PageFiles | null> => {
    reading ??= readPageFiles(folder);
    const found = await reading;
    // It may be built while we run.
    if (found === null) reading = null;
    return found;
  };
  return {
    async answer(request, response, name) {
      if (name === 'about.json') {
        sendAbout(response, about);
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
  // Node leaves the body away by itself when the question was HEAD.
  response.end(body);
}

/** No browser says more. */
const LONGEST_HEADER = 200;

/** `gzip;q=0` says no. */
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
