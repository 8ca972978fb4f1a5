import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Json } from '../../src/core/index.ts';
import { SleepWatch, type Standing } from '../../src/election/index.ts';
import { LeaseSeat } from '../../src/engines/lease/lease-seat.ts';
import type { Call, Grant, LeaseStore, Reading } from '../../src/engines/lease/lease-store.ts';
import { leaseTimes } from '../../src/engines/lease/settings.ts';
import { calm, HandClock } from '../election/support.ts';

type What = 'take' | 'renew' | 'release' | 'read' | 'publish';

interface Asked {
  readonly what: What;
  readonly atMs: number;
  readonly call: Call;
  answer(result?: unknown): Promise<void>;
  fail(reason: string): Promise<void>;
}

const FREE: Reading = { leader: null, token: null, freeInMs: null, value: null, version: 0 };
const others = (freeInMs: number | null): Reading => ({ ...FREE, leader: 'b', token: 7n, freeInMs });

/** A store that answers when the test says so. */
class ScriptedStore implements LeaseStore {
  readonly log: Asked[] = [];
  hint: (news: 'changed' | 'ours') => void = () => {};
  isWatched = false;
  readonly #clock: HandClock;

  constructor(clock: HandClock) {
    this.#clock = clock;
  }

  take = (call: Call) => this.#ask<{ grant: Grant | null; reading: Reading }>('take', call);
  renew = (_: Grant, call: Call) => this.#ask<Grant | null>('renew', call);
  release = (_: Grant, call: Call) => this.#ask<void>('release', call);
  publish = (_: Grant, _value: Json, call: Call) => this.#ask<number | null>('publish', call);
  read = (call: Call) => this.#ask<Reading>('read', call);

  watch(hint: (news: 'changed' | 'ours') => void): () => void {
    this.hint = hint;
    this.isWatched = true;
    return () => {
      this.isWatched = false;
    };
  }

  get last(): Asked {
    return this.log.at(-1)!;
  }

  #ask<T>(what: What, call: Call): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.log.push({
        what,
        atMs: this.#clock.now(),
        call,
        async answer(result) {
          resolve(result as T);
          await calm();
        },
        async fail(reason) {
          reject(new Error(reason));
          await calm();
        },
      });
    });
  }
}

let clock: HandClock;
let store: ScriptedStore;
/** How long the machine has run and slept before; its clock tells it in steps of 10 ms. */
const STARTED_MS = 5_001_230;
let sleptMs: number;
let wallAheadMs: number;
let seat: LeaseSeat<Grant>;
let told: Standing[];

beforeEach(async () => {
  clock = new HandClock();
  store = new ScriptedStore(clock);
  wallAheadMs = 0;
  sleptMs = 0;
  told = [];
  seat = new LeaseSeat('e', 'a', store, {
    times: leaseTimes({ leaseMs: 1000, renewMs: 300, callMs: 200, retryMs: 400, maxDrift: 0.1 }),
    clock,
    sleep: new SleepWatch(
      () => clock.now(),
      () => clock.now() + wallAheadMs,
      () => STARTED_MS + clock.now() + sleptMs,
    ),
    random: () => 0,
    spreadsRenewals: false,
    storeName: 'the store',
    onClosed: () => {},
  });
  seat.watch((standing) => told.push(standing));
  await calm();
});

async function lead(token = 1n): Promise<void> {
  await store.last.answer(FREE);
  seat.stand();
  await calm();
  await store.last.answer({ grant: { token }, reading: FREE });
}

const asked = (): string[] => store.log.map(({ what }) => what);

describe('a seat with a lease', () => {
  it('reads first, and takes once it stands', async () => {
    expect(asked()).toEqual(['read']);
    await lead(5n);
    expect(asked()).toEqual(['read', 'take']);
    expect(seat.standing).toMatchObject({ leader: 'a', token: 5n, cause: 'won', held: { token: 5n } });
  });

  it('is renewed the first time at a moment of its own where renewals are not shared', async () => {
    const own = new ScriptedStore(clock);
    const spread = new LeaseSeat('f', 'a', own, {
      times: leaseTimes({ leaseMs: 1000, renewMs: 300, callMs: 200, retryMs: 400 }),
      ...{
        clock,
        sleep: new SleepWatch(
          () => clock.now(),
          () => clock.now(),
          null,
        ),
      },
      ...{ random: () => 0.5, spreadsRenewals: true, storeName: 'the store', onClosed: () => {} },
    });
    await calm();
    await own.last.answer(FREE);
    spread.stand();
    await calm();
    await own.last.answer({ grant: { token: 1n }, reading: FREE });
    await clock.pass(300);
    expect(own.last).toMatchObject({ what: 'renew', atMs: 225 });
    await own.last.answer({ token: 1n });
    await clock.pass(300);
    expect(own.last).toMatchObject({ what: 'renew', atMs: 225 + 300 });
  });

  it.each<readonly [string, () => Promise<void>]>([
    ['it has run out', () => clock.pass(1000)],
    ['it is resigned', async () => void seat.resign()],
    ['it is closed', async () => void seat.close()],
  ])('tells the store that it acts no longer on a grant when %s', async (_, end) => {
    const forgotten: bigint[] = [];
    Object.assign(store, { forget: ({ token }: Grant) => forgotten.push(token) });
    await lead(1n);
    expect(forgotten).toEqual([]);
    await end();
    expect(forgotten).toEqual([1n]);
  });

  it('counts the lease from when it asked, less the drift', async () => {
    await store.last.answer(FREE);
    seat.stand();
    await calm();
    await clock.pass(150);
    await store.last.answer({ grant: { token: 1n }, reading: FREE });
    expect(seat.standing.held!.expiresAtMs).toBe(900);
    await clock.pass(150);
    expect(store.last).toMatchObject({ what: 'renew', atMs: 300 });
    await clock.pass(100);
    await store.last.answer({ token: 1n });
    expect(seat.standing.held!.expiresAtMs).toBe(300 + 900);
  });

  it('has one call under way at a time, whatever hints come', async () => {
    store.hint('changed');
    seat.stand();
    store.hint('changed');
    await calm();
    expect(asked()).toEqual(['read']);
    await store.last.answer(FREE);
    expect(asked()).toEqual(['read', 'take']);
  });

  it('gives up a renewal that hangs, tries again, and stops acting in time, saying why', async () => {
    await lead();
    await clock.pass(300);
    expect(store.last.what).toBe('renew');
    await clock.pass(200);
    expect(store.last.call.signal.aborted).toBe(true);
    await clock.pass(100);
    expect(asked().slice(2)).toEqual(['renew', 'renew']);
    expect(seat.standing.held).not.toBeNull();
    await clock.pass(275);
    expect(clock.now()).toBe(875);
    expect(seat.standing).toMatchObject({
      held: null,
      leader: null,
      cause: 'store-unreachable',
      detail: 'the store did not renew it in time: no answer within 200 ms',
    });
  });

  it('is told of a loss at once, and stands again', async () => {
    await lead();
    store.hint('ours');
    await calm();
    expect(store.last.what).toBe('renew');
    await store.last.answer(null);
    expect(told.at(-1)).toMatchObject({ held: null, cause: 'deposed' });
    expect(store.last.what).toBe('take');
    await store.last.answer({ grant: { token: 2n }, reading: FREE });
    expect(seat.standing.held!.token).toBe(2n);
  });

  it('is told at once that somebody asks for it, and holds it until it resigns', async () => {
    await lead();
    store.hint('ours');
    await calm();
    await store.last.answer({ token: 1n, asked: 'please' });
    expect(told.at(-1)).toMatchObject({ asked: 'please', held: { token: 1n } });
    await clock.pass(300);
    await store.last.answer({ token: 1n, asked: 'please' });
    expect(told.filter(({ asked }) => asked === 'please')).toHaveLength(1);
    void seat.withdraw();
    expect(seat.standing).toMatchObject({ asked: null, held: null });
    seat.stand();
    await calm();
    await store.last.answer();
    expect(store.last.what, 'the others come first').toBe('read');
  });

  it('neither acts on what was granted too late nor keeps it', async () => {
    await store.last.answer(FREE);
    seat.stand();
    await calm();
    const take = store.last;
    await clock.pass(200);
    expect(take.call.signal.aborted).toBe(true);
    await take.answer({ grant: { token: 1n }, reading: FREE });
    expect(seat.standing.held).toBeNull();
    expect(store.log.some(({ what }) => what === 'release')).toBe(true);
  });

  it('gives back what was granted after it had withdrawn', async () => {
    await store.last.answer(FREE);
    seat.stand();
    await calm();
    await seat.withdraw();
    await store.last.answer({ grant: { token: 1n }, reading: FREE });
    expect(seat.standing.held).toBeNull();
    expect(store.last.what).toBe('release');
  });

  it('comes back as soon as what another holds runs out, and not before', async () => {
    await store.last.answer(others(250));
    seat.stand();
    await calm();
    await store.last.answer({ grant: null, reading: others(250) });
    expect(seat.standing).toMatchObject({ leader: 'b', token: 7n, held: null });
    const before = store.log.length;
    await clock.pass(249);
    expect(store.log.length).toBe(before);
    await clock.pass(1);
    expect(store.last.what).toBe('take');
  });

  it('is woken by a hint', async () => {
    await store.last.answer(others(null));
    store.hint('changed');
    await calm();
    expect(asked()).toEqual(['read', 'read']);
  });

  it('goes on for ever after failures, each time a little later, and says what is wrong', async () => {
    await store.last.answer(FREE);
    seat.stand();
    await calm();
    const waits: number[] = [];
    for (let i = 0; i < 6; i++) {
      const before = store.log.length;
      const atMs = clock.now();
      await store.last.fail('ECONNREFUSED');
      while (store.log.length === before) await clock.pass(10);
      waits.push(clock.now() - atMs);
    }
    expect(waits).toEqual([100, 200, 400, 400, 400, 400]);
    expect(seat.standing).toMatchObject({
      cause: 'store-unreachable',
      detail: 'the store is unavailable: ECONNREFUSED',
    });
  });

  it('does not hurry for hints while calls fail, but does not wait for long either', async () => {
    await store.last.answer(FREE);
    seat.stand();
    await calm();
    for (const waitMs of [100, 200, 400]) {
      const before = store.log.length;
      store.hint('changed'); // Before it fails, and after.
      await store.last.fail('ECONNREFUSED');
      store.hint('changed');
      await calm();
      await clock.pass(waitMs - 1);
      expect(store.log.length).toBe(before);
      await clock.pass(1);
      expect(store.log.length).toBe(before + 1);
    }
    await store.last.answer({ grant: null, reading: others(null) });
    store.hint('changed');
    await calm();
    expect(store.last).toMatchObject({ what: 'take', atMs: clock.now() });
  });

  it('goes on when somebody who is told throws, tells the others, and does not hide it', async () => {
    const thrown: (() => void)[] = [];
    const report = vi.spyOn(globalThis, 'queueMicrotask').mockImplementation((each) => thrown.push(each));
    seat.watch(() => {
      throw new Error('mine');
    });
    const after: Standing[] = [];
    seat.watch((standing) => after.push(standing));
    await lead();
    report.mockRestore();
    expect(thrown[0]).toThrow('mine');
    expect(after.at(-1)).toMatchObject({ held: { token: 1n } });
    await clock.pass(300);
    expect(store.last.what).toBe('renew');
  });

  it('names the leader it last saw for as long as its lease would have lasted', async () => {
    await store.last.answer(others(250));
    await clock.pass(250);
    await store.last.answer(others(300));
    store.hint('changed');
    await calm();
    await store.last.fail('ECONNRESET');
    expect(seat.standing).toMatchObject({ leader: 'b', cause: 'store-unreachable' });
    await clock.pass(100);
    await store.last.fail('ECONNRESET');
    await clock.pass(200);
    await store.last.fail('ECONNRESET');
    expect(seat.standing).toMatchObject({ leader: null, cause: 'store-unreachable' });
  });

  it('leaves it to the others after a resignation, and comes back if none of them wants it', async () => {
    await lead();
    const resigned = seat.resign({ cause: 'resigned', detail: 'its work is done' });
    const detail = 'a resigned: its work is done';
    expect(seat.standing).toMatchObject({ held: null, cause: 'resigned', detail });
    await calm();
    expect(store.last.what).toBe('release');
    await store.last.answer();
    await resigned;
    expect(store.last.what).toBe('read');
    await store.last.answer(FREE);
    await clock.pass(399);
    expect(store.last.what).toBe('read');
    await clock.pass(1);
    expect(store.last.what).toBe('take');
  });

  it('stands again after a lease at most, however seldom it polls and although it saw no other leader', async () => {
    const patient = new LeaseSeat('e', 'a', store, {
      times: leaseTimes({ leaseMs: 1000, renewMs: 300, callMs: 200, retryMs: 3_600_000 }),
      clock,
      sleep: new SleepWatch(
        () => clock.now(),
        () => clock.now(),
        null,
      ),
      random: () => 0,
      spreadsRenewals: false,
      storeName: 'the store',
      onClosed: () => {},
    });
    await calm();
    await store.last.answer(FREE);
    patient.stand();
    await calm();
    await store.last.answer({ grant: { token: 1n }, reading: FREE });
    const resigned = patient.resign();
    await calm();
    await store.last.answer();
    await resigned;
    await store.last.answer(FREE);
    expect(store.last.what).toBe('read');
    await clock.pass(1000);
    expect(store.last.what).toBe('take');
  });

  it('says that a release was not answered', async () => {
    await lead();
    const resigned = expect(seat.resign()).rejects.toMatchObject({
      code: 'E_UNREACHABLE',
      outcome: 'indefinite',
    });
    await calm();
    await clock.pass(200);
    await resigned;
  });

  it('has lost everything when the machine has slept', async () => {
    await lead();
    wallAheadMs = 3_600_000;
    expect(seat.standing.held!.expiresAtMs).toBe(0);
    await clock.pass(300);
    expect(told.at(-1)).toMatchObject({
      held: null,
      cause: 'suspended',
      detail: 'the machine was asleep for 3600.0 s',
    });
  });

  it('has lost everything after a sleep of 40 ms too, where the time since the start of the machine tells', async () => {
    await lead();
    sleptMs += 15; // Less than the readings may differ by.
    await clock.pass(1);
    expect(seat.standing.held?.expiresAtMs).toBeGreaterThan(clock.now());
    sleptMs += 25;
    await clock.pass(1);
    expect(seat.standing.held?.expiresAtMs).toBe(0);
    await clock.pass(150);
    expect(seat.standing).toMatchObject({
      held: null,
      cause: 'suspended',
      detail: 'the machine was asleep for 40 ms',
    });
  });

  it('counts short sleeps too: many of them end a lease as one long one does', async () => {
    await lead();
    for (let sleeps = 1; sleeps <= 4; sleeps++) {
      wallAheadMs += 50;
      await clock.pass(10);
      expect(seat.standing.held!.expiresAtMs, 'what is left is less by what was slept').toBe(
        900 - 50 * sleeps,
      );
    }
    await clock.pass(260);
    expect(store.last).toMatchObject({ what: 'renew', atMs: 300 });
    await store.last.answer({ token: 1n });
    expect(seat.standing.held!.expiresAtMs, 'what was slept before a renewal was asked for is over').toBe(
      1200,
    );
    await clock.pass(300);
    const renewal = store.last;
    for (let sleeps = 1; sleeps <= 3; sleeps++) wallAheadMs += 90;
    await renewal.answer({ token: 1n });
    expect(seat.standing.held!.expiresAtMs, 'what was slept since it was asked for is not').toBe(1500 - 270);
    wallAheadMs += 500;
    await clock.pass(200);
    expect(told.at(-1)).toMatchObject({
      held: null,
      cause: 'suspended',
      detail: 'the machine was asleep for 0.8 s in all since the last renewal',
    });
  });

  it('takes no correction of the wall clock that goes back and forth for a sleep', async () => {
    await lead();
    for (let times = 0; times < 100; times++) {
      wallAheadMs = times % 2;
      expect(seat.standing.held!.expiresAtMs).toBe(900);
    }
  });

  it('publishes while it leads, and is told when it no longer does', async () => {
    await expect(seat.publish(1)).rejects.toMatchObject({ code: 'E_NOT_LEADER' });
    await lead();
    const published = seat.publish('x');
    await calm();
    await store.last.answer(4);
    expect(await published).toBe(4);
    expect(seat.standing).toMatchObject({ value: 'x', version: 4 });
    const refused = expect(seat.publish('y')).rejects.toMatchObject({ code: 'E_NOT_LEADER' });
    await calm();
    await store.last.answer(null);
    await refused;
    expect(seat.standing.held).toBeNull();
  });

  it('leaves nothing that could wake the process once it is closed', async () => {
    await lead();
    const closed = seat.close();
    await calm();
    await store.last.answer();
    await closed;
    expect(store.isWatched).toBe(false);
    expect(clock.pending).toBe(0);
    store.hint('changed');
    await calm();
    expect(store.last.what).toBe('release');
    expect(told.at(-1)).toMatchObject({ leader: null, held: null, cause: 'closed' });
    expect(() => seat.stand()).toThrow(expect.objectContaining({ code: 'E_CLOSED' }));
  });

  it('is closed only when no call of it is under way any more', async () => {
    let isClosed = false;
    void seat.close().then(() => {
      isClosed = true;
    });
    await calm();
    expect([store.last.what, isClosed]).toEqual(['read', false]);
    await store.last.answer(others(250));
    expect(isClosed).toBe(true);
    expect(seat.standing).toMatchObject({ leader: null, cause: 'closed' });
  });
});

describe('the times of a lease', () => {
  it('have usual values that fit together', () => {
    expect(leaseTimes({})).toEqual({
      leaseMs: 15_000,
      actMs: 14_250,
      renewMs: 5000,
      retryMs: 2000,
      callMs: 3000,
    });
  });

  it.each([
    [{ leaseMs: 0 }, /^leaseMs: expected a number of milliseconds above 0/],
    [{ leaseMs: 10 }, /^leaseMs: expected at least 50, since /],
    [{ renewMs: 12_000 }, /^renewMs: expected at most 11250, so that a renewal/],
    [{ maxDrift: 1 }, /^maxDrift: expected a number from 0 to 0.5/],
    [{ callMs: Number.NaN }, /^callMs: expected a number/],
  ])('%o is refused', (options, message) => {
    expect(() => leaseTimes(options)).toThrow(message);
  });
});
