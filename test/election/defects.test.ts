/** The five defects that electors have had in the field, each of which must be impossible here. */
import { describe, expect, it } from 'vitest';
import type { Cause, Leadership, LeadershipLost } from '../../src/election/index.ts';
import { aborted, calm, HandClock, open } from './support.ts';

describe('the loser is told', () => {
  const losses: [Cause, string][] = [
    ['deposed', 'b leads with token 7'],
    ['lease-expired', 'the lease ran out'],
    ['lost-quorum', 'no majority answered'],
    ['suspended', 'the machine was asleep for 60 s'],
    ['removed', 'a is no longer a member'],
    ['store-unreachable', 'etcd does not answer'],
  ];
  it.each(losses)('%s', async (cause, detail) => {
    const { seat, election } = open();
    const waiting = election.campaign();
    seat.win();
    const leadership = await waiting;
    seat.lose(cause, detail);
    // At once: not a moment later, and whichever way one looks.
    expect(leadership.signal.aborted).toBe(true);
    expect(leadership.signal.reason).toMatchObject({ code: 'E_LEADERSHIP_LOST', cause, detail });
    expect(leadership.lost).toBe(leadership.signal.reason);
    expect(leadership.isValid()).toBe(false);
    expect(leadership.expiresInMs).toBe(0);
    expect(leadership.assert).toThrow(`no longer leading report: ${detail}`);
  });

  it('also when the seat wins again before it could tell of the loss', async () => {
    const { seat, election } = open();
    const waiting = election.campaign();
    seat.win();
    const leadership = await waiting;
    seat.win();
    expect(leadership.lost).toMatchObject({
      cause: 'lease-expired',
      detail: 'it was won again with token 2',
    });
  });

  it('also when all that is known is that another was elected', async () => {
    const { seat, election } = open();
    const waiting = election.campaign();
    seat.win();
    const leadership = await waiting;
    seat.lose('won', 'b was elected', 'b');
    expect(leadership.lost).toMatchObject({ cause: 'deposed', detail: 'b leads with token 2' });
  });

  it('only the first reason counts', async () => {
    const { seat, election } = open();
    const waiting = election.campaign();
    seat.win();
    const leadership = await waiting;
    seat.lose('deposed', 'b leads', 'b');
    await leadership.resign();
    expect(leadership.lost).toMatchObject({ cause: 'deposed' });
  });
});

describe('whether we lead is never a cached flag', () => {
  it('every look is at the clock, although nobody has said or done anything since', async () => {
    const clock = new HandClock();
    const { seat, election } = open({ clock });
    const waiting = election.campaign();
    const held = seat.win(100);
    const leadership = await waiting;
    expect(leadership.expiresInMs).toBeLessThanOrEqual(100);
    expect(leadership.expiresInMs).toBeGreaterThan(90);
    held.expiresAtMs = 150; // Renewed without a word.
    expect(leadership.expiresInMs).toBeGreaterThan(140);
    clock.stall(120);
    expect(leadership.isValid()).toBe(true);
    expect(election.leader()).toEqual({ name: 'a', token: 1n });
    clock.stall(30);
    expect(election.leader()).toBeNull();
    expect(leadership.assert).toThrow('no longer leading report');
    expect(leadership.signal.aborted).toBe(true);
    held.expiresAtMs = 1000; // What has ended does not come back.
    expect(leadership.isValid()).toBe(false);
  });
});

describe('nothing hangs on an answer that never comes', () => {
  it('the signal is aborted before the lease ends, if the seat never says another word', async () => {
    const clock = new HandClock();
    const { seat, election } = open({ clock });
    const waiting = election.campaign();
    const held = seat.win(1000);
    const leadership = await waiting;
    let abortedAtMs = 0;
    void aborted(leadership.signal).then(() => {
      abortedAtMs = clock.now();
    });
    await clock.pass(900);
    held.expiresAtMs = 1900;
    await clock.pass(2000);
    expect(abortedAtMs).toBeGreaterThan(1880);
    expect(abortedAtMs).toBeLessThan(1900);
    expect(leadership.lost).toMatchObject({ cause: 'lease-expired' });
  });

  it('a release, a transfer and a farewell that are never answered are given up', async () => {
    const clock = new HandClock();
    const { seat, election } = open({ clock, answerMs: 500 });
    const never = (): Promise<never> => new Promise(() => {});
    seat.onRelease = never;
    seat.onTransfer = never;
    const waiting = election.campaign();
    seat.win();
    const leadership = await waiting;
    const resigned = expect(leadership.resign()).rejects.toMatchObject({
      code: 'E_TIMEOUT',
      outcome: 'indefinite',
    });
    await clock.pass(500);
    await resigned;
    const again = await election.campaign();
    const handed = expect(again.transfer('b')).rejects.toMatchObject({ code: 'E_TIMEOUT' });
    await clock.pass(2000);
    await handed;
    seat.close = never;
    const closed = expect(election.close()).rejects.toMatchObject({ code: 'E_TIMEOUT' });
    await clock.pass(2000);
    await closed;
    expect(clock.pending).toBe(0);
    expect(seat.watchers).toBe(0);
  });
});

describe('no candidate drops out silently', () => {
  it('after any number of losses, resignations and failed releases, the work is done again', async () => {
    const { seat, election } = open();
    const shutdown = new AbortController();
    const tokens: bigint[] = [];
    const led = election.lead(
      async ({ token, signal }) => {
        tokens.push(token);
        await aborted(signal);
      },
      { signal: shutdown.signal },
    );
    const gone = expect(led).resolves.toBe(undefined);
    seat.win();
    await calm();
    seat.lose('lost-quorum', 'nobody answers');
    await calm();
    seat.win();
    await calm();
    await election.resign();
    seat.win();
    await calm();
    seat.onRelease = async () => {
      throw new Error('the store is down');
    };
    await expect(election.resign()).rejects.toThrow('the store is down');
    await calm();
    expect(tokens).toEqual([1n, 3n, 5n, 5n]); // It could not be released, so it goes on.
    expect(seat.log).not.toContain('withdraw');
    shutdown.abort();
    await gone;
  });

  it('nor when a lease that had run out by our clock is renewed without a word: it is given up for a new one', async () => {
    const clock = new HandClock();
    const { seat, election } = open({ clock });
    seat.onRelease = async () => {
      throw new Error('the store is down');
    };
    const shutdown = new AbortController();
    const tokens: bigint[] = [];
    const led = election.lead(
      ({ token, signal }) => {
        tokens.push(token);
        return aborted(signal);
      },
      { signal: shutdown.signal },
    );
    const gone = expect(led).resolves.toBe(undefined);
    const held = seat.win(100);
    await clock.pass(300);
    held.expiresAtMs = 10_000;
    await clock.pass(300);
    expect(seat.standing.held).toBe(held);
    expect(tokens).toEqual([1n]);
    seat.onRelease = async () => {};
    await clock.pass(300);
    expect(seat.standing.held).toBeNull();
    seat.win();
    await calm();
    expect(tokens).toEqual([1n, 3n]);
    shutdown.abort();
    await gone;
    expect(clock.pending).toBe(0);
  });

  it('nor when the work of before never stopped and could not be released: its token is not used again', async () => {
    const clock = new HandClock();
    const { seat, election } = open({ clock, drainMs: 1000 });
    let refusals = 3;
    seat.onRelease = async () => {
      if (refusals-- > 0) throw new Error('the store is down');
    };
    const stuck = election.lead(() => new Promise(() => {}));
    void stuck.catch(() => {});
    const next = election.campaign();
    seat.win();
    await calm();
    const resigned = expect(election.resign()).rejects.toThrow('the store is down');
    await clock.pass(1000);
    await resigned;
    await clock.pass(1000);
    expect(seat.standing.held).toBeNull();
    seat.win();
    expect((await next).token).toBe(3n);
  });
});

describe('nobody is kept waiting by work that no longer counts', () => {
  it('a leader whose work goes on after a loss leaves it to the others, and stands again when it has stopped', async () => {
    const clock = new HandClock();
    const { seat, election } = open({ clock, drainMs: 5000 });
    const stops: (() => void)[] = [];
    void election.lead(() => new Promise<void>((resolve) => stops.push(resolve))).catch(() => {});
    seat.win();
    await calm();
    seat.lose('lease-expired', 'the lease ran out');
    await calm();
    expect(seat.log, 'work that stops at once costs no place').toEqual(['stand']);
    const again = seat.win(); // The seat did not know.
    await clock.pass(100);
    expect(seat.log).toEqual(['stand', 'withdraw']);
    expect(seat.why).toMatchObject({ detail: 'its earlier work has not stopped yet' });
    expect(seat.standing.held).not.toBe(again);
    await clock.pass(4000);
    expect(seat.log).toEqual(['stand', 'withdraw']);
    stops[0]!();
    await calm();
    expect(seat.log).toEqual(['stand', 'withdraw', 'stand']);
    seat.win();
    await calm();
    expect(stops).toHaveLength(2);
  });

  it('also if it is lost only while its work is being stopped', async () => {
    const clock = new HandClock();
    const { seat, election } = open({ clock, drainMs: 5000 });
    void election.lead(() => new Promise<void>(() => {})).catch(() => {});
    seat.win();
    await calm();
    void election.resign();
    await clock.pass(1000);
    expect(seat.log, 'it is held until the work has stopped').toEqual(['stand']);
    seat.lose('lease-expired', 'the lease ran out');
    await calm();
    expect(seat.log).toEqual(['stand', 'withdraw']);
  });
});

describe('the release comes after the work has stopped', () => {
  type Way = (around: {
    election: ReturnType<typeof open>['election'];
    shutdown: AbortController;
    clock: HandClock;
  }) => unknown;
  const ways: [string, Way][] = [
    ['resign', ({ election }) => election.resign()],
    ['transfer', ({ election }) => election.transfer('b')],
    ['the signal of lead', ({ shutdown }) => shutdown.abort()],
    ['close', ({ election }) => election.close()],
    ['a lease that ends by our clock', ({ clock }) => clock.pass(1000)],
  ];
  it.each(ways)('%s', async (_, stepDown) => {
    const clock = new HandClock();
    const { seat, election } = open({ clock });
    const shutdown = new AbortController();
    let leadership: Leadership | null = null;
    let finish = (): void => {};
    const led = election.lead(
      async (given) => {
        leadership = given;
        await new Promise<void>((resolve) => {
          finish = resolve;
        });
      },
      { signal: shutdown.signal },
    );
    const settled = led.catch(() => 'called off');
    seat.win(1000);
    await calm();
    const done = stepDown({ election, shutdown, clock });
    await aborted(leadership!.signal);
    await calm();
    expect((leadership!.signal.reason as LeadershipLost).detail).not.toBe('');
    expect(seat.log).toEqual(['stand']);
    finish();
    await done;
    await calm();
    expect(seat.log[1]).toMatch(/^(resign|transfer b|withdraw)$/);
    shutdown.abort();
    await settled;
  });
});
