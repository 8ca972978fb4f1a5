import { describe, expect, it } from 'vitest';
import { newRun } from '../../playground/src/game/run/presets.ts';
import { Timeline } from '../../playground/src/game/run/timeline.ts';
import { Teller } from '../../playground/src/game/words/entry-words.ts';
import { type Filter, Filtered } from '../../playground/src/panels/log/filter.ts';
import { catalogue } from '../../src/protocols/index.ts';

function played(protocol: string): Timeline {
  const timeline = new Timeline(newRun(protocol, 5, 1));
  timeline.extendTo(5000);
  timeline.act([{ do: 'crash', member: 1 }]);
  timeline.act([{ do: 'cut', from: 2, to: 3 }]);
  timeline.act([{ do: 'restart', member: 1, amnesia: true }]);
  timeline.extendTo(9000);
  return timeline;
}

function linesOf(timeline: Timeline, filter: Partial<Filter>): string[] {
  const { history, run } = timeline;
  const teller = new Teller(history, run.protocol);
  const all = new Filtered(history, teller, { what: 'all', member: null, text: '', cause: null, ...filter });
  while (!all.extend(() => false));
  return all.found.map((index) => teller.tell(history.entries[index]!));
}

describe('the log', () => {
  it('has a line in words for every entry of every protocol', () => {
    for (const protocol of Object.keys(catalogue)) {
      const timeline = played(protocol);
      const lines = linesOf(timeline, {});
      expect(lines).toHaveLength(timeline.history.entries.length);
      for (const line of lines) expect(line).toMatch(/^[\w:]+ \S.*\S$/);
      expect(lines.join('\n')).not.toMatch(/undefined|null|\[object|NaN/);
    }
  });

  it('says who did what and why, in the words of its protocol', () => {
    const lines = linesOf(played('epoch'), {});
    expect(lines.slice(0, 5)).toEqual([1, 2, 3, 4, 5].map((id) => `${id} starts`));
    for (const line of [
      '5 finds its timer wait due, stands for election in epoch 1 · vote-request → all',
      '1 hears vote from 2, leads · keep-alive → all',
      '2 hears keep-alive from 1, follows 1',
      '1 crashes',
      'cut between 2 and 3',
      '1 restarts with an empty disk',
    ]) {
      expect(lines).toContain(line);
    }
  });

  it('shows only what is asked for', () => {
    const timeline = played('epoch');
    const elections = linesOf(timeline, { what: 'elections' });
    expect(elections.every((line) => /stands|leads|follows|steps down|starts|enters|vote/.test(line))).toBe(
      true,
    );
    expect(elections.some((line) => line.includes('leads'))).toBe(true);
    expect(linesOf(timeline, { what: 'faults' })).toEqual([
      '1 crashes',
      'cut between 2 and 3',
      '1 restarts with an empty disk',
    ]);
    const ofTwo = linesOf(timeline, { what: 'member', member: 2 });
    expect(ofTwo.every((line) => /\b2\b/.test(line))).toBe(true);
    expect(ofTwo).toContain('cut between 2 and 3');
    expect(linesOf(timeline, { text: ' EMPTY disk' })).toEqual(['1 restarts with an empty disk']);
    expect(linesOf(timeline, { what: 'cause', cause: new Set([0, 2]) })).toEqual(['1 starts', '3 starts']);
  });

  it('grows with its history, and ends at the cursor', () => {
    const timeline = played('epoch');
    const teller = new Teller(timeline.history, 'epoch');
    const all = new Filtered(timeline.history, teller, { what: 'all', member: null, text: '', cause: null });
    all.extend(() => true);
    const before = all.found.length;
    timeline.extendTo(12_000);
    expect(all.extend(() => true)).toBe(true);
    expect(all.found.length).toBeGreaterThan(before);
    expect(all.countAt(9000)).toBe(before);
    expect(all.countAt(-1)).toBe(0);
    expect(all.placeOf(7)).toBe(7);
    const faults = new Filtered(timeline.history, teller, {
      what: 'faults',
      member: null,
      text: '',
      cause: null,
    });
    faults.extend(() => true);
    expect(faults.placeOf(0)).toBe(-1);
    expect(faults.countAt(5000.001)).toBe(1);
  });
});
