import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Timers } from '../../src/host/timers.ts';
import { Pace, type Paced } from '../../src/member/pace.ts';
import { VirtualClock } from './virtual.ts';

class Waiting implements Paced {
  isLed = false;
  isUnsettled = false;
  turns = 0;
  readonly #pace: Pace;

  constructor(pace: Pace) {
    this.#pace = pace;
  }

  goOn(): void {
    this.turns += 1;
    this.#pace.look(this);
  }
}

/** It wins at once. */
class Winning extends Waiting {
  override goOn(): void {
    this.isLed = true;
    this.isUnsettled = true;
    super.goOn();
  }
}

/** Its leader is silent, so that the timer is due with which it begins to campaign. */
class Silent implements Paced {
  isLed = true;
  readonly isUnsettled = false;
  mayCampaign = false;
  readonly #pace: Pace;

  constructor(pace: Pace) {
    this.#pace = pace;
  }

  goOn(): void {
    this.mayCampaign = this.#pace.enter(this);
    this.isLed = !this.mayCampaign;
    this.#pace.look(this);
  }
}

function openPace(count: number) {
  const clock = new VirtualClock();
  const pace = new Pace(clock);
  const elections = Array.from({ length: count }, () => new Waiting(pace));
  const entered = elections.filter((each) => pace.enter(each));
  const turns = (): number => elections.reduce((sum, each) => sum + each.turns, 0);
  return { clock, pace, elections, entered, turns };
}

describe('the pace of elections', () => {
  it('lets a hundred begin at once, and asks none of these to wait later', () => {
    const { pace, entered, turns } = openPace(250);
    expect(entered).toHaveLength(100);
    expect(entered.every((each) => pace.enter(each))).toBe(true);
    expect(turns()).toBe(0);
  });

  it('lets another one go on for each that has a leader, once what has arrived was processed', async () => {
    const { pace, entered, turns } = openPace(250);
    for (const each of entered.slice(0, 30)) {
      each.isLed = true;
      pace.look(each);
    }
    expect(turns()).toBe(0);
    await setImmediate();
    expect(turns()).toBe(30);
  });

  it('lets the others go on if the first ones get no leader, each once', () => {
    const { clock, entered, elections, turns } = openPace(250);
    clock.advance(999);
    expect(turns()).toBe(0);
    clock.advance(1);
    expect(turns()).toBe(100);
    clock.advance(1000);
    expect(turns()).toBe(150);
    expect(elections.every((each) => each.turns === (entered.includes(each) ? 0 : 1))).toBe(true);
  });

  it('keeps no place for an election that has got a leader while it waited', () => {
    const { clock, elections, entered, turns } = openPace(250);
    for (const each of elections) if (!entered.includes(each)) each.isLed = true;
    clock.advance(1000);
    expect(turns()).toBe(150);
  });

  it('gives a place to elections whose leaders are silent, although these have a leader until they campaign', async () => {
    const { pace, entered } = openPace(100);
    const silent = Array.from({ length: 3 }, () => new Silent(pace));
    expect(silent.some((each) => pace.enter(each))).toBe(false);
    for (const each of entered.slice(0, 10)) {
      each.isLed = true;
      pace.look(each);
    }
    await setImmediate();
    expect(silent.every((each) => each.mayCampaign)).toBe(true);
  });

  describe('while many that this process has won do not rest yet', () => {
    /** All that may begin have won. */
    async function won() {
      const clock = new VirtualClock();
      const pace = new Pace(clock);
      const elections = Array.from({ length: 1000 }, () => new Winning(pace));
      for (const each of elections) if (pace.enter(each)) each.goOn();
      await setImmediate();
      const winners = (): Winning[] => elections.filter(({ isLed }) => isLed);
      expect(winners()).toHaveLength(500);
      return { clock, pace, winners };
    }

    it('lets none begin before one of these rests, or is lost', async () => {
      const { pace, winners } = await won();
      for (const each of winners()) pace.look(each); // Nothing has changed.
      await setImmediate();
      expect(winners()).toHaveLength(500);
      for (const each of winners().slice(0, 10)) {
        each.isUnsettled = false;
        pace.look(each);
      }
      await setImmediate();
      expect(winners()).toHaveLength(510);
    });

    it('lets others begin when these have had their time', async () => {
      const { clock, winners } = await won();
      clock.advance(1999);
      expect(winners()).toHaveLength(500);
      clock.advance(1);
      expect(winners()).toHaveLength(1000);
    });
  });

  it('lets none go on once it is closed', () => {
    const { clock, pace, turns } = openPace(250);
    pace.close();
    clock.advance(5000);
    expect(turns()).toBe(0);
  });
});

describe('a timer that waits', () => {
  function open() {
    const clock = new VirtualClock();
    const due: string[] = [];
    const host = { waits: true };
    const timers: Timers = new Timers(
      clock,
      { fraction: () => 0.5, waits: () => host.waits },
      { wake: () => timers.runDue((name) => due.push(name)) },
    );
    return { clock, timers, due, host };
  }

  it('is one whose delay was drawn from a range; the others come due', () => {
    const { clock, timers, due, host } = open();
    timers.set('election', [10, 20]);
    timers.set('promise', 30);
    clock.advance(100);
    expect(due).toEqual(['promise']);
    host.waits = false;
    expect(timers.goOn()).toBe(true);
    expect(due).toEqual(['promise', 'election']);
    expect(timers.goOn()).toBe(false);
  });

  it('waits no more once it is set again', () => {
    const { clock, timers, due, host } = open();
    timers.set('election', [10, 20]);
    clock.advance(100);
    host.waits = false;
    timers.set('election', [10, 20]);
    expect(timers.goOn()).toBe(false);
    clock.advance(14);
    expect(due).toEqual([]);
    clock.advance(1);
    expect(due).toEqual(['election']);
  });

  it('does not keep the alarm ringing', () => {
    const { clock, timers, due } = open();
    timers.set('election', [10, 20]);
    clock.advance(100);
    timers.set('heartbeat', 50);
    clock.advance(50);
    expect(due).toEqual(['heartbeat']);
    expect(timers.get('election')).toBeDefined();
  });
});
