import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { Election } from '../../src/election/index.ts';
import { conformance } from '../../src/engines/conformance/index.ts';
import { local } from '../../src/engines/local/index.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'caucus-local-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const cases = conformance({
  leaseMs: 300,
  open: ({ name, retryMs }) =>
    local(`local:${folder}`, {
      ...(name === undefined ? {} : { name }),
      ...(retryMs === undefined ? {} : { retryMs }),
    }),
  crash: () => {},
  cannot: {
    crash: 'only the death of a process frees what it holds: see the trials with real processes',
    expire: 'nothing runs out here',
  },
});

describe('the processes of one machine', () => {
  for (const { name, skip, run } of cases) (skip === null ? it : it.skip)(name, run);

  it('meet in folders of any length', async () => {
    const long = path.join(folder, 'x'.repeat(100), 'y'.repeat(100));
    const [a, b] = [local(`local:${long}`), local(`local:${long}`)];
    const leadership = await new Election('long', a).campaign();
    const next = new Election('long', b).campaign();
    await leadership.resign();
    expect((await next).token).toBe(leadership.token + 1n);
    await Promise.all([a.close(), b.close()]);
  });

  it('leave nothing behind but one file, with the last token and what it published', async () => {
    const place = path.join(folder, 'tidy');
    for (let turn = 0; turn < 3; turn++) {
      const engine = local(`local:${place}`);
      const leadership = await new Election('e', engine).campaign();
      await leadership.publish('word');
      await leadership.resign();
      await engine.close();
    }
    expect(readdirSync(place).sort()).toEqual(['e@info']);
  });

  it('clear away what those left behind who were killed while they wrote', async () => {
    const place = path.join(folder, 'drafts');
    const engine = local(`local:${place}`);
    const first = await new Election('e', engine).campaign();
    const longAgo = new Date(Date.now() - 3_600_000);
    for (const file of ['@0123456789ab', '@ba9876543210']) writeFileSync(path.join(place, file), '{}');
    utimesSync(path.join(place, '@0123456789ab'), longAgo, longAgo);
    await first.resign();
    await engine.close();
    const other = local(`local:${place}`);
    await (await new Election('e', other).campaign()).resign();
    await other.close();
    expect(readdirSync(place).sort()).toEqual(['@ba9876543210', 'e@info']);
  });

  it('lose the leadership when somebody deletes it behind their back', async () => {
    const place = path.join(folder, 'deleted');
    const engine = local(`local:${place}`);
    const leadership = await new Election('e', engine).campaign();
    const lost = new Promise((resolve) => leadership.signal.addEventListener('abort', resolve));
    rmSync(place, { recursive: true });
    await lost;
    expect(leadership.signal.reason).toMatchObject({ cause: 'deposed' });
    await leadership.resign();
    await engine.close();
  });

  it.each([
    ['file:/x', /^url: expected local: or local:\/path/],
    ['local:here', /^url: expected an absolute path after local:/],
  ])('refuse %s', (url, message) => {
    expect(() => local(url)).toThrow(message);
  });

  it('refuse times that mean nothing here', () => {
    expect(() => local('local:', { leaseMs: 1000 } as object)).toThrow(/^leaseMs: expected none with local:/);
  });

  it('refuse a name that no file can have', async () => {
    const engine = local(`local:${folder}`);
    expect(() => engine.seat('a/b')).toThrow(/^election: expected a name of 1 to 64/);
    await engine.close();
  });
});
