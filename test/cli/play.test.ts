/** `caucus play` as it was built. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { whileTaken } from '../support/while-taken.ts';
import { caucus, MAIN } from './caucus.ts';

let folder = '';
const children: ChildProcess[] = [];

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'caucus-play-'));
});

afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode !== null) continue;
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
  rmSync(folder, { recursive: true, force: true });
});

interface Playing {
  readonly child: ChildProcess;
  readonly line: string;
  readonly url: string;
}

/** Settles once it has told where it is. */
async function play(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Playing> {
  const child = spawn(process.execPath, [MAIN, 'play', ...args], { env: { ...process.env, ...env } });
  children.push(child);
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return { child, line, url: /http:\S+\//.exec(line)![0] };
}

/** A folder with nothing in it but a program of this name. */
function openerThat(does: string): string {
  const file = path.join(folder, 'xdg-open');
  writeFileSync(file, `#!/bin/sh\n${does}\n`);
  chmodSync(file, 0o755);
  return folder;
}

describe('caucus play', () => {
  it('serves the playground, tells where, and ends with Ctrl-C', async () => {
    const { child, line, url } = await play(['--port', '0']);
    expect(line).toMatch(/^The playground is at http:\/\/127\.0\.0\.1:\d+\/; Ctrl-C ends it\.$/);
    const page = await fetch(url);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(await page.text()).toContain('<div id="page">');
    expect(await (await fetch(`${url}about.json`)).json()).toEqual({
      mode: 'play',
      chaos: false,
      api: './',
      tokens: [],
    });
    child.kill('SIGINT');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it('says what it does not have, in one line', async () => {
    const { url } = await play(['--port', '0']);
    const answer = async (target: string, init?: RequestInit): Promise<[number, string]> => {
      const response = await fetch(`${url}${target}`, init);
      return [response.status, await response.text()];
    };
    expect(await answer('status')).toEqual([
      404,
      '{"error":{"code":"E_NOT_FOUND","message":"there is nothing at /status"}}\n',
    ]);
    expect(await answer('', { method: 'POST' })).toEqual([
      405,
      '{"error":{"code":"E_METHOD","message":"/ answers GET, HEAD, not POST"}}\n',
    ]);
    const http = await import('node:http');
    const headers = { host: 'evil.example' };
    const [foreign] = await once(http.get(url, { headers, agent: false }), 'response');
    expect(foreign.statusCode).toBe(403);
    foreign.resume();
  });

  it('takes another port if the usual one is in use, and tells', async () => {
    await whileTaken(7100, async () => {
      const { line, url } = await play([]);
      expect((await fetch(url)).status).toBe(200);
      return line.includes(' (port 7100 is in use); Ctrl-C ends it.');
    });
  });

  it('opens the browser, and goes on without one', async () => {
    const seen = path.join(folder, 'seen');
    const opened = await play(['--port', '0', '--open'], {
      PATH: openerThat(`echo "$1" > ${seen}.part; exec /bin/mv ${seen}.part ${seen}`),
    });
    for (;;) {
      try {
        expect(readFileSync(seen, 'utf8')).toBe(`${opened.url}\n`);
        break;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    }
    const cases: readonly [opener: string | null, words: string][] = [
      ['exit 3', 'xdg-open ended with exit code 3'],
      [null, 'there is no xdg-open here'],
    ];
    for (const [opener, words] of cases) {
      const PATH = opener === null ? path.join(folder, 'nowhere') : openerThat(opener);
      const { child, url } = await play(['--port', '0', '--open'], { PATH });
      const [line] = await once(createInterface({ input: child.stderr! }), 'line');
      expect(line).toBe(`caucus: no browser was opened: ${words}`);
      expect((await fetch(url)).status).toBe(200);
    }
  });

  it('refuses what it cannot do, in one line', async () => {
    const refused = async (...args: string[]): Promise<string> => {
      const { code, stdout, stderr } = await caucus(['play', ...args]);
      expect([code, stdout]).toEqual([2, '']);
      return stderr;
    };
    expect(await refused('--port', '65536')).toBe(
      'caucus: --port: expected a whole number from 0 to 65535, found 65536\n',
    );
    expect(await refused('--port', 'x')).toMatch(/^caucus: --port: .*, found "x"\n$/);
    expect(await refused('here')).toMatch(/^caucus: too many arguments.*\n$/);
    const { url } = await play(['--port', '0']);
    const { port } = new URL(url);
    expect(await refused('--port', port)).toBe(`caucus: --port: port ${port} is in use\n`);
  });
});
