/** A process whose event loop is really blocked for longer than its lease. */
import { describe, expect, it } from 'vitest';
import type { Leadership } from '../../src/election/index.ts';
import { aborted, HandClock, open } from './support.ts';

/** Nothing else runs meanwhile, as when a program parses something huge. */
function block(ms: number): void {
  const untilMs = performance.now() + ms;
  while (performance.now() < untilMs) {
    // Busy.
  }
}

async function leading(leaseMs: number): Promise<Leadership> {
  const { seat, election } = open();
  const waiting = election.campaign();
  seat.win(performance.now() + leaseMs);
  return waiting;
}

const BLOCKED = /the event loop was blocked for (0\.[7-9]|[1-9]\d*\.\d) s/;

describe('a blocked event loop', () => {
  it('can not act: the first look after the stall throws, before any timer has run', async () => {
    const leadership = await leading(500);
    leadership.assert();
    block(900);
    expect(leadership.assert).toThrow(BLOCKED);
    expect(leadership.signal.aborted).toBe(true);
    expect(leadership.lost).toMatchObject({ cause: 'event-loop-blocked' });
  });

  it('aborts the signal first thing after the stall, before what came in meanwhile', async () => {
    const leadership = await leading(500);
    const order: string[] = [];
    const told = aborted(leadership.signal).then(() => order.push('aborted'));
    const later = new Promise<void>((resolve) => {
      setImmediate(() => {
        setTimeout(() => resolve(void order.push('later')), 600); // Due during the stall, after the end of the lease.
        block(900);
      });
    });
    await Promise.all([told, later]);
    expect(order).toEqual(['aborted', 'later']);
    expect(leadership.lost!.detail).toMatch(BLOCKED);
  });

  it('says for how long, also when it was renewed just before', async () => {
    const clock = new HandClock();
    const { seat, election } = open({ clock });
    const waiting = election.campaign();
    const held = seat.win(400);
    const leadership = await waiting;
    for (let i = 0; i < 20; i++) {
      held.expiresAtMs = clock.now() + 400;
      await clock.pass(100);
    }
    clock.stall(4200);
    clock.wakeDue();
    expect(leadership.lost!.detail).toMatch(/the event loop was blocked for 4\.[12] s/);
  });

  it('is watched with few wake-ups while a short lease is renewed', async () => {
    let wakeUps = 0;
    class CountingClock extends HandClock {
      override after(delayMs: number, wake: () => void): () => void {
        wakeUps += 1;
        return super.after(delayMs, wake);
      }
    }
    const clock = new CountingClock();
    const { seat, election } = open({ clock });
    const waiting = election.campaign();
    const held = seat.win(125);
    const leadership = await waiting;
    wakeUps = 0;
    for (let renewals = 0; renewals < 40; renewals++) {
      held.expiresAtMs = clock.now() + 125;
      await clock.pass(50);
    }
    leadership.assert();
    expect(wakeUps).toBeGreaterThan(10);
    expect(wakeUps).toBeLessThan(30);
  });

  it('does no harm while the lease holds', async () => {
    const leadership = await leading(60_000);
    block(100);
    leadership.assert();
    expect(leadership.expiresInMs).toBeGreaterThan(50_000);
    await leadership.resign();
  });

  it('is told from a lease that was not renewed', async () => {
    const leadership = await leading(60);
    await aborted(leadership.signal);
    // A busy machine may stall for real; then it must say so.
    expect(leadership.lost!.cause).toMatch(/^(lease-expired|event-loop-blocked)$/);
    expect(leadership.expiresInMs).toBe(0);
  });
});
