/** A candidate that waits warms up before it leads. */
import { afterEach, describe, expect, it } from 'vitest';
import { deferred } from '../../src/election/deferred.ts';
import type { LeadershipLost } from '../../src/election/index.ts';
import { testCluster } from '../../src/testing/index.ts';
import { Cluster } from '../support/cluster.ts';
import { aborted, calm, openLogged } from './support.ts';

/** A candidate whose first preparation has failed. */
async function leadWithoutCache() {
  const { election, ...bed } = openLogged();
  const cache = { isBroken: true };
  const led = election.lead((_, text) => text, {
    prepare: async () => {
      if (cache.isBroken) throw new Error('no cache');
      return 'warm';
    },
  });
  await bed.clock.pass(100);
  return { ...bed, cache, led };
}

describe('prepare', () => {
  it('runs once while the candidate waits, again after it has led, and its result goes to the work', async () => {
    const { seat, election } = openLogged();
    const signals: AbortSignal[] = [];
    const got: number[] = [];
    const led = election.lead(
      async ({ signal }, prepared: number) => {
        got.push(prepared);
        if (prepared === 2) return 'done';
        await aborted(signal);
        return 'stopped';
      },
      { prepare: ({ signal }) => signals.push(signal) },
    );
    await calm();
    expect(signals).toHaveLength(1);
    seat.lose('learned', 'b leads', 'b');
    await calm();
    expect(signals).toHaveLength(1);
    seat.win();
    await calm();
    expect(got).toEqual([1]);
    expect(signals[0]!.aborted).toBe(false);
    seat.lose('deposed', 'b leads', 'b');
    await calm();
    expect(signals[0]!.aborted).toBe(true);
    expect(signals).toHaveLength(2);
    expect(signals[1]!.aborted).toBe(false);
    seat.win();
    expect(await led).toBe('done');
    expect(got).toEqual([1, 2]);
  });

  it('is waited for by a leader: the leadership has begun, the work has not', async () => {
    const { seat, election } = openLogged();
    const prepared = deferred<string>();
    const led = election.lead((_, text) => text, { prepare: () => prepared.promise });
    seat.win();
    await calm();
    expect(election.leadership?.isValid()).toBe(true);
    prepared.resolve('warm');
    expect(await led).toBe('warm');
    expect(seat.log).toEqual(['stand', 'withdraw']);
  });

  it('is told to stop when the leadership ends before it has; its work never begins', async () => {
    const { seat, election } = openLogged();
    let calls = 0;
    const reasons: unknown[] = [];
    const begun: bigint[] = [];
    const led = election.lead(
      ({ token }) => {
        begun.push(token);
      },
      {
        prepare: async ({ signal }) => {
          calls += 1;
          if (calls > 1) return;
          await aborted(signal);
          reasons.push((signal.reason as LeadershipLost).cause);
        },
      },
    );
    seat.win();
    await calm();
    seat.lose('deposed', 'b leads', 'b');
    await calm();
    expect(reasons).toEqual(['deposed']);
    seat.win();
    await led;
    expect(begun).toEqual([3n]);
  });

  it('is tried again with a growing delay, and its error is told', async () => {
    const { seat, clock, election, log } = openLogged();
    let isBroken = true;
    let calls = 0;
    const led = election.lead((_, text) => text, {
      prepare: async () => {
        calls += 1;
        if (isBroken) throw new Error(`no cache (${calls})`);
        return 'warm';
      },
    });
    await clock.pass(6999);
    expect(calls).toBe(3); // At 0, 1 and 3 s.
    await clock.pass(1);
    expect(calls).toBe(4);
    expect(log[0]).toBe('report: the preparation failed: no cache (1)');
    expect(log).toHaveLength(4);
    isBroken = false;
    await clock.pass(8000);
    expect(calls).toBe(5);
    seat.win();
    expect(await led).toBe('warm');
    expect(clock.pending).toBe(0);
  });

  it('of a leader, when it fails, ends the leadership; it stands again once prepared', async () => {
    const { seat, clock, cache, led } = await leadWithoutCache();
    seat.win(); // It does not wait for the next attempt.
    await clock.pass(0);
    expect(seat.log).toEqual(['stand', 'withdraw']);
    expect(seat.why).toMatchObject({ cause: 'unhealthy', detail: 'its preparation failed: no cache' });
    await clock.pass(60_000);
    expect(seat.log).toEqual(['stand', 'withdraw']);
    cache.isBroken = false;
    await clock.pass(30_000);
    expect(seat.log).toEqual(['stand', 'withdraw', 'stand']);
    seat.win();
    expect(await led).toBe('warm');
  });

  it('of a leader is tried at once, without the rest of the delay', async () => {
    const { seat, cache, led } = await leadWithoutCache();
    cache.isBroken = false;
    seat.win();
    expect(await led).toBe('warm');
    expect(seat.why?.detail).toBe('its work is done');
  });

  it('is told to stop when the candidate gives up', async () => {
    const { election } = openLogged();
    const stop = new AbortController();
    let signal: AbortSignal | null = null;
    const led = election.lead(() => {}, {
      signal: stop.signal,
      prepare: (context) => {
        signal = context.signal;
      },
    });
    await calm();
    expect(signal!.aborted).toBe(false);
    stop.abort(new Error('over'));
    expect(await led).toBe(undefined);
    expect(signal!.reason).toMatchObject({ message: 'over' });
  });
});

it('in a test cluster, the successor is warm when the leader crashes', async () => {
  const warm = new Set<string>();
  const led: [string, string][] = [];
  const cluster = await testCluster({
    members: 3,
    seed: 1,
    run: ({ election, sleep, name }) =>
      election.lead(
        async ({ signal }, prepared: string) => {
          led.push([name, prepared]);
          await aborted(signal);
        },
        {
          prepare: async ({ signal }) => {
            await sleep(200, { signal });
            warm.add(name);
            return `cache of ${name}`;
          },
        },
      ),
  });
  await cluster.until(() => warm.size === 3 && led.length === 1);
  cluster.crash('leader');
  await cluster.until(() => led.length === 2);
  for (const [name, prepared] of led) expect(prepared).toBe(`cache of ${name}`);
  expect(new Set(led.map(([name]) => name)).size).toBe(2);
});

describe('among members', () => {
  let cluster: Cluster | null = null;
  afterEach(async () => cluster?.close());

  it('each candidate prepares, and the next leader is ready', { timeout: 60_000 }, async () => {
    cluster = await Cluster.start(['a', 'b'], { options: { preset: 'steady' } });
    const warm = { a: deferred(), b: deferred() };
    const led = { a: deferred<string>(), b: deferred<string>() };
    const names = ['a', 'b'] as const;
    for (const name of names)
      void cluster
        .member(name)
        .election('report')
        .lead(
          async ({ signal }, prepared) => {
            led[name].resolve(prepared);
            await aborted(signal);
          },
          {
            prepare: () => {
              warm[name].resolve();
              return `cache of ${name}`;
            },
          },
        )
        .catch(() => {});
    await Promise.all(names.map((name) => warm[name].promise));
    const first = await Promise.race(names.map((name) => led[name].promise.then(() => name)));
    await cluster.member(first).election('report').resign();
    for (const name of names) expect(await led[name].promise).toBe(`cache of ${name}`);
  });
});
