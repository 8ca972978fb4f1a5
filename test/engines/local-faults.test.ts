/** What disks, people and other users do to the folder in which the processes of a machine meet. */
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Election } from '../../src/election/index.ts';
import { aborted, seen, won } from '../../src/engines/conformance/stage.ts';
import type { LeaseEngine } from '../../src/engines/lease/lease-engine.ts';
import { defaultFolder } from '../../src/engines/local/default-folder.ts';
import { type LocalOptions, local } from '../../src/engines/local/index.ts';
import { networkDisk, networkDiskOf } from '../../src/engines/local/network-disk.ts';

/** Whose process this is; null: a user that no file lists. */
const user = vi.hoisted(() => ({ current: null as { uid: number; homedir: string } | null }));
vi.mock('node:os', async (original) => ({
  ...(await original<object>()),
  userInfo: () => {
    if (user.current === null) throw new Error('uv_os_get_passwd returned ENOENT');
    return user.current;
  },
}));

/** Nothing but what the system tells wakes whoever has this. */
const PATIENT = { retryMs: 3_600_000 };
const isRoot = process.getuid?.() === 0;
const NOBODY = 65534;

let folder: string;
let engines: LeaseEngine[] = [];

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'caucus-local-'));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const engine of engines) await engine.close();
  engines = [];
  rmSync(folder, { recursive: true, force: true });
});

function join(name: string, options: LocalOptions = {}, url = `local:${folder}`): Election {
  const engine = local(url, options);
  engines.push(engine as unknown as LeaseEngine);
  return new Election(name, engine);
}

const reasonOf = async (election: Election): Promise<string> =>
  (await seen(election, 'a reason', ({ cause }) => cause === 'store-unreachable')).detail;

describe('the folder of the processes of one machine', () => {
  it.each([20, 80, 100])('has room for the longest names, with a path of %d more', async (more) => {
    const url = `local:${path.join(folder, 'd'.repeat(more))}`;
    const name = 'x'.repeat(64);
    const [a, b] = [join(name, {}, url), join(name, PATIENT, url)];
    const first = await won(a);
    const next = won(b);
    await first.resign();
    expect((await next).token).toBe(first.token + 1n);
  });

  it('has no room for longer names', () => {
    expect(() => join('x'.repeat(65))).toThrow(/^election: expected a name of 1 to 64/);
  });

  it('says so when no token is left', async () => {
    writeFileSync(path.join(folder, 'e@9999999999999999999'), '');
    const election = join('e');
    void election.campaign().catch(() => {});
    expect(await reasonOf(election)).toMatch(/the last token of e was already given/);
  });

  it('is not made by those who only look, and is watched as soon as somebody makes it', async () => {
    const place = path.join(folder, 'later');
    const observer = join('e', { retryMs: 100 }, `local:${place}`);
    await seen(
      observer,
      'nobody',
      ({ cause, detail }) => cause === 'started' && detail === 'there is no leader',
    );
    expect(existsSync(place)).toBe(false);
    const { token } = await won(join('e', {}, `local:${place}`));
    await seen(observer, 'the leader', (observation) => observation.token === token);
    expect(statSync(place).mode & 0o777).toBe(0o700);
  });

  it('is said to be impossible where nobody can make one', async () => {
    const election = join('e', {}, 'local:/proc/nope/deep');
    void election.campaign().catch(() => {});
    expect(await reasonOf(election)).toMatch(/ENOENT.*'\/proc\/nope'/);
  });

  it.each(['local://x/y', 'local:////x'])('is not named by %s', (url) => {
    expect(() => local(url)).toThrow(/^url: expected an absolute path after local:/);
  });

  it('of one user is below its home, or below /var/lib for root, whatever the environment says', () => {
    for (const variable of ['TMPDIR', 'HOME', 'XDG_STATE_HOME']) vi.stubEnv(variable, '/elsewhere');
    user.current = { uid: 1000, homedir: '/home/me' };
    expect(defaultFolder()).toBe('/home/me/.local/state/caucus');
    user.current = { uid: 0, homedir: '/root' };
    expect(defaultFolder()).toBe('/var/lib/caucus');
    user.current = null;
    expect(() => local()).toThrow(/^url: expected local:\/path, since this user has no home folder/);
  });

  it('of one user is refused if it belongs to another, or others may write to it', async () => {
    user.current = { uid: 1000, homedir: folder };
    const place = path.join(folder, '.local/state/caucus');
    mkdirSync(place, { recursive: true });
    chmodSync(place, 0o770);
    const expected = /is not a folder that belongs to this user, and that no other user may write to/;
    expect(await reasonOf(join('open', {}, 'local:'))).toMatch(expected);
    chmodSync(place, 0o700);
    if (isRoot) {
      chownSync(place, NOBODY, NOBODY);
      expect(await reasonOf(join('foreign', {}, 'local:'))).toMatch(expected);
    }
    rmSync(place, { recursive: true });
    mkdirSync(path.join(folder, 'elsewhere'), { mode: 0o700 });
    symlinkSync(path.join(folder, 'elsewhere'), place);
    expect(await reasonOf(join('linked', {}, 'local:'))).toMatch(expected);
    rmSync(place);
    await won(join('ours', {}, 'local:'));
    expect(lstatSync(place).mode & 0o777).toBe(0o700);
  });

  it('of one user that cannot be made: it is said what to name in its place', async () => {
    user.current = { uid: 1000, homedir: '/proc/nope' };
    const election = join('e', {}, 'local:');
    void election.campaign().catch(() => {});
    expect(await reasonOf(election)).toMatch(
      /cannot make the folder of local: .*: name another as local:\/path/,
    );
  });

  it.each([
    [0x6969, 'NFS'],
    [0xff534d42, 'SMB'],
    [0xff534d42 | 0, 'SMB'],
    [0xef53, null],
    [0x01021994, null],
  ])('of the file system %d is taken for a network disk: %s', (type, expected) => {
    expect(networkDiskOf(type)).toBe(expected);
    expect(networkDisk(folder)).toBeNull();
  });

  it('is never written to through a link that somebody has laid', async () => {
    const victim = path.join(folder, 'precious');
    writeFileSync(victim, 'precious');
    for (const file of ['e@info', `e@info.${process.pid}`]) symlinkSync(victim, path.join(folder, file));
    await (await won(join('e'))).publish('word');
    expect(readFileSync(victim, 'utf8')).toBe('precious');
    expect(readFileSync(path.join(folder, 'e@info'), 'utf8')).toContain('word');
  });

  it.runIf(isRoot)(
    'holds nobody up for what another user left there and nobody else may remove',
    async () => {
      const share = path.join(folder, 'littered');
      mkdirSync(share);
      chmodSync(folder, 0o755);
      chmodSync(share, 0o1777);
      const litter = path.join(share, '@0123456789ab');
      writeFileSync(litter, '{}');
      const longAgo = new Date(Date.now() - 3_600_000);
      utimesSync(litter, longAgo, longAgo);
      try {
        process.seteuid!(NOBODY);
        await (await won(join('e', {}, `local:${share}`), 5000)).resign();
      } finally {
        process.seteuid!(0);
      }
      expect(existsSync(litter)).toBe(true);
    },
  );

  it.runIf(isRoot)('holds nobody up for somebody who won and could not say so', async () => {
    const share = path.join(folder, 'sticky');
    mkdirSync(share);
    chmodSync(folder, 0o755);
    chmodSync(share, 0o1777); // Nobody can replace what another has written.
    const url = `local:${share}`;
    const first = await won(join('e', {}, url));
    await first.resign();
    const over = new AbortController();
    try {
      process.seteuid!(NOBODY);
      const other = join('e', { retryMs: 100 }, url);
      const campaign = other.campaign({ signal: over.signal });
      campaign.catch(() => {});
      expect(await reasonOf(other)).toMatch(/EPERM/);
      over.abort();
      await expect(campaign).rejects.toThrow();
    } finally {
      process.seteuid!(0);
    }
    const next = await won(join('e', {}, url), 5000);
    expect(next.token).toBeGreaterThan(first.token);
    expect(next.token).toBeLessThan(first.token + 20n);
    expect(readdirSync(share).filter((file) => file.startsWith('@'))).toEqual([]);
  });

  it.each(['', '{"token":"1","lea', '[]', '{"token":7}', 'null'])(
    'holds elections though all it tells is %j',
    async (torn) => {
      const a = join('e');
      const first = await won(a);
      await first.resign();
      writeFileSync(path.join(folder, 'e@info'), torn);
      expect((await won(join('e'))).token).toBeGreaterThan(first.token);
    },
  );

  it('is told again who leads, and what was published, when that was deleted or damaged', async () => {
    const [a, b] = [join('e', PATIENT), join('e', { retryMs: 100 })];
    const leadership = await won(a);
    await leadership.publish('word');
    for (const damage of [
      () => rmSync(path.join(folder, 'e@info')),
      () => writeFileSync(path.join(folder, 'e@info'), ''),
    ]) {
      damage();
      await expect
        .poll(
          () => existsSync(path.join(folder, 'e@info')) && readFileSync(path.join(folder, 'e@info'), 'utf8'),
        )
        .toContain('word');
    }
    expect(leadership.isValid()).toBe(true);
    await seen(
      b,
      'the value',
      ({ token, value, version }) => token === leadership.token && value === 'word' && version === 1,
    );
    expect(await leadership.publish('more')).toBe(2);
  });

  it('does not believe in a token that no socket has', async () => {
    const [a, b] = [join('e', PATIENT), join('e', { retryMs: 100 })];
    const leadership = await won(a);
    const text = readFileSync(path.join(folder, 'e@info'), 'utf8');
    writeFileSync(path.join(folder, 'e@info'), text.replace(/"token":"(\d+)"/, '"token":"$10"'));
    const calledOff = AbortSignal.timeout(1000);
    await expect(b.campaign({ signal: calledOff })).rejects.toThrow();
    expect(leadership.isValid()).toBe(true);
  });

  it.each([1, 100])('can be deleted: a path of %d more is found and watched again', async (more) => {
    const place = path.join(folder, 'd'.repeat(more));
    const url = `local:${place}`;
    const [a, observer] = [join('e', { retryMs: 100 }, url), join('e', { retryMs: 2000 }, url)];
    const first = await won(a);
    await seen(observer, 'the leader', ({ leader }) => leader === a.self);
    rmSync(place, { recursive: true });
    await aborted(first.signal);
    await first.resign();
    const again = await won(a);
    for (const version of [1, 2, 3]) {
      await again.publish(version);
      // The first may be found by looking, and then nothing would be for a while.
      const isNew = ({ value }: { value: unknown }): boolean => value === version;
      await seen(observer, 'the value', isNew, version === 1 ? 10_000 : 1000);
    }
    const b = join('e', PATIENT, url);
    await seen(b, 'the leader', ({ leader }) => leader === a.self);
    const next = won(b, 5000);
    await again.resign();
    expect((await next).token).toBe(again.token + 1n);
  });

  it.runIf(isRoot)('is shared by several users if its rights let them', async () => {
    const share = path.join(folder, 'shared');
    mkdirSync(share);
    chmodSync(folder, 0o755);
    chmodSync(share, 0o777);
    const first = await won(join('e', { name: 'root' }, `local:${share}`));
    await first.publish('word');
    try {
      process.setegid!(NOBODY);
      process.seteuid!(NOBODY);
      const other = join('e', { name: 'other', ...PATIENT }, `local:${share}`);
      await seen(other, 'the leader', ({ leader, value }) => leader === 'root' && value === 'word');
      const next = won(other, 5000);
      await first.resign();
      expect((await next).token).toBe(first.token + 1n);
      expect(statSync(path.join(share, 'e@info')).uid).toBe(NOBODY);
    } finally {
      process.seteuid!(0);
      process.setegid!(0);
    }
  });

  it.runIf(isRoot)('says so to those who may not find out whether the leader lives', async () => {
    chmodSync(folder, 0o755);
    await won(join('e'));
    chmodSync(path.join(folder, 'e@info'), 0o644);
    try {
      process.seteuid!(NOBODY);
      expect(await reasonOf(join('e'))).toMatch(/EACCES/);
    } finally {
      process.seteuid!(0);
    }
  });
});
