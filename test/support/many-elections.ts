/** What is to be expected of many elections of one process on a real store: they share renewals, and nothing else. */
import { afterAll, beforeAll, describe, it, type TestContext } from 'vitest';
import { Election, type Leadership } from '../../src/election/index.ts';
import type { OpenEngine } from '../../src/engines/lease/index.ts';
import { openEngine } from '../../src/engines/open.ts';
import { EnginesBefore, Holder } from './holder.ts';
import type { RenewalSite } from './renewal-sites.ts';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts';

/** Long enough for a machine that has much else to do. */
const [LEASE_MS, CALL_MS] = [10_000, 3000];

const names = (stem: string, count: number): string[] =>
  Array.from({ length: count }, (_, i) => `${stem}-${i}`);

export function describeManyElections(
  kind: string,
  isThere: boolean,
  start: () => Promise<RenewalSite>,
): void {
  describe(`many elections on ${kind}`, () => {
    let site: RenewalSite;
    let round = 0;

    beforeAll(async () => {
      if (isThere) site = await start();
    });
    afterAll(() => site?.close());

    const fresh = (count: number): string[] => names(`${kind}-${++round}`, count);

    /** What one test uses, until it ends. */
    const stage = ({ expect, onTestFinished }: Pick<TestContext, 'expect' | 'onTestFinished'>) => ({
      async open(options: object, port = site.port): Promise<OpenEngine> {
        const engine = await openEngine(site.urlAt(port), { name: 'test', ...options });
        onTestFinished(() => engine.close());
        return engine;
      },

      async proxied(): Promise<TcpProxy> {
        const proxy = await startTcpProxy(`http://127.0.0.1:${site.port}`);
        onTestFinished(() => proxy.close());
        return proxy;
      },

      async hold(options: object, elections: readonly string[], build: string | null = null) {
        const plan = { url: site.urlAt(site.port), options, elections, build };
        const started = await Holder.start(plan);
        onTestFinished(() => started.holder.kill());
        return started;
      },

      /** Until each of them was renewed by a request that was sent after this call. */
      async renewed(leaderships: readonly Leadership[], leaseMs: number): Promise<void> {
        const fromMs = performance.now();
        const isRenewed = (each: Leadership): boolean =>
          each.isValid() && performance.now() + each.expiresInMs >= fromMs + 0.95 * leaseMs;
        const isOver = (): boolean => leaderships.some(({ signal }) => signal.aborted);
        await expect
          .poll(() => isOver() || leaderships.every(isRenewed), { timeout: leaseMs + 15_000 })
          .toBe(true);
        expect(leaderships.flatMap(({ lost }) => lost?.message ?? [])).toEqual([]);
      },
    });

    function campaign(engine: OpenEngine, elections: readonly string[]): Promise<Leadership[]> {
      return Promise.all(elections.map((name) => new Election(name, engine).campaign()));
    }

    const validOf = (leaderships: readonly Leadership[]): number =>
      leaderships.filter((each) => each.isValid()).length;

    const ended = async ({ signal }: Leadership): Promise<void> => {
      if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve));
    };

    it.runIf(isThere)(
      'are renewed with one request per third of the lease, all thousand of them',
      async (context) => {
        const { expect } = context;
        const { open, renewed } = stage(context);
        const leaseMs = 15_000;
        const engine = await open({ leaseMs, callMs: 4000 });
        const leaderships = await campaign(engine, fresh(1000));
        // They began at different times: after one interval all of them are renewed at the same one.
        await renewed(leaderships, leaseMs);
        let count = await site.renewals();
        const next = async (): Promise<number> => {
          await expect.poll(() => site.renewals(), { interval: 20 }).toBeGreaterThan(count);
          count = await site.renewals();
          return performance.now();
        };
        const fromMs = await next();
        const from = count;
        await next();
        const untilMs = await next();
        expect(count - from).toBe(2);
        expect(untilMs - fromMs).toBeGreaterThan(2 * (leaseMs / 3) - 1000);
        await renewed(leaderships, leaseMs);
        expect(validOf(leaderships)).toBe(1000);
      },
    );

    // These wait for leases most of the time, each in elections of its own.
    it.runIf(isThere).concurrent('are lost one by one: a stolen one ends, and no other', async (context) => {
      const { expect } = context;
      const { open, renewed } = stage(context);
      const leaseMs = LEASE_MS;
      const elections = fresh(100);
      const leaderships = await campaign(await open({ leaseMs, callMs: CALL_MS }), elections);
      await renewed(leaderships, leaseMs);
      await site.steal(elections[41]!);
      await ended(leaderships[41]!);
      expect(leaderships[41]!.lost?.cause).toBe('deposed');
      const others = leaderships.filter((_, i) => i !== 41);
      await renewed(others, leaseMs);
      await renewed(others, leaseMs);
      expect(validOf(leaderships)).toBe(99);
    });

    it.runIf(isThere).concurrent(
      'are resigned one by one, and what is resigned is not renewed any more',
      async (context) => {
        const { expect } = context;
        const { open, renewed } = stage(context);
        const leaseMs = LEASE_MS;
        const elections = fresh(20);
        const [mine, theirs] = [
          await open({ leaseMs, callMs: CALL_MS }),
          await open({ leaseMs, callMs: CALL_MS, name: 'other' }),
        ];
        const leaderships = await campaign(mine, elections);
        await renewed(leaderships, leaseMs);
        await leaderships[7]!.resign();
        const [successor] = await campaign(theirs, [elections[7]!]);
        expect(successor!.token).toBeGreaterThan(leaderships[7]!.token);
        const others = leaderships.filter((_, i) => i !== 7);
        await renewed([...others, successor!], leaseMs);
        await renewed([...others, successor!], leaseMs);
        expect(validOf(leaderships)).toBe(19);
      },
    );

    it.runIf(isThere).concurrent(
      'are free after the lease when their process is killed, and not before',
      async (context) => {
        const { expect } = context;
        const { open, hold } = stage(context);
        const options = { leaseMs: LEASE_MS, callMs: CALL_MS };
        const elections = fresh(100);
        const { holder, tokens } = await hold(options, elections);
        const engine = await open({ ...options, name: 'heir' });
        const opened = elections.map((name) => new Election(name, engine));
        await expect.poll(() => opened.every((each) => each.leader() !== null)).toBe(true);
        const wins = opened.map((each) => each.campaign().then((won) => ({ won, atMs: performance.now() })));
        await holder.kill();
        const killedMs = performance.now();
        const all = await Promise.all(wins);
        for (const [index, { won, atMs }] of all.entries()) {
          // The last renewal was sent a third of the lease before, at most, and a wait of its answer.
          expect(atMs - killedMs).toBeGreaterThan(options.leaseMs * 0.5);
          expect(won.token).toBeGreaterThan(BigInt(tokens[elections[index]!]!));
        }
      },
    );

    it.runIf(isThere).concurrent(
      'are all lost by a process that was stopped for longer than the lease',
      async (context) => {
        const { expect } = context;
        const { open, hold, renewed } = stage(context);
        const options = { leaseMs: LEASE_MS, callMs: CALL_MS };
        const elections = fresh(100);
        const { holder, tokens } = await hold(options, elections);
        const engine = await open({ ...options, name: 'heir' });
        const wins = campaign(engine, elections);
        expect(await holder.count()).toMatchObject({ valid: 100 });
        holder.pause();
        const won = await wins;
        const counted = holder.count();
        holder.resume();
        expect(await counted).toMatchObject({ valid: 0 });
        for (const [index, { token }] of won.entries())
          expect(token).toBeGreaterThan(BigInt(tokens[elections[index]!]!));
        await renewed(won, options.leaseMs);
        expect(validOf(won)).toBe(100);
        await expect.poll(() => holder.ended.length).toBe(100);
      },
    );

    it.runIf(isThere).concurrent(
      'outlive a renewal that is answered late, and end in time if none is',
      async (context) => {
        const { expect } = context;
        const { open, proxied, renewed } = stage(context);
        const leaseMs = LEASE_MS;
        const proxy = await proxied();
        const engine = await open({ leaseMs, callMs: 1500 }, Number(new URL(proxy.url).port));
        const elections = fresh(100);
        const leaderships = await campaign(engine, elections);
        await renewed(leaderships, leaseMs);
        proxy.freeze();
        // A call was given up, and others followed.
        await expect
          .poll(() => leaderships.every(({ expiresInMs }) => expiresInMs < leaseMs * 0.5))
          .toBe(true);
        proxy.restore();
        await renewed(leaderships, leaseMs);
        expect(validOf(leaderships)).toBe(100);
        proxy.freeze();
        const frozenMs = performance.now();
        await Promise.all(leaderships.map(ended));
        expect(performance.now() - frozenMs).toBeLessThan(leaseMs + 1000);
        expect(new Set(leaderships.map(({ lost }) => lost?.cause))).toEqual(new Set(['store-unreachable']));
        proxy.restore();
        const again = await campaign(await open({ leaseMs, name: 'heir' }), elections);
        for (const [index, { token }] of again.entries())
          expect(token).toBeGreaterThan(leaderships[index]!.token);
      },
    );

    it.runIf(isThere).concurrent(
      'are held by processes of this release and of the one before on one store',
      async (context) => {
        const { expect } = context;
        const { open, hold } = stage(context);
        const before = new EnginesBefore();
        context.onTestFinished(() => before.remove());
        const options = { leaseMs: LEASE_MS, callMs: CALL_MS };
        const [a, b] = [fresh(20), fresh(20)];
        const old = await hold({ ...options, name: 'old' }, a, before.folder);
        const now = await hold({ ...options, name: 'now' }, b);
        const watcher = await open({ ...options, name: 'watcher' });
        const seen = [...a, ...b].map((name) => new Election(name, watcher));
        const leaders = (): (string | undefined)[] => seen.map((each) => each.leader()?.name);
        const expected = [...a.map(() => 'old'), ...b.map(() => 'now')];
        await expect.poll(leaders).toEqual(expected);
        const tokens = { ...old.tokens, ...now.tokens };
        expect(seen.map((each) => String(each.leader()?.token))).toEqual(
          seen.map(({ name }) => tokens[name]),
        );
        // Each takes over what the other has written.
        const [heirOfOld, heirOfNow] = [
          hold({ ...options, name: 'now-heir' }, a),
          hold({ ...options, name: 'old-heir' }, b, before.folder),
        ].map((promise) => promise.catch((error: unknown) => error));
        await expect
          .poll(async () => [(await old.holder.count()).valid, (await now.holder.count()).valid])
          .toEqual([20, 20]);
        await old.holder.kill();
        await now.holder.kill();
        for (const [heir, elections] of [
          [await heirOfOld, a],
          [await heirOfNow, b],
        ] as const) {
          const { holder, tokens: later } = heir as Awaited<ReturnType<typeof hold>>;
          for (const name of elections) expect(BigInt(later[name]!)).toBeGreaterThan(BigInt(tokens[name]!));
          expect(await holder.count()).toMatchObject({ valid: 20 });
        }
      },
    );

    it.runIf(isThere)(
      'outlive a server that is killed during a renewal, and starts again',
      async (context) => {
        const { expect } = context;
        const { open, proxied, renewed } = stage(context);
        const leaseMs = 3 * LEASE_MS;
        const proxy = await proxied();
        const engine = await open({ leaseMs, callMs: CALL_MS }, Number(new URL(proxy.url).port));
        const leaderships = await campaign(engine, fresh(100));
        await renewed(leaderships, leaseMs);
        proxy.freeze();
        // A renewal is due by now, and was sent.
        const isDue = ({ expiresInMs }: Leadership): boolean => expiresInMs < leaseMs * 0.6;
        await expect.poll(() => leaderships.every(isDue), { timeout: leaseMs }).toBe(true);
        await site.crash();
        proxy.refuse();
        proxy.restore();
        await renewed(leaderships, leaseMs);
        expect(validOf(leaderships)).toBe(100);
      },
    );
  });
}
