/** Commands that come late, or twice, do nothing that anybody would notice. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { processClock } from '../../src/election/index.ts';
import { layoutOf } from '../../src/engines/redis/layout.ts';
import { type Errand, Master } from '../../src/engines/redis/master.ts';
import { hasRedis, RedisServer } from '../support/servers/redis.ts';

const { signal } = new AbortController();
let server: RedisServer;
let master: Master;
let count = 0;

/** What attempts of these holders bring to one election. */
function election(): (holder: string, attempt: number) => Errand {
  const layout = layoutOf('caucus:', `late-${++count}`);
  return (holder, attempt) => ({ layout, claim: { holder, attempt } });
}

describe.runIf(hasRedis())('a command that comes late to Redis', () => {
  beforeAll(async () => {
    server = await RedisServer.start();
    const address = {
      isSecure: false,
      endpoints: [],
      user: undefined,
      password: undefined,
      database: 0,
    };
    const endpoint = { host: '127.0.0.1', port: server.port };
    const rest = { tls: {}, clock: processClock, withinMs: 5000, leaseMs: 30_000, isOnly: true, wait: 0 };
    master = new Master({ address, endpoint, ...rest });
  });
  afterAll(async () => {
    await master?.close();
    await server?.close();
  });

  it('takes over from an earlier attempt of the same process only, with a new token', async () => {
    const by = election();
    const first = await master.take(by('a', 1), 'a', 0n, signal);
    const second = await master.take(by('a', 2), 'a', 0n, signal);
    expect([first.isGranted, second.isGranted]).toEqual([true, true]);
    expect(second.fence).toBeGreaterThan(first.fence);
    for (const late of [by('a', 1), by('a', 2), by('b', 9)]) {
      const refused = await master.take(late, 'late', 0n, signal);
      expect(refused.isGranted).toBe(false);
      expect(refused.lease).toMatchObject({ claim: 'a 2', token: second.fence });
      expect(refused.fence).toBe(second.fence);
    }
  });

  it('renews, releases and publishes nothing that is another’s', async () => {
    const by = election();
    const old = await master.take(by('a', 1), 'a', 0n, signal);
    await master.release(by('a', 1), true, signal);
    const { fence } = await master.take(by('b', 1), 'b', 0n, signal);
    await server.cli(['PEXPIRE', by('b', 1).layout.keys[0], '20000']);
    const late = { errand: by('a', 1), token: old.fence };
    expect(await master.renew([late], signal)).toMatchObject([{ whose: 'other' }]);
    const value = { json: '"late"', value: 'late', version: 9, token: old.fence };
    expect(await master.publish(by('a', 1), value, signal)).toBe(false);
    expect(await master.confirm(by('a', 1), old.fence, null, signal)).toBe(false);
    await master.mend(by('a', 1), 'a', old.fence, null);
    await master.release(by('a', 1), true, signal);
    await master.release(by('b', 0), true, signal);
    const view = await master.read(by('b', 1).layout, signal);
    expect(view).toMatchObject({ lease: { claim: 'b 1', token: fence }, fence, published: null });
    expect(view.lease!.freeInMs).toBeLessThan(20_002);
  });

  it('does not bring back what has ended', async () => {
    const by = election();
    const { fence } = await master.take(by('a', 1), 'a', 0n, signal);
    await master.release(by('a', 1), true, signal);
    const late = { errand: by('a', 1), token: fence };
    expect(await master.renew([late], signal)).toMatchObject([{ whose: 'none' }]);
    expect(await master.confirm(by('a', 1), fence, null, signal)).toBe(false);
    expect((await master.read(by('a', 1).layout, signal)).lease).toBe(null);
  });

  it('does not replace a newer value', async () => {
    const by = election();
    const { fence: token } = await master.take(by('a', 1), 'a', 0n, signal);
    const value = (version: number) => ({ json: `${version}`, value: version, version, token });
    expect(await master.publish(by('a', 1), value(2), signal)).toBe(true);
    await expect(master.publish(by('a', 1), value(1), signal)).rejects.toThrow(
      /: ERR a newer value is there$/,
    );
    expect((await master.read(by('a', 1).layout, signal)).published).toEqual(value(2));
  });

  it('is never sent when nobody waits for it any more', async () => {
    const by = election();
    await expect(master.take(by('a', 1), 'a', 0n, AbortSignal.abort('over'))).rejects.toThrow('over');
    expect((await master.read(by('a', 1).layout, signal)).lease).toBe(null);
  });

  it('says what is wrong with a counter that is none, or is used up', async () => {
    const by = election();
    const { layout } = by('a', 1);
    for (const text of ['seven', 'nan', 'inf', '-5', '1e3', '0x10', ' 7']) {
      await server.cli(['SET', layout.keys[1], text]);
      const taking = master.take(by('a', 1), 'a', 0n, signal);
      await expect(taking, text).rejects.toThrow(/:fence holds no number$/);
    }
    for (const text of ['9007199254740991', '9999999999999999', '999999999999999999']) {
      await server.cli(['SET', layout.keys[1], text]);
      const taking = master.take(by('a', 1), 'a', 0n, signal);
      await expect(taking, text).rejects.toThrow(/:fence is used up$/);
    }
    expect((await master.read(layout, signal)).fence, 'what is none is not believed').toBe(0n);
    expect((await master.read(layout, signal)).lease).toBe(null);
  });
});
