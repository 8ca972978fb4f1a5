/**
 * What cleaners of temporary files do to the folder in which the processes of a machine meet: the one of systemd, and one that knows
 * nothing of sticky bits and asks only whether a socket is in use.
 */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Election, type Leadership } from '../../src/election/index.ts';
import { seen, won } from '../../src/engines/conformance/stage.ts';
import type { LeaseEngine } from '../../src/engines/lease/lease-engine.ts';
import { local } from '../../src/engines/local/index.ts';
import { hasDebian } from '../support/debian.ts';

const isDebian = hasDebian('systemd-tmpfiles', ['systemd']);

interface Cleaner {
  readonly name: string;
  readonly isThere: boolean;
  /** Deletes all that it takes for forgotten, however young. */
  clean(folder: string): void;
}

const CLEANERS: readonly Cleaner[] = [
  {
    name: 'systemd-tmpfiles',
    isThere: isDebian,
    clean(folder) {
      const config = path.join(root, 'clean.conf');
      writeFileSync(config, `d ${folder} 0700 - - 0\n`);
      execFileSync('/usr/bin/systemd-tmpfiles', ['--clean', config], { stdio: 'ignore' });
    },
  },
  {
    name: 'a cleaner that asks only /proc/net/unix',
    isThere: process.platform === 'linux',
    clean(folder) {
      const inUse = new Set(
        readFileSync('/proc/net/unix', 'utf8')
          .split('\n')
          .map((line) => line.split(' ').at(-1)),
      );
      for (const file of readdirSync(folder)) {
        const name = path.join(folder, file);
        if (!inUse.has(name)) unlinkSync(name);
      }
    },
  },
];

let root: string;
let folder: string;
let engines: LeaseEngine[] = [];

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'caucus-cleaner-'));
  folder = path.join(root, 'folder');
});
afterEach(async () => {
  for (const engine of engines) await engine.close();
  engines = [];
  rmSync(root, { recursive: true, force: true });
});

function join(name: string, retryMs = 100): Election {
  const engine = local(`local:${folder}`, { retryMs });
  engines.push(engine as unknown as LeaseEngine);
  return new Election(name, engine);
}

describe.each(CLEANERS)('$name', ({ isThere, clean }) => {
  it.runIf(isThere)('takes nothing from a leader that lives, and nobody else leads', async () => {
    const [a, b] = [join('e'), join('e')];
    const leadership = await won(a);
    await leadership.publish('word');
    const next = won(b);
    let other: Leadership | null = null;
    void next.then((won) => {
      other = won;
    });
    await seen(b, 'the leader', ({ leader }) => leader === a.self);
    for (let round = 0; round < 5; round++) {
      clean(folder);
      // One that comes new looks at what is left, and waits for the leader to tell again who it is.
      const newcomer = join('e');
      await seen(
        newcomer,
        'the leader',
        ({ token, value }) => token === leadership.token && value === 'word',
      );
      expect([leadership.isValid(), leadership.signal.aborted, other]).toEqual([true, false, null]);
    }
    await leadership.resign();
    expect((await next).token).toBe(leadership.token + 1n);
  });

  it.runIf(isThere)('turns no token back, though nobody leads', async () => {
    let last = 0n;
    for (let round = 0; round < 5; round++) {
      const leadership = await won(join('e'));
      expect(leadership.token).toBeGreaterThan(last);
      last = leadership.token;
      await leadership.resign();
      clean(folder);
    }
  });
});

describe('the files of a leader', () => {
  it.runIf(isDebian)('outlive it: systemd-tmpfiles keeps the last token', async () => {
    const first = await won(join('e'));
    await first.resign();
    CLEANERS[0]!.clean(folder);
    expect(existsSync(path.join(folder, 'e@info'))).toBe(true);
    expect((await won(join('e'))).token).toBe(first.token + 1n);
  });

  it('do not grow old while it leads', async () => {
    const { token } = await won(join('e'));
    const files = [`e@${token}`, 'e@info'].map((file) => path.join(folder, file));
    const longAgo = new Date(Date.now() - 86_400_000);
    for (const file of files) utimesSync(file, longAgo, longAgo);
    for (const file of files) await expect.poll(() => lstatSync(file).mtime > longAgo).toBe(true);
  });
});

describe('tokens', () => {
  it('go on from the clock where nothing tells how far they had come', async () => {
    const before = BigInt(Date.now());
    const first = await won(join('e'));
    expect(first.token).toBeGreaterThanOrEqual(before);
    rmSync(folder, { recursive: true });
    expect((await won(join('e'))).token).toBeGreaterThan(first.token);
  });

  it('go on from what a process has seen, though the clock was set back and the folder deleted', async () => {
    const ahead = 9_000_000_000_000n; // In the year 2255.
    const [a, b] = [join('e'), join('e')];
    await (await won(a)).resign();
    const info = path.join(folder, 'e@info');
    writeFileSync(info, readFileSync(info, 'utf8').replace(/"token":"\d+"/, `"token":"${ahead}"`));
    const first = await won(a);
    expect(first.token).toBe(ahead + 1n);
    await seen(b, 'the leader', ({ token }) => token === first.token);
    await first.resign();
    rmSync(folder, { recursive: true });
    expect((await won(b)).token).toBe(ahead + 2n);
  });
});
