import { describe, expect, it } from 'vitest';
import { frameAt } from '../../playground/src/game/history/frame.ts';
import { newRun } from '../../playground/src/game/run/presets.ts';
import { readRun } from '../../playground/src/game/run/run.ts';
import { Timeline } from '../../playground/src/game/run/timeline.ts';
import { beginningWith, TOPOLOGIES } from '../../playground/src/game/run/topologies.ts';
import { type MemberId, majority } from '../../src/core/index.ts';

/** Whom each member hears, itself included, once a topology is made. */
function heardBy(name: string, count: number, first: MemberId): Map<MemberId, MemberId[]> {
  const timeline = new Timeline(newRun('epoch', count, 1));
  timeline.extendTo(10);
  const { members } = timeline.history;
  // What was cut before does not matter.
  timeline.act([{ do: 'cut', from: 2, to: 3 }]);
  const { make } = TOPOLOGIES.find((each) => each.name === name)!;
  timeline.act(make(beginningWith(members, first)));
  const { blocked } = frameAt(timeline.history, timeline.headMs);
  readRun(timeline.runUpTo(timeline.headMs));
  return new Map(
    members.map((id) => [id, members.filter((from) => from === id || !blocked.has(`${from}>${id}`))]),
  );
}

const heard = (name: string, count: number, first: MemberId): object =>
  Object.fromEntries(heardBy(name, count, first));

describe('topologies', () => {
  it('begin with the leader', () => {
    expect(beginningWith([1, 2, 3, 4], 3)).toEqual([3, 4, 1, 2]);
    expect(beginningWith([1, 2, 3], null)).toEqual([1, 2, 3]);
  });

  it('heal everything', () => {
    for (const ids of heardBy('Heal everything', 5, 1).values()) expect(ids).toEqual([1, 2, 3, 4, 5]);
  });

  it('split into halves, and a minority with the leader from the rest', () => {
    expect(heard('Halves', 4, 3)).toEqual({ 1: [1, 2], 2: [1, 2], 3: [3, 4], 4: [3, 4] });
    expect(heard('Minority', 5, 5)).toEqual({
      1: [1, 5],
      2: [2, 3, 4],
      3: [2, 3, 4],
      4: [2, 3, 4],
      5: [1, 5],
    });
    expect(heard('Minority', 3, 1)).toEqual({ 1: [1], 2: [2, 3], 3: [2, 3] });
  });

  it('leave one member that hears both sides', () => {
    expect(heard('Bridge', 5, 1)).toEqual({
      1: [1, 2, 3],
      2: [1, 2, 3],
      3: [1, 2, 3, 4, 5],
      4: [3, 4, 5],
      5: [3, 4, 5],
    });
  });

  it('give everybody another majority', () => {
    for (const count of [5, 7, 100]) {
      const all = [...heardBy('Ring of majorities', count, 1).values()];
      for (const ids of all) expect(ids.length).toBeGreaterThanOrEqual(majority(count));
      expect(new Set(all.map((ids) => ids.join())).size).toBe(count);
    }
  });

  it('make a chain and a star, and isolate the leader', () => {
    expect(heard('Chain', 4, 3)).toEqual({ 1: [1, 2, 4], 2: [1, 2], 3: [3, 4], 4: [1, 3, 4] });
    expect(heard('Star', 4, 4)).toEqual({ 1: [1, 2, 3, 4], 2: [1, 2], 3: [1, 3], 4: [1, 4] });
    expect(heard('Isolate the leader', 3, 2)).toEqual({ 1: [1, 3], 2: [2], 3: [1, 3] });
  });

  it('can be made of the fewest members, and of the most in few events', () => {
    for (const { make } of TOPOLOGIES) {
      for (const count of [1, 2, 3, 100]) {
        const order = Array.from({ length: count }, (_, i) => i + 1);
        const events = make(order).map((action) => ({ ...action, atMs: 1 }));
        expect(events.length).toBeLessThan(3000);
        readRun({ ...newRun('epoch', count, 1), events });
      }
    }
  });
});
