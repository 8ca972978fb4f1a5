/** When the deadlines of many leaderships read the ends of their leases. */
import { beforeEach, describe, expect, it } from 'vitest';
import { Deadline } from '../../src/election/deadline.ts';
import { HandClock } from './support.ts';

class CountedLease {
  readonly token = 1n;
  reads = 0;
  endsAtMs = 1500;

  get expiresAtMs(): number {
    this.reads += 1;
    return this.endsAtMs;
  }
}

describe('the deadlines of many leaderships', () => {
  let clock: HandClock;
  let leases: CountedLease[];
  let ended: CountedLease[];
  beforeEach(() => {
    clock = new HandClock();
    ended = [];
    leases = Array.from({ length: 5 }, () => new CountedLease());
    for (const lease of leases) {
      lease.endsAtMs = clock.now() + 1500;
      new Deadline(lease, clock, () => ended.push(lease)).start();
    }
  });

  it('read the end of a lease when it is near, and only one of them at each wake-up', async () => {
    const reads = (): number => leases.slice(1).reduce((sum, each) => sum + each.reads, 0);
    const before = reads();
    for (let heartbeats = 0; heartbeats < 20; heartbeats++) {
      for (const lease of leases) lease.endsAtMs = clock.now() + 1500;
      await clock.pass(600);
    }
    expect(ended).toEqual([]);
    // Twelve seconds, of which each lease is read about once a second.
    expect(reads() - before).toBeLessThan(4 * 16);
  });

  it('end when their leases are not renewed', async () => {
    await clock.pass(1490);
    expect(ended).toEqual([]);
    await clock.pass(10);
    expect(ended).toEqual(leases);
  });

  it('end at the next wake-up if all leases end at once, as after a sleep of the machine', async () => {
    await clock.pass(10);
    for (const lease of leases) lease.endsAtMs = 0;
    await clock.pass(400);
    expect(ended).toEqual(leases);
  });

  it('are read after a stall: a lease whose times were changed may have become shorter than it was', () => {
    leases[3]!.endsAtMs = clock.now() + 450;
    clock.stall(500);
    clock.wakeDue();
    expect(ended).toEqual([leases[3]]);
  });

  it('end at the next wake-up after a sleep also beside a leadership that has no lease', async () => {
    const [first, ...others] = leases;
    first!.endsAtMs = Number.POSITIVE_INFINITY;
    for (const lease of others) lease.endsAtMs = clock.now() + 1500;
    await clock.pass(1200); // All are read meanwhile.
    for (const lease of others) lease.endsAtMs = clock.now() + 1500;
    await clock.pass(400);
    for (const lease of others) lease.endsAtMs = 0;
    await clock.pass(400);
    expect(ended).toEqual(others);
  });
});
