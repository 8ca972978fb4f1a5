/** How the page is handed out: what comes with each file, and that nothing else does. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createPage } from '../../src/api/index.ts';

const SCRIPT = `export const words = '${'the same again '.repeat(200)}';\n`;

let folder = '';
let server: http.Server;
let port = 0;

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'caucus-page-'));
  mkdirSync(path.join(folder, 'page/assets'), { recursive: true });
  writeFileSync(path.join(folder, 'secret.txt'), 'not for you');
  writeFileSync(path.join(folder, 'page/index.html'), '<!doctype html><title>x</title>');
  writeFileSync(path.join(folder, 'page/favicon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  writeFileSync(path.join(folder, 'page/assets/index-AbC_12-x.js'), SCRIPT);
  symlinkSync(path.join(folder, 'secret.txt'), path.join(folder, 'page/link.txt'));
  await serve(path.join(folder, 'page'));
});

afterEach(async () => {
  await stop();
  rmSync(folder, { recursive: true, force: true });
});

async function serve(from: string): Promise<void> {
  const page = createPage(() => ({ mode: 'play', chaos: false, api: './', tokens: [] }), from);
  server = http.createServer((request, response) => {
    void page.answer(request, response, request.url!.slice(1)).then((outcome) => {
      if (outcome !== 'sent') response.writeHead(404).end(outcome);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ({ port } = server.address() as AddressInfo);
}

async function stop(): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

interface Got {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly bytes: Buffer;
}

/** The path goes out as it is: a client that tidies it up would hide what is tried here. */
function get(target: string, headers: http.OutgoingHttpHeaders = {}, method = 'GET'): Promise<Got> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path: target, headers, method, agent: false };
    const request = http.request(options, async (response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk);
      resolve({ status: response.statusCode!, headers: response.headers, bytes: Buffer.concat(chunks) });
    });
    request.on('error', reject);
    request.end();
  });
}

describe('the page', () => {
  it('begins with index.html, which is asked for again every time', async () => {
    const { status, headers, bytes } = await get('/');
    expect([status, headers['content-type'], headers['cache-control']]).toEqual([
      200,
      'text/html; charset=utf-8',
      'no-cache',
    ]);
    expect(bytes.toString()).toContain('<!doctype html>');
    expect((await get('/favicon.svg')).headers['content-type']).toBe('image/svg+xml');
  });

  it('lets what has its content in its name be kept for ever', async () => {
    const { headers, bytes } = await get('/assets/index-AbC_12-x.js');
    expect(headers['content-type']).toBe('text/javascript; charset=utf-8');
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(bytes.toString()).toBe(SCRIPT);
  });

  it('comes with a policy that lets it load and call its own server only', async () => {
    for (const target of ['/', '/assets/index-AbC_12-x.js', '/about.json']) {
      const { headers } = await get(target);
      expect(headers['content-security-policy']).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
          "worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      );
      expect([headers['x-content-type-options'], headers['referrer-policy']]).toEqual([
        'nosniff',
        'no-referrer',
      ]);
    }
  });

  it('is sent smaller to whoever takes that, and as it is to whoever does not', async () => {
    const target = '/assets/index-AbC_12-x.js';
    for (const accept of ['gzip', 'deflate, GZIP;q=0.5, br', 'br;q=1.0, gzip']) {
      const { headers, bytes } = await get(target, { 'accept-encoding': accept });
      expect([accept, headers['content-encoding'], headers.vary]).toEqual([
        accept,
        'gzip',
        'accept-encoding',
      ]);
      expect(Number(headers['content-length'])).toBe(bytes.length);
      expect(bytes.length).toBeLessThan(SCRIPT.length / 10);
      expect(gunzipSync(bytes).toString()).toBe(SCRIPT);
    }
    for (const accept of ['', 'br', 'gzip;q=0', 'identity', 'gzipped']) {
      const { headers, bytes } = await get(target, { 'accept-encoding': accept });
      expect([accept, headers['content-encoding'], bytes.toString()]).toEqual([accept, undefined, SCRIPT]);
    }
  });

  it('answers HEAD with the same headers and nothing else', async () => {
    const asked = await get('/', {}, 'HEAD');
    const got = await get('/');
    expect(asked.bytes.length).toBe(0);
    expect(asked.headers['content-length']).toBe(got.headers['content-length']);
  });

  it('says what its server is', async () => {
    const { headers, bytes } = await get('/about.json');
    expect(headers['cache-control']).toBe('no-store');
    expect(JSON.parse(bytes.toString())).toEqual({ mode: 'play', chaos: false, api: './', tokens: [] });
  });

  it.each([
    '/../secret.txt',
    '/assets/../../secret.txt',
    '/%2e%2e/secret.txt',
    '/..%2fsecret.txt',
    '/..\\secret.txt',
    '/assets%2findex-AbC_12-x.js',
    '//secret.txt',
    '/./index.html',
    '/link.txt',
    '/assets',
    '/assets/',
    '/index.html%00',
    '/constructor',
    '/__proto__',
    '/nothing.js',
  ])('has nothing at %s', async (target) => {
    const { status, bytes } = await get(target);
    expect([status, bytes.toString()]).toEqual([404, 'no such file']);
  });

  it('says so if it was not built, and is there as soon as it is', async () => {
    await stop();
    const later = path.join(folder, 'later');
    await serve(later);
    expect((await get('/')).bytes.toString()).toBe('not built');
    mkdirSync(later);
    expect((await get('/')).bytes.toString()).toBe('not built');
    writeFileSync(path.join(later, 'index.html'), 'here');
    expect((await get('/')).bytes.toString()).toBe('here');
  });
});
